"""COCO and COCOeval with the interface of pycocotools: the same numbers, many times faster.

    from openworld.compat import COCO, COCOeval

    truth = COCO("instances_val2017.json")
    evaluation = COCOeval(truth, truth.loadRes("results.json"), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    evaluation.stats, evaluation.eval["precision"]

COCOeval takes objects of pycocotools' own COCO as well. ``evalImgs`` and ``ious`` stay empty:
matches are not kept image by image. Keypoints are not supported. What pycocotools skips in silence
(unknown ids, boxes of negative size, malformed masks) raises ValueError.
"""

from __future__ import annotations

import copy
import datetime
import json
import os
from collections import defaultdict
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from .. import _core
from .._detect import as_source

__all__ = ["COCO", "COCOeval", "Params"]

_Ids = Union[int, Iterable[int]]


def _as_list(value: Any) -> List[Any]:
    return list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else [value]


class COCO:
    """Annotations or results: a path, or what json.load gives. A file is read when it is needed."""

    def __init__(self, annotation_file: Any = None) -> None:
        self._source = annotation_file
        self._dataset: Optional[Dict[str, Any]] = None
        self._index: Optional[Tuple[Any, ...]] = None
        self._truth: Optional["COCO"] = None
        if annotation_file is None:
            self._dataset = {}
        elif isinstance(annotation_file, (str, os.PathLike)):
            with open(annotation_file, "rb"):
                pass  # a file that is not there is an error now, not later
        elif not isinstance(annotation_file, (dict, list, np.ndarray)):
            kind = type(annotation_file).__name__
            raise ValueError(f"[COCO] got {kind}; expected a path or a dict")

    @property
    def dataset(self) -> Dict[str, Any]:
        if self._dataset is None:
            data = self._source
            if isinstance(data, (str, os.PathLike)):
                with open(data, "rb") as file:
                    data = json.load(file)
            if self._truth is not None:
                data = {
                    "images": self._truth.dataset["images"],
                    "categories": self._truth.dataset["categories"],
                    "annotations": _result_annotations(data),
                }
            if not isinstance(data, dict):
                raise ValueError("[COCO] the data is not a dict; expected COCO's annotations")
            self._dataset = data
        return self._dataset

    @dataset.setter
    def dataset(self, data: Dict[str, Any]) -> None:
        self._dataset = self._source = data
        self._index = None

    def createIndex(self) -> None:
        """Reads ``dataset`` again."""
        self._index = None

    def _indexed(self) -> Tuple[Any, ...]:
        if self._index is None:
            anns, to_anns, to_images = {}, defaultdict(list), defaultdict(list)
            for ann in self.dataset.get("annotations", []):
                anns[ann["id"]] = ann
                to_anns[ann["image_id"]].append(ann)
                to_images[ann["category_id"]].append(ann["image_id"])
            imgs = {image["id"]: image for image in self.dataset.get("images", [])}
            cats = {category["id"]: category for category in self.dataset.get("categories", [])}
            self._index = anns, imgs, cats, to_anns, to_images
        return self._index

    @property
    def anns(self) -> Dict[int, Dict[str, Any]]:
        return self._indexed()[0]  # type: ignore[no-any-return]

    @property
    def imgs(self) -> Dict[int, Dict[str, Any]]:
        return self._indexed()[1]  # type: ignore[no-any-return]

    @property
    def cats(self) -> Dict[int, Dict[str, Any]]:
        return self._indexed()[2]  # type: ignore[no-any-return]

    @property
    def imgToAnns(self) -> Dict[int, List[Dict[str, Any]]]:
        return self._indexed()[3]  # type: ignore[no-any-return]

    @property
    def catToImgs(self) -> Dict[int, List[int]]:
        return self._indexed()[4]  # type: ignore[no-any-return]

    def getImgIds(self, imgIds: _Ids = (), catIds: _Ids = ()) -> List[int]:
        """Ids of images, of those given, that have all the categories given."""
        ids = set(_as_list(imgIds)) or set(self.imgs)
        for category in _as_list(catIds):
            ids &= set(self.catToImgs[category])
        return list(ids)

    def getCatIds(
        self, catNms: Any = (), supNms: Any = (), catIds: _Ids = ()
    ) -> List[int]:
        """Ids of categories with these names, super-categories and ids."""
        wanted = {
            "name": [catNms] if isinstance(catNms, str) else list(catNms),
            "supercategory": [supNms] if isinstance(supNms, str) else list(supNms),
            "id": _as_list(catIds),
        }
        return [
            category["id"]
            for category in self.dataset["categories"]
            if all(not values or category.get(key) in values for key, values in wanted.items())
        ]

    def getAnnIds(
        self,
        imgIds: _Ids = (),
        catIds: _Ids = (),
        areaRng: Iterable[float] = (),
        iscrowd: Optional[int] = None,
    ) -> List[int]:
        """Ids of annotations of these images and categories, in this range of areas."""
        images, categories, area = _as_list(imgIds), set(_as_list(catIds)), list(areaRng)
        anns = (
            [ann for image in images for ann in self.imgToAnns.get(image, [])]
            if images
            else self.dataset["annotations"]
        )
        return [
            ann["id"]
            for ann in anns
            if (not categories or ann["category_id"] in categories)
            and (not area or area[0] < ann["area"] < area[1])
            and (iscrowd is None or ann["iscrowd"] == iscrowd)
        ]

    def loadAnns(self, ids: _Ids = ()) -> List[Dict[str, Any]]:
        """The annotations with these ids."""
        return [self.anns[i] for i in _as_list(ids)]

    def loadCats(self, ids: _Ids = ()) -> List[Dict[str, Any]]:
        """The categories with these ids."""
        return [self.cats[i] for i in _as_list(ids)]

    def loadImgs(self, ids: _Ids = ()) -> List[Dict[str, Any]]:
        """The images with these ids."""
        return [self.imgs[i] for i in _as_list(ids)]

    def loadRes(self, resFile: Any) -> "COCO":
        """Results: a path, a list of dicts, or an array [N, 7]."""
        results = COCO(resFile)
        results._truth = self
        return results


