"""Drop-in replacements for other libraries: scikit-learn's and OpenOOD's metrics, pycocotools."""

from .pycocotools import COCO, COCOeval

__all__ = ["COCO", "COCOeval"]
