"""Series of results: robustness curves, ranks over settings, seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._keywords import checked
from ._results import Interval, make_interval


@dataclass(frozen=True)
class Drc:
    """Metrics of a dynamic robustness curve; pa and na need the zero-shot curve, ea a density.

    ``rcc`` is None for a curve that is the same at every level.
    """

    acc0: Optional[float]
    auc: float
    wa: float
    evm: float
    vs: float
    pa: Optional[float]
    na: Optional[float]
    rcc: Optional[float]
    ea: Optional[float]


@checked
def drc(
    levels: Sequence[float],
    accuracies: Sequence[float],
    zero_shot: Optional[Sequence[float]] = None,
    *,
    density: Optional[Sequence[Tuple[float, float]]] = None,
) -> Drc:
    """Acc(0), AUC, WA, EVM, VS, RCC and, against a zero-shot curve, PA and NA of a curve.

    density: of t for EA, the expected accuracy, as points (t, weight) that are joined by lines. It
    is 0 outside them and need not integrate to 1.
    """
    return Drc(**_core.drc(levels, accuracies, zero_shot, density))


@dataclass(frozen=True)
class Friedman:
    """Average ranks (1 = best), Friedman's and Iman and Davenport's tests, and Nemenyi's.

    Two methods differ at level alpha when their average ranks differ by ``critical_distance`` or
    more. ``groups`` are the largest sets of methods of which no pair does, as column numbers.
    ``why`` says why the tests are None.
    """

    blocks: int
    average_ranks: List[float]
    final_ranks: List[float]
    chi_squared: Optional[float]
    p_value: Optional[float]
    f: Optional[float]
    f_p_value: Optional[float]
    why: str
    alpha: float
    critical_distance: float
    pairwise_p_values: npt.NDArray[np.float64]
    groups: List[List[int]]


@checked
def friedman(table: Any, *, higher_is_better: bool = True, alpha: float = 0.05) -> Friedman:
    """Which of the methods (columns) is best over the blocks (rows) of a table of results."""
    return Friedman(**_core.friedman(table, higher_is_better, alpha))


@dataclass(frozen=True)
class SeedSummary:
    """Mean over seeds, sample deviation (n - 1) and Student's interval; None for one seed."""

    seeds: int
    mean: float
    sd: Optional[float]
    standard_error: Optional[float]
    interval: Optional[Interval]
    why: str


@checked
def aggregate_seeds(values: Sequence[float], *, level: float = 0.95) -> SeedSummary:
    """Summarises one metric over repetitions with different seeds."""
    fields = _core.summarize_seeds(values, level)
    fields["interval"] = make_interval(fields["interval"])
    return SeedSummary(**fields)