def _result_annotations(results: Any) -> List[Dict[str, Any]]:
    if isinstance(results, np.ndarray):
        results = [
            {
                "image_id": int(row[0]),
                "bbox": [float(x) for x in row[1:5]],
                "score": float(row[5]),
                "category_id": int(row[6]),
            }
            for row in results
        ]
    anns = [dict(result, id=i + 1, iscrowd=0) for i, result in enumerate(results)]
    for ann in anns:
        if ann.get("bbox"):
            ann.setdefault("area", ann["bbox"][2] * ann["bbox"][3])
    return anns


class Params:
    """What pycocotools calls its parameters, with COCO's values."""

    def __init__(self, iouType: str = "segm") -> None:
        if iouType not in ("bbox", "segm"):
            raise ValueError(f"[Params] iouType is {iouType!r}; expected 'bbox' or 'segm'")
        self.iouType = iouType
        self.imgIds: List[int] = []
        self.catIds: List[int] = []
        self.iouThrs: npt.NDArray[np.float64] = np.linspace(0.5, 0.95, 10)
        self.recThrs: npt.NDArray[np.float64] = np.linspace(0.0, 1.0, 101)
        self.maxDets = [1, 10, 100]
        self.areaRng = [[0.0, 1e10], [0.0, 1024.0], [1024.0, 9216.0], [9216.0, 1e10]]
        self.areaRngLbl = ["all", "small", "medium", "large"]
        self.useCats = 1
        self.useSegm = None


