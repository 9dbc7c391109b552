"""OpenOOD 1.5's metric block: the same numbers, faster.

    from openworld.compat.openood import compute_all_metrics

Arguments: ``conf``, larger for samples that look more in-distribution (ID); ``label``, the class,
or -1 for out-of-distribution (OOD) samples; ``pred``, the predicted class. Definitions, as OpenOOD
1.5 has them (openood/evaluators/metrics.py):

- FPR@95: OOD is the positive class. On the ROC curve of the score -conf, the false positive rate
  (ID samples called OOD) at the first point whose true positive rate is at least 0.95. Points on a
  straight line between others are left out of that curve first (scikit-learn's drop_intermediate),
  so with tied scores it can lie above the smallest such rate; ``fpr_at_95tpr_new`` is the smallest.
- AUROC: area under that curve.
- AUPR_IN: area under the precision-recall curve of conf with ID as the positive class, AUPR_OUT: of
  -conf with OOD as the positive class; by trapezoids, which is optimistic.
- ACC: share of ID samples with pred == label.

All are fractions. One of the two kinds missing raises ValueError. ``ood_metrics`` gives the same
under pytorch-ood's names, from its outlier scores, without the sigmoid that saturates there.
"""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from .. import _core
from .sklearn import roc_curve

_KEYS = ("FPR@95", "AUROC", "AUPR_IN", "AUPR_OUT", "ACC")
_AREAS = ("auroc", "aupr_base_trapezoid", "aupr_new_trapezoid")
_TPR = 0.95


def _predictions(function: str, conf: Any, ood: Any) -> _core.Predictions:
    if ood.all() or not ood.any():
        kind = "ID" if ood.all() else "OOD"
        raise ValueError(f"[{function}] no {kind} samples; expected labels of both kinds")
    side = np.ascontiguousarray(ood).view(np.int8)
    return _core.Predictions(side, conf, _function=function, _needs_correct=False)


def _values(predictions: _core.Predictions, *names: str) -> List[float]:
    """The metrics of those names, from one sort."""
    evaluation = _core.evaluate(predictions, names, _core.Options("openood", ci=None))
    return [metric["value"] for metric in evaluation["metrics"]]


def _labels(function: str, label: Any) -> Any:
    labels = np.asarray(label)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"[{function}] label has dtype {labels.dtype} and shape {labels.shape}; expected "
            "integers in one dimension"
        )
    return labels


def compute_all_metrics(conf: Any, label: Any, pred: Any) -> List[float]:
    """[FPR@95, AUROC, AUPR_IN, AUPR_OUT, ACC], as OpenOOD 1.5 orders them."""
    function = "compute_all_metrics"
    labels, predicted = _labels(function, label), np.asarray(pred)
    if predicted.shape != labels.shape:
        raise ValueError(
            f"[{function}] pred has shape {predicted.shape}; expected {labels.shape}, that of label"
        )
    known = labels != -1
    predictions = _predictions(function, conf, ~known)
    fpr, tpr, _ = roc_curve(~known, -predictions.score)
    accuracy = float(np.mean(predicted[known] == labels[known]))
    return [float(fpr[np.argmax(tpr >= _TPR)]), *_values(predictions, *_AREAS), accuracy]


def metrics_dict(conf: Any, label: Any, pred: Any) -> Dict[str, float]:
    """compute_all_metrics() by name: FPR@95, AUROC, AUPR_IN, AUPR_OUT, ACC."""
    return dict(zip(_KEYS, compute_all_metrics(conf, label, pred)))


def ood_metrics(scores: Any, label: Any) -> Dict[str, float]:
    """pytorch-ood's OODMetrics: outlier scores, larger for OOD; labels below 0 are OOD.

    Keys AUROC, AUPR-IN, AUPR-OUT and FPR95TPR, the smallest false positive rate at which 95 % of
    the OOD samples are found. OOD is positive, and areas are by trapezoids.
    """
    labels = _labels("ood_metrics", label)
    outlier = np.asarray(scores)
    if outlier.dtype.kind not in "fiu":
        raise ValueError(f"[ood_metrics] scores has dtype {outlier.dtype}; expected numbers")
    # Negation is exact for floats; unsigned integers would wrap.
    conf = -(outlier.astype(np.float64) if outlier.dtype.kind in "iu" else outlier)
    predictions = _predictions("ood_metrics", conf, labels < 0)
    auroc, aupr_in, aupr_out, fpr = _values(predictions, *_AREAS, "fpr_at_95tpr_new")
    return {"AUROC": auroc, "AUPR-IN": aupr_in, "AUPR-OUT": aupr_out, "FPR95TPR": fpr}


__all__ = ["compute_all_metrics", "metrics_dict", "ood_metrics"]
