"""What an evaluation returns: metrics by name, each with its interval or the reason it has none."""

from __future__ import annotations

import html
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import _core
from ._frames import to_frame


@dataclass(frozen=True)
class Interval:
    """A confidence interval. Unpacks as ``low, high``."""

    low: float
    high: float
    level: float
    method: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def make_interval(bounds: Optional[Tuple[float, float, float, str]]) -> Optional[Interval]:
    return None if bounds is None else Interval(*bounds)


@dataclass(frozen=True)
class MeasuredValue:
    """A metric with its interval.

    ``value`` is a fraction in [0, 1], or None where the metric is undefined; ``why`` then says why,
    and ``float(metric)`` raises ValueError. ``no_interval`` says why there is no interval where one
    was asked for.
    """

    name: str
    value: Optional[float]
    why: str
    interval: Optional[Interval]
    no_interval: str

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"[{self.name}] undefined: {self.why}")
        return self.value


@dataclass(frozen=True)
class Metric(MeasuredValue):
    """One metric of an evaluation; its value is a number of samples where ``is_count``."""

    title: str
    threshold: Optional[float]
    open: Optional[str]
    ties: Optional[str]
    higher_is_better: bool
    is_count: bool

    def _cells(self) -> Tuple[str, str, str]:
        """Name, value and interval or reason, as they are printed."""
        if self.value is None:
            return self.name, "-", self.why
        digits = 0 if self.is_count else 4
        rest = self.no_interval
        if self.interval is not None:
            low, high = self.interval
            rest = f"[{low:.{digits}f}, {high:.{digits}f}] {self.interval.method}"
        return self.name, f"{self.value:.{digits}f}", rest


class Evaluation(Mapping[str, Metric]):
    """Metrics by name, in the order of the request: ``evaluation["auroc"].value``.

    ``counts`` has the numbers of base, new and unknown samples and of those with tied scores, and
    ``notes`` what one should know beside the numbers: which metrics compare base with new samples
    and which with unknown ones, that the score may be reversed, that answers are ties.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.counts: Dict[str, int] = dict(raw["counts"])
        self.notes: List[str] = list(raw["notes"])
        self._json: str = raw["json"]
        self._metrics: Dict[str, Metric] = {}
        for fields in raw["metrics"]:
            fields["interval"] = make_interval(fields["interval"])
            metric = Metric(**fields)
            self._metrics[metric.name] = metric

    def __getitem__(self, name: str) -> Metric:
        try:
            return self._metrics[name]
        except KeyError:
            known = ", ".join(self._metrics)
            raise KeyError(f"no metric {name!r} in this evaluation; it has {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def values_dict(self) -> Dict[str, Optional[float]]:
        """Plain numbers by name, None where undefined: a row for a table of results."""
        return {name: metric.value for name, metric in self._metrics.items()}

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row a metric: metric, value, why, low, high, method."""
        rows: List[Dict[str, Any]] = []
        for name, metric in self._metrics.items():
            row: Dict[str, Any] = {"metric": name, "value": metric.value, "why": metric.why}
            for field in ("low", "high", "method"):
                row[field] = getattr(metric.interval, field, None)
            rows.append(row)
        return to_frame(rows)

    def _table(self) -> Tuple[List[str], List[List[str]]]:
        """Header and rows of the table that ``openworld eval`` prints, in percent."""
        levels = {m.interval.level for m in self._metrics.values() if m.interval is not None}
        level = f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"
        rows = []
        for metric in self._metrics.values():
            scale, digits = (1, 0) if metric.is_count else (100, 2)
            value = "-" if metric.value is None else f"{metric.value * scale:.{digits}f}"
            bounds = ""
            if metric.interval is not None:
                low, high = (f"{bound * scale:.{digits}f}" for bound in metric.interval)
                bounds = f"[{low}, {high}]"
            rows.append([metric.title, value, bounds])
        return ["metric", "%", level], rows

    def to_latex(self) -> str:
        """A tabular of the metrics in percent with their intervals; it needs the package booktabs."""
        return _core.format_table(*self._table(), "latex")

    def plot(self, ax: Any = None) -> Any:
        """Draws the values with their intervals, a line a metric; returns matplotlib's Axes.

        ax: Axes to draw on, by default new ones. Counts and undefined metrics are left out.
        """
        try:
            pyplot = importlib.import_module("matplotlib.pyplot")
        except ImportError:
            raise ImportError("plot() needs matplotlib, which is not installed") from None
        shown = [m for m in self._metrics.values() if m.value is not None and not m.is_count]
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6, 0.6 + 0.3 * len(shown)), layout="constrained")
        for row, metric in enumerate(shown):
            value = 100 * float(metric)
            bounds = metric.interval or Interval(float(metric), float(metric), 0, "")
            reach = [[value - 100 * bounds.low], [100 * bounds.high - value]]
            ax.errorbar([value], [row], xerr=reach, fmt="o", color="black", capsize=3)
        ax.set_yticks(range(len(shown)), [metric.title for metric in shown])
        ax.invert_yaxis()
        ax.set_xlabel("%")
        return ax

    def to_json(self) -> str:
        """The result as ``openworld eval --json`` writes it, without its record of the run."""
        return self._json

    def to_dict(self) -> Dict[str, Any]:
        """The result JSON, parsed."""
        result: Dict[str, Any] = json.loads(self._json)
        return result

    def _heading(self) -> str:
        c = self.counts
        return f"{c['base']} base, {c['new']} new, {c['unknown']} unknown; {c['tied']} tied"

    def _rows(self) -> List[Tuple[str, str, str]]:
        return [metric._cells() for metric in self._metrics.values()]

    def __repr__(self) -> str:
        rows = self._rows()
        name_width = max(len(row[0]) for row in rows)
        value_width = max(len(row[1]) for row in rows)
        lines = [f"Evaluation of {self._heading()}"]
        for name, value, rest in rows:
            lines.append(f"  {name:{name_width}}  {value:>{value_width}}  {rest}".rstrip())
        return "\n".join(lines + [f"- {note}" for note in self.notes])

    def _repr_html_(self) -> str:
        head = "<tr><th>metric</th><th>value</th><th>interval</th></tr>"
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<p>{html.escape(self._heading())}</p><table>{head}{body}</table>{notes}"