class COCOeval:
    """Drop-in for pycocotools' COCOeval, for boxes and masks."""

    def __init__(self, cocoGt: Any = None, cocoDt: Any = None, iouType: str = "segm") -> None:
        self.cocoGt, self.cocoDt = cocoGt, cocoDt
        self.params = Params(iouType)
        self.eval: Dict[str, Any] = {}
        self.stats: npt.NDArray[np.float64] = np.zeros(0)
        self.evalImgs: List[Any] = []
        self.ious: Dict[Any, Any] = {}
        self._matched: Optional[_core.MatchedDetections] = None
        self._annotations: Optional[_core.CocoAnnotations] = None
        if cocoGt is not None:
            self._annotations = _core.CocoAnnotations(_source_of(cocoGt), iouType, "COCOeval")
            self.params.imgIds = self._annotations.image_ids()
            self.params.catIds = self._annotations.category_ids()

    def evaluate(self) -> None:
        """Matches detections to objects."""
        if self._annotations is None or self.cocoDt is None:
            raise ValueError("[COCOeval] no annotations or no results; expected both")
        p = self.params
        p.imgIds = [int(i) for i in np.unique(p.imgIds)]
        if p.useCats:
            p.catIds = [int(i) for i in np.unique(p.catIds)]
        p.maxDets = sorted(p.maxDets)
        params = {
            "iou_thresholds": [float(t) for t in p.iouThrs],
            "recall_thresholds": [float(r) for r in p.recThrs],
            "area_ranges": [[float(low), float(high)] for low, high in p.areaRng],
            "max_dets": [int(m) for m in p.maxDets],
            "use_categories": bool(p.useCats),
            "image_ids": p.imgIds,
            "category_ids": [i for i in p.catIds if i != -1],
        }
        self._matched = _core.MatchedDetections(
            self._annotations,
            _results_of(self.cocoDt),
            p.iouType,
            any_score=True,
            threads=0,
            params=params,
            function="COCOeval",
        )
        self.eval = {}

    def accumulate(self, p: Optional[Params] = None) -> None:
        """Fills ``eval`` with precision [T, R, K, A, M], recall [T, K, A, M] and scores."""
        if self._matched is None:
            raise ValueError("[COCOeval] accumulate() before evaluate()")
        if p is not None and p is not self.params:
            raise ValueError("[COCOeval] accumulate() with other params; set .params and evaluate()")
        arrays = self._matched.accumulate()
        self.eval = {
            "params": copy.copy(self.params),
            "counts": list(arrays["counts"]),
            "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
            "precision": arrays["precision"],
            "recall": arrays["recall"],
            "scores": arrays["scores"],
        }

    def _summary(
        self, precision: bool, iou: Optional[float] = None, area: str = "all", limit: int = 100
    ) -> float:
        p = self.params
        values = self.eval["precision" if precision else "recall"]
        if iou is not None:
            values = values[np.flatnonzero(p.iouThrs == iou)]
        areas = [i for i, label in enumerate(p.areaRngLbl) if label == area]
        limits = [i for i, m in enumerate(p.maxDets) if m == limit]
        values = values[..., areas, :][..., limits]
        values = values[values > -1]
        mean = float(np.mean(values)) if values.size else -1.0
        ious = f"{p.iouThrs[0]:0.2f}:{p.iouThrs[-1]:0.2f}" if iou is None else f"{iou:0.2f}"
        title = "Average Precision  (AP)" if precision else "Average Recall     (AR)"
        print(f" {title} @[ IoU={ious:<9} | area={area:>6s} | maxDets={limit:>3d} ] = {mean:0.3f}")
        return mean

    def summarize(self) -> None:
        """Prints the twelve numbers and keeps them in ``stats``."""
        if not self.eval:
            raise ValueError("[COCOeval] summarize() before accumulate()")
        limits = self.params.maxDets
        if len(limits) < 3:
            raise ValueError(f"[COCOeval] summarize() needs three maxDets, got {limits}")
        last, sizes = limits[2], ("small", "medium", "large")
        self.stats = np.array(
            [self._summary(True)]
            + [self._summary(True, iou, limit=last) for iou in (0.5, 0.75)]
            + [self._summary(True, area=size, limit=last) for size in sizes]
            + [self._summary(False, limit=limit) for limit in limits[:3]]
            + [self._summary(False, area=size, limit=last) for size in sizes]
        )

    def __str__(self) -> str:
        self.summarize()
        return ""


def _source_of(truth: Any) -> Any:
    """Annotations as the core reads them: the file itself where nothing has changed it."""
    if isinstance(truth, COCO) and truth._dataset is None and truth._truth is None:
        return as_source(truth._source)
    return as_source(truth)


def _results_of(results: Any) -> Any:
    """Results: the file or array given to loadRes, or the annotations of an object of results."""
    if isinstance(results, COCO):
        if results._truth is not None and (
            results._dataset is None or isinstance(results._source, np.ndarray)
        ):
            return as_source(results._source)
        return as_source(_without_derived(results.dataset["annotations"]))
    if hasattr(results, "dataset"):
        return as_source(_without_derived(results.dataset["annotations"]))
    return as_source(results)


def _without_derived(anns: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Results as they were before loadRes of pycocotools added to them.

    It adds a box to masks and a polygon to boxes; the area tells which was there first: that of a
    mask is a whole number of pixels and not that of the box.
    """
    if not anns or "bbox" not in anns[0] or "segmentation" not in anns[0]:
        return anns
    first = anns[0]
    by_mask = isinstance(first["segmentation"], dict) and (
        first.get("area") != first["bbox"][2] * first["bbox"][3]
    )
    if not by_mask:
        return anns
    return [{key: value for key, value in ann.items() if key != "bbox"} for ann in anns]
