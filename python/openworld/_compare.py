"""Two models on the same samples."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Sequence, Union

from . import _core
from ._core import Predictions
from ._evaluate import Names, as_names, as_predictions, load
from ._keywords import eval_options
from ._results import Interval, make_interval


@dataclass(frozen=True)
class ComparedMetric:
    """Metric of b minus metric of a, with a paired test; ``why`` says what is missing and why.

    ``p_adjusted`` is Holm's, over the metrics of the comparison; ``open`` is the side compared with
    base, "new" or "unknown", or None.
    """

    name: str
    a: Optional[float]
    b: Optional[float]
    difference: Optional[float]
    interval: Optional[Interval]
    p_value: Optional[float]
    p_adjusted: Optional[float]
    test: str
    why: str
    higher_is_better: bool
    open: Optional[str]


class Comparison(Mapping[str, ComparedMetric]):
    """Compared metrics by name, in the order of the request."""

    def __init__(self, metrics: Sequence[ComparedMetric]) -> None:
        self._metrics = {metric.name: metric for metric in metrics}

    def __getitem__(self, name: str) -> ComparedMetric:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __repr__(self) -> str:
        width = max(map(len, self._metrics))
        lines = ["Comparison, b - a"]
        for m in self._metrics.values():
            if m.a is None or m.b is None or m.difference is None:
                lines.append(f"  {m.name:{width}}  -  {m.why}")
                continue
            line = f"  {m.name:{width}}  {m.a:.4f} -> {m.b:.4f}  {m.difference:+.4f}"
            if m.interval is not None:
                line += f"  [{m.interval.low:+.4f}, {m.interval.high:+.4f}]"
            if m.p_value is not None:
                line += f"  p = {m.p_value:.3g} ({m.test})"
            lines.append(line if m.p_value is not None else f"{line}  {m.why}".rstrip())
        return "\n".join(lines + self._sides())

    def _sides(self) -> List[str]:
        """Which metrics are of which side, where they are not all of one."""
        parts = []
        for side in ("new", "unknown"):
            names = [m.name for m in self._metrics.values() if m.open == side]
            if names:
                parts.append(f"base against {side} samples: {', '.join(names)}")
        return [f"- {'; '.join(parts)}"] if len(parts) > 1 else []


Comparable = Union[Predictions, str, "os.PathLike[str]", Mapping[str, Any]]


def as_comparable(function: str, predictions: Comparable, needs_correct: bool) -> Predictions:
    """Predictions from any form that compare() takes."""
    if isinstance(predictions, Predictions):
        return predictions
    if isinstance(predictions, Mapping):
        arrays = dict(predictions)
        side = arrays.pop("side", None)
        return as_predictions(function, side, needs_correct=needs_correct, **arrays)
    return load(predictions)


def compare(
    a: Comparable, b: Comparable, *, metrics: Names = "standard", **options: Any
) -> Comparison:
    """Is b better than a on the same samples? Paired tests: DeLong, McNemar or bootstrap by metric.

    a, b: Predictions, paths, or dicts of the arrays that evaluate() takes. They must have the same
    sides, row by row. options as for evaluate(); ci="bootstrap" tests every metric by resampling.
    """
    names = as_names(metrics)
    chosen = eval_options("compare", options)
    needs_correct = _core.needs_correct(names)
    rows = _core.compare(
        as_comparable("compare", a, needs_correct),
        as_comparable("compare", b, needs_correct),
        names,
        chosen,
    )
    tested = [row["p_value"] for row in rows if row["p_value"] is not None]
    adjusted = iter(_core.holm_adjust(tested) if tested else [])
    metrics_ = []
    for row in rows:
        row["interval"] = make_interval(row["interval"])
        row["p_adjusted"] = None if row["p_value"] is None else next(adjusted)
        metrics_.append(ComparedMetric(**row))
    return Comparison(metrics_)
