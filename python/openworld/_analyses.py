"""Analyses: curves, diagnosis, sensitivity, thresholds, accuracy by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._evaluate import as_predictions
from ._keywords import checked
from ._results import Interval, make_interval

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Points of a curve, x ascending; ``area`` is of all points, also of those thinned away.

    ``threshold[i]`` accepts scores above it as base. ``max_error`` is the largest vertical distance
    of a point from the line that is drawn without it.
    """

    name: str
    x: Floats
    y: Floats
    threshold: Floats
    x_title: str
    y_title: str
    area_name: str
    area: float
    max_error: float


@checked
def curve(
    side: Any,
    score: Any = None,
    correct: Any = None,
    *,
    kind: str = "miss-hit",
    open: Union[str, int, None] = None,
    max_points: int = 0,
    **arrays: Any,
) -> Curve:
    """A curve over every threshold: "miss-hit", "roc", "pr" or "cotpr-ofpr".

    max_points thins it for drawing; 0 keeps every point. Arrays, or Predictions, as for evaluate().
    """
    if max_points < 0:
        raise ValueError(f"[curve] max_points is {max_points}; expected 0 (all) or more")
    blind = [row["name"] for row in _core.curve_table() if not row["needs_correct"]]
    predictions = as_predictions(
        "curve", side, score, correct, needs_correct=kind not in blind, **arrays
    )
    fields = _core.curve(predictions, kind, open, max_points)
    why = fields.pop("why")
    if fields["area"] is None:
        raise ValueError(f"[curve] {kind} is undefined: {why}")
    return Curve(**fields)


@dataclass(frozen=True)
class Diagnosis:
    """Where OpenworldAUC is lost. The costs of "base", "new" and "rank" add up to 1 - it.

    openworld_auc = base_acc * new_acc * ranked_given_right, of which the last is None where no pair
    has both classes right. ``if_perfect`` is OpenworldAUC if that stage never failed.
    """

    openworld_auc: float
    base_acc: float
    new_acc: float
    ranked_given_right: Optional[float]
    cost: Dict[str, float]
    if_perfect: Dict[str, float]


@checked
def diagnose(
    side: Any, score: Any = None, correct: Any = None, *, ties: Optional[str] = None, **arrays: Any
) -> Diagnosis:
    """Splits the loss of OpenworldAUC between g ("base"), h ("new") and the ranking ("rank")."""
    fields = _core.diagnose(as_predictions("diagnose", side, score, correct, **arrays), ties)
    why = fields.pop("why")
    if fields["openworld_auc"] is None:
        raise ValueError(f"[diagnose] undefined: {why}")
    return Diagnosis(**fields)


@dataclass(frozen=True)
class SensitivityRow:
    """The metrics at one ratio, and the samples that were kept for it."""

    ratio: float
    base: int
    new: int
    values: Dict[str, Optional[float]]


@dataclass(frozen=True)
class Sensitivity:
    """Rows by ratio; mean and sample variance (of fractions) over the ratios, by metric."""

    rows: List[SensitivityRow]
    mean: Dict[str, Optional[float]]
    variance: Dict[str, Optional[float]]


@checked
def sensitivity(
    side: Any,
    score: Any = None,
    correct: Any = None,
    *,
    ratios: Sequence[float] = tuple(_core.PAPER_RATIOS),
    relative: bool = False,
    repeats: int = 1,
    seed: int = 0,
    ties: Optional[str] = None,
    threshold: Optional[float] = None,
    **arrays: Any,
) -> Sensitivity:
    """How the metrics move with the ratio of new to base samples, by thinning one side.

    ratios: new samples per base sample, or multiples of the natural ratio if `relative`.
    """
    if seed < 0:
        raise ValueError(f"[sensitivity] seed is {seed}; expected 0 or more")
    predictions = as_predictions("sensitivity", side, score, correct, **arrays)
    fields = _core.sensitivity(
        predictions, list(ratios), relative, repeats, seed, ties, threshold
    )
    rows = [SensitivityRow(**row) for row in fields.pop("rows")]
    return Sensitivity(rows=rows, **fields)


@dataclass(frozen=True)
class Share:
    """A count out of a total with its exact (Clopper-Pearson) interval."""

    count: int
    total: int
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class NextBatch:
    """What holds for a batch to come: at most ``most`` of its ``samples``, with the confidence.

    The guarantee itself is about all samples to come; the share of a batch varies around theirs.
    """

    samples: int
    most: int


