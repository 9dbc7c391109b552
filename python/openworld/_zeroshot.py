"""What zero-shot classification returns."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional

from . import _core
from ._core import Predictions


class ZeroShot:
    """Accuracy of zero-shot classification, as fractions; None where no image has a label.

    ``top5`` is None with five classes or fewer. ``out`` is the file of predictions, or "".
    """

    def __init__(self, text: str) -> None:
        self._json = text
        fields = json.loads(text)
        accuracy = fields["accuracy"]
        self.top1: Optional[float] = accuracy.get("top1", {}).get("value")
        self.top5: Optional[float] = accuracy.get("top5", {}).get("value")
        self.mean_per_class: Optional[float] = accuracy.get("mean_per_class")
        self.images: int = fields["data"]["images"]
        self.out: str = fields.get("out", "")

    def predictions(self) -> Predictions:
        """What was written to ``out``, for evaluate()."""
        if not self.out:
            raise ValueError("[zeroshot] no predictions were kept; expected out=, an .npz to write")
        return _core.load_predictions(self.out)

    def to_dict(self) -> Dict[str, Any]:
        """What ``openworld zeroshot --json`` prints, without its cost."""
        result: Dict[str, Any] = json.loads(self._json)
        return result

    def __repr__(self) -> str:
        top1 = "-" if self.top1 is None else f"{self.top1:.4f}"
        return f"<openworld.ZeroShot: {self.images} images, top-1 accuracy {top1}>"
