"""scikit-learn's ranking metrics for binary labels: the same numbers, areas about ten times as fast.

    from openworld.compat.sklearn import roc_auc_score

``y_true`` holds two values, of which the larger, or ``pos_label``, is positive. ``y_score`` may
have any float or integer dtype and is never transformed. Equal to scikit-learn to 1e-12, ties
included, except that

- undefined values raise ValueError, where scikit-learn may warn and return NaN or 0;
- ``sample_weight``, multiclass and multilabel inputs are refused;
- the first threshold of roc_curve is infinite, as since scikit-learn 1.3 (before: max + 1).
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from .. import _core

Array = npt.NDArray[Any]


def _refuse(function: str, **unsupported: Any) -> None:
    for name, value in unsupported.items():
        if value is not None:
            raise ValueError(f"[{function}] {name} is given; expected None, it is not supported")


def _distinct(labels: Array) -> List[Any]:
    """The distinct labels, ascending; without a sort where there are at most two."""
    if labels.dtype.kind in "biuf" and labels.size:
        low, high = labels.min(), labels.max()
        if ((labels == low) | (labels == high)).all():
            return [low.item()] if low == high else [low.item(), high.item()]
    found: List[Any] = np.unique(labels).tolist()
    return found


def _positive(
    function: str, y_true: Any, pos_label: Any = None, *, larger: bool = False
) -> Tuple[Array, Any]:
    """y_true as an array, and its positive label: as given, the larger one, or 1."""
    labels = np.asarray(y_true)
    if labels.ndim != 1:
        raise ValueError(f"[{function}] y_true has shape {labels.shape}; expected one dimension")
    present = _distinct(labels)
    if pos_label is not None and len(present) == 2 and pos_label not in present:
        raise ValueError(f"[{function}] pos_label is {pos_label!r}; expected one of {present}")
    if pos_label is None and len(present) > 2:
        raise ValueError(f"[{function}] y_true has {len(present)} labels; expected two")
    if pos_label is None and not larger and not any(set(present) <= p for p in ({0, 1}, {-1, 1})):
        raise ValueError(
            f"[{function}] y_true has labels {present}; expected 0 and 1, -1 and 1, or a pos_label"
        )
    if pos_label is not None:
        return labels, pos_label
    return labels, present[-1] if larger and present else 1


def _predictions(function: str, labels: Array, positive: Any, y_score: Any) -> _core.Predictions:
    # The positive samples are the base ones, 0; the others, 1, are new.
    side = np.ascontiguousarray(labels != positive).view(np.int8)
    return _core.Predictions(side, y_score, _function=function, _needs_correct=False)


def _require(function: str, present: bool, which: str) -> None:
    if not present:
        raise ValueError(f"[{function}] no {which} samples in y_true; it is not defined")


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    sample_weight: None = None,
    max_fpr: Optional[float] = None,
    multi_class: Any = "raise",
    labels: Any = None,
) -> float:
    """Area under the ROC curve. average, multi_class and labels do not matter for two classes."""
    function = "roc_auc_score"
    _refuse(function, sample_weight=sample_weight, max_fpr=None if max_fpr == 1 else max_fpr)
    truth, positive = _positive(function, y_true, larger=True)
    if truth.size and (truth == truth[0]).all():
        raise ValueError(
            f"[{function}] Only one class present in y_true. ROC AUC score is not defined in that "
            "case."
        )
    return _core.metric(_predictions(function, truth, positive, y_score), "auroc", [])


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    pos_label: Any = 1,
    sample_weight: None = None,
) -> float:
    """Step-wise area under the precision-recall curve. average does not matter for two classes."""
    function = "average_precision_score"
    _refuse(function, sample_weight=sample_weight)
    truth, positive = _positive(function, y_true, pos_label)
    if len(_distinct(truth)) > 2:
        raise ValueError(f"[{function}] y_true has more than two labels; expected two")
    predictions = _predictions(function, truth, positive, y_score)
    _require(function, bool((predictions.side == 0).any()), "positive")
    if not predictions.side.any():
        return 1.0  # without negatives every precision is 1
    return _core.metric(predictions, "aupr_base", [])


def _counts(
    function: str, y_true: Any, y_score: Any, pos_label: Any
) -> Tuple[Array, Array, Array]:
    """False positives, true positives and the score, at each distinct score, descending."""
    truth, positive = _positive(function, y_true, pos_label)
    predictions = _predictions(function, truth, positive, y_score)
    scores, tps, fps = _core.threshold_counts(predictions)
    return fps, tps, scores.astype(predictions.score.dtype, copy=False)


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: None = None,
    drop_intermediate: bool = True,
) -> Tuple[Array, Array, Array]:
    """False and true positive rates and the scores at which they are reached, descending."""
    function = "roc_curve"
    _refuse(function, sample_weight=sample_weight)
    fps, tps, scores = _counts(function, y_true, y_score, pos_label)
    _require(function, fps[-1] > 0, "negative")
    _require(function, tps[-1] > 0, "positive")
    if drop_intermediate and fps.size > 2:
        # A point whose two steps are the same lies on the line between its neighbours.
        steps = np.diff(fps), np.diff(tps)
        corner = (steps[0][1:] != steps[0][:-1]) | (steps[1][1:] != steps[1][:-1])
        keep = np.concatenate(([True], corner, [True]))
        fps, tps, scores = fps[keep], tps[keep], scores[keep]
    rates = [np.concatenate(([0.0], counts / counts[-1])) for counts in (fps, tps)]
    thresholds = np.concatenate((np.array([np.inf], scores.dtype), scores))
    return rates[0], rates[1], thresholds


def precision_recall_curve(
    y_true: Any,
    probas_pred: Any,
    *,
    pos_label: Any = None,
    sample_weight: None = None,
) -> Tuple[Array, Array, Array]:
    """Precision and recall at each score, ascending, and the end point precision 1, recall 0."""
    function = "precision_recall_curve"
    _refuse(function, sample_weight=sample_weight)
    fps, tps, scores = _counts(function, y_true, probas_pred, pos_label)
    _require(function, tps[-1] > 0, "positive")
    precision = (tps / (tps + fps))[::-1]
    recall = (tps / tps[-1])[::-1]
    return np.append(precision, 1.0), np.append(recall, 0.0), scores[::-1]


def auc(x: Any, y: Any) -> float:
    """Area by trapezoids under points whose x never falls, or never rises."""
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if xs.ndim != 1 or xs.shape != ys.shape:
        raise ValueError(
            f"[auc] x has shape {xs.shape} and y {ys.shape}; expected the same length"
        )
    if xs.size < 2:
        raise ValueError(f"[auc] x has {xs.size} points; expected at least 2")
    steps = np.diff(xs)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError("[auc] x rises and falls; expected it to be monotone")
    area = float(np.sum(steps * (ys[1:] + ys[:-1]) / 2))
    return -area if (steps < 0).any() else area


__all__ = [
    "auc",
    "average_precision_score",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
]
