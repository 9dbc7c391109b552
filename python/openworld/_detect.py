"""Detections: COCO's AP and AR with intervals, and the open-set test of detectors."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._keywords import checked
from ._results import Interval, MeasuredValue, make_interval

Source = Union[str, "os.PathLike[str]", bytes, Mapping[str, Any], List[Any], Any]


@dataclass(frozen=True)
class CategoryDetection:
    """AP of one category; ``objects`` counts those that are not crowds."""

    id: int
    name: str
    objects: int
    detections: int
    ap: MeasuredValue
    ap50: MeasuredValue


@dataclass(frozen=True)
class Detection:
    """COCO's evaluation of detections.

    ``stats`` are the twelve numbers in COCO's order, -1 where undefined, as pycocotools has them.
    ``metrics`` are the same by name (``coco_ap``, ``coco_ap50``, ...), with intervals, and None with
    the reason where undefined.
    """

    stats: npt.NDArray[np.float64]
    metrics: Dict[str, MeasuredValue]
    categories: List[CategoryDetection]
    counts: Dict[str, int]
    notes: List[str]


@dataclass(frozen=True)
class DetectionDifference:
    """A metric of two detectors on the same images; ``difference`` is second less first."""

    name: str
    first: Optional[float]
    second: Optional[float]
    difference: Optional[float]
    interval: Optional[Interval]
    p_value: Optional[float]
    why: str


@dataclass(frozen=True)
class OpenSetDetection:
    """The open-set test of a detector.

    ``measures["scores"]["aupr"].value`` and so on: auroc, aupr, p_at_95r and r_at_95p for each
    uncertainty; ``closed_set_measures`` the same against closed-set errors.
    """

    tp: int
    ose: int
    images: int
    missing_images: int
    crowd_matches: int
    closed_set_errors: int
    ap: MeasuredValue
    ap50: MeasuredValue
    stats: npt.NDArray[np.float64]
    measures: Dict[str, Dict[str, MeasuredValue]]
    closed_set_measures: Dict[str, Dict[str, MeasuredValue]]


def _plain(value: Any) -> Any:
    """What json does not know: NumPy's numbers and arrays, and RLE as bytes."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} in COCO's data; expected numbers, strings and lists")


def as_source(source: Source) -> Any:
    """Paths and arrays as they are; anything else, also an object with a ``dataset``, as JSON."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    if isinstance(source, (bytes, np.ndarray)):
        return source
    if hasattr(source, "dataset"):
        source = source.dataset
    return json.dumps(source, default=_plain).encode()


def _metric(name: str, fields: Mapping[str, Any]) -> MeasuredValue:
    return MeasuredValue(
        name,
        fields["value"],
        fields["why"],
        make_interval(fields["interval"]),
        fields["no_interval"],
    )


def _annotations(source: Source, type: str, function: str) -> _core.CocoAnnotations:
    if isinstance(source, _core.CocoAnnotations):
        return source
    return _core.CocoAnnotations(as_source(source), type, function)


def _matched(
    function: str,
    annotations: _core.CocoAnnotations,
    results: Source,
    type: str,
    any_score: bool,
    threads: int,
) -> _core.MatchedDetections:
    return _core.MatchedDetections(
        annotations,
        as_source(results),
        type,
        any_score=any_score,
        threads=threads,
        function=function,
    )


def _options(function: str, ci: Optional[str], **options: Any) -> _core.Options:
    if ci not in ("bootstrap", "none", None):
        raise ValueError(f"[{function}] ci is {ci!r}; expected 'bootstrap' or None")
    return _core.Options(function, ci=ci, **options)


@checked
def detect(
    annotations: Source,
    results: Source,
    *,
    type: str = "bbox",
    any_score: bool = False,
    ci: Optional[str] = None,
    bootstrap: str = "bca",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    threads: int = 0,
) -> Detection:
    """COCO's AP and AR of detections, to the last digit of pycocotools.

    annotations: COCO's ground truth: a path, a dict, or an object with a ``dataset``.
    results: COCO's results: a path, a list of dicts, or an array [N, 7] of image_id, x, y, width,
    height, score, category_id.
    type: "bbox" or "segm".
    any_score: allow scores outside of [0, 1].
    ci: "bootstrap" for intervals by resampling images; the other arguments are as for evaluate().
    """
    options = _options(
        "detect", ci, bootstrap=bootstrap, level=level, resamples=resamples, seed=seed,
        threads=threads,
    )
    truth = _annotations(annotations, type, "detect")
    raw = _matched("detect", truth, results, type, any_score, threads).evaluate(options)
    return Detection(
        stats=raw["stats"],
        metrics={name: _metric(name, fields) for name, fields in raw["metrics"].items()},
        categories=[
            CategoryDetection(
                fields["id"],
                fields["name"],
                fields["objects"],
                fields["detections"],
                _metric("coco_ap", fields["ap"]),
                _metric("coco_ap50", fields["ap50"]),
            )
            for fields in raw["categories"]
        ],
        counts=dict(raw["counts"]),
        notes=list(raw["notes"]),
    )


@checked
def compare_detections(
    annotations: Source,
    first: Source,
    second: Source,
    *,
    type: str = "bbox",
    any_score: bool = False,
    bootstrap: str = "bca",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    threads: int = 0,
) -> Dict[str, DetectionDifference]:
    """Paired differences of the twelve numbers of two detectors, by resampling images.

    Arguments as for detect().
    """
    function = "compare_detections"
    options = _options(
        function, "bootstrap", bootstrap=bootstrap, level=level, resamples=resamples, seed=seed,
        threads=threads,
    )
    truth = _annotations(annotations, type, function)
    a, b = (
        _matched(function, truth, results, type, any_score, threads) for results in (first, second)
    )
    differences = {}
    for name, fields in a.compare(b, options).items():
        fields["interval"] = make_interval(fields["interval"])
        differences[name] = DetectionDifference(name=name, **fields)
    return differences


@checked
def detect_openset(
    annotations: Source,
    detections: Source,
    *,
    matching: str = "corrected",
    ignore_crowds: bool = False,
    any_score: bool = False,
    ci: Optional[str] = None,
    bootstrap: str = "bca",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    threads: int = 0,
) -> OpenSetDetection:
    """The open-set test of a detector, from a file or dict in the format of openset_vlms.

    matching: "corrected" or "published", as in docs/detection.md.
    ignore_crowds: leave detections of crowds out of the true positives.
    The other arguments are as for detect().
    """
    function = "detect_openset"
    options = _options(
        function, ci, bootstrap=bootstrap, level=level, resamples=resamples, seed=seed,
        threads=threads,
    )
    raw = _core.detect_openset(
        _annotations(annotations, "bbox", function),
        as_source(detections),
        matching=matching,
        ignore_crowds=ignore_crowds,
        any_score=any_score,
        options=options,
        function=function,
    )
    for name in ("ap", "ap50"):
        raw[name] = _metric(f"coco_{name}", raw[name])
    for group in ("measures", "closed_set_measures"):
        raw[group] = {
            measure: {name: _metric(name, fields) for name, fields in metrics.items()}
            for measure, metrics in raw[group].items()
        }
    return OpenSetDetection(**raw)