@dataclass(frozen=True)
class UnknownThreshold:
    """The second threshold: of the samples that are not base, those with fit <= threshold are unknown.

    With probability ``confidence`` at most ``max_unknown`` of listed samples, base and new as they are
    mixed in these, are called unknown. ``unfit`` is the share of listed samples with such a fit,
    ``kept_out`` that of unknown samples called unknown. ``answers`` counts by side, then by what is
    said: ``answers["base"]["unknown"]``. With a ``refusal`` the others are None.
    """

    max_unknown: float
    confidence: float
    listed: int
    refusal: str
    samples_needed: Optional[int]
    threshold: Optional[float]
    allowed: Optional[int]
    unfit: Optional[Share]
    kept_out: Optional[Share]
    answers: Optional[Dict[str, Dict[str, int]]]
    next: Optional[NextBatch]


@dataclass(frozen=True)
class Threshold:
    """A threshold with a guarantee: base is accepted when score > threshold.

    With probability ``confidence`` over the draw of the base samples, at most ``max_miss`` of
    base samples to come are missed: rejected, or their class is wrong. ``hit`` is the share of new
    samples passed on and classified right, ``reject`` that of unknown samples kept out. Where no
    threshold has the guarantee it and the shares are None, ``refusal`` says why, and
    ``samples_needed`` how many base samples would do, if any number would. ``next`` is what holds
    for a batch of base samples, ``unknown`` the second threshold, each where it was asked for.
    """

    max_miss: float
    confidence: float
    base: int
    wrong: int
    refusal: str
    samples_needed: Optional[int]
    threshold: Optional[float]
    allowed_misses: Optional[int]
    miss: Optional[Share]
    hit: Optional[Share]
    reject: Optional[Share]
    next: Optional[NextBatch] = None
    unknown: Optional[UnknownThreshold] = None

    def __float__(self) -> float:
        if self.threshold is None:
            raise ValueError(f"[threshold] {self.refusal}")
        return self.threshold


def _make_shares(fields: Dict[str, Any], *names: str) -> None:
    for name in names:
        fields[name] = None if fields[name] is None else Share(*fields[name])
    fields["next"] = None if fields["next"] is None else NextBatch(*fields["next"])


def make_threshold(fields: Dict[str, Any]) -> Threshold:
    _make_shares(fields, "miss", "hit", "reject")
    if fields["unknown"] is not None:
        _make_shares(fields["unknown"], "unfit", "kept_out")
        fields["unknown"] = UnknownThreshold(**fields["unknown"])
    return Threshold(**fields)


@checked
def threshold(
    side: Any,
    score: Any = None,
    correct: Any = None,
    *,
    max_miss: float = _core.MAX_MISS,
    max_unknown: Optional[float] = None,
    fit: Any = None,
    next: int = 0,
    confidence: float = _core.CONFIDENCE,
    **arrays: Any,
) -> Threshold:
    """The highest threshold that misses at most max_miss of base samples, with confidence.

    max_unknown: also a threshold for unknown samples, which calls at most that share of listed ones
        unknown. It is on ``fit``, how well any listed name fits: an array, larger for a better fit;
        None is that of the predictions (those of score() have it), or the largest logit of any
        name, of the arrays or of the file.
    next: also what holds for a batch of so many samples to come.

    Needs samples that were not used for tuning, drawn independently like those to come.
    """
    if max_unknown is not None and fit is None:
        fit = _fit(side, arrays.get("base_logits"), arrays.get("new_logits"))
    predictions = as_predictions("threshold", side, score, correct, **arrays)
    return make_threshold(
        _core.guarantee_threshold(predictions, max_miss, confidence, max_unknown, fit, next)
    )


def _fit(side: Any, base_logits: Any, new_logits: Any) -> Any:
    if isinstance(side, _core.Predictions):
        if side.fit is not None:
            return side.fit
        if side.path:
            return _core.load_fit(side.path)
    if base_logits is None:
        raise ValueError(
            "[threshold] max_unknown needs fit, how well any listed name fits; expected fit, or "
            "base_logits and new_logits"
        )
    return _core.name_fit(base_logits, new_logits)


@dataclass(frozen=True)
class ClassAccuracy:
    """The accuracy of one class, with a Wilson interval."""

    side: str
    label: int
    right: int
    total: int
    accuracy: float
    interval: Optional[Interval]


@checked
def per_class(
    side: Any,
    score: Any = None,
    correct: Any = None,
    *,
    level: float = 0.95,
    **arrays: Any,
) -> List[ClassAccuracy]:
    """Accuracy class by class, base classes first; needs label."""
    predictions = as_predictions("per_class", side, score, correct, **arrays)
    rows = _core.per_class(predictions, level)
    for row in rows:
        row["interval"] = make_interval(row["interval"])
    return [ClassAccuracy(**row) for row in rows]
