"""How many test samples and seeds an interval needs, from a pilot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _core
from ._compare import Comparable, as_comparable
from ._keywords import checked


@dataclass(frozen=True)
class Study:
    """A test set of ``base`` and ``open`` samples, ``seeds`` models, and the interval they give.

    ``open`` counts the new (or unknown) samples; 0 for a side that the metric does not read.
    ``range`` is what the pilot leaves open about ``half_width``.
    """

    base: int
    open: int
    seeds: int
    half_width: float
    range: Tuple[float, float]


@dataclass(frozen=True)
class Components:
    """Variances: of one sample of a side as all seeds share it, of a seed's own, and over seeds.

    ``seed`` is the variance over seeds on unlimited samples, ``between_seeds`` that on the pilot's;
    None for a pilot of one seed. ``pairs`` is divided by the product of both numbers of samples.
    """

    base: float
    open: float
    base_own: float
    open_own: float
    pairs: float
    seed: Optional[float]
    between_seeds: Optional[float]


@dataclass(frozen=True)
class SampleSize:
    """What the pilot has, and what the interval asked for needs.

    ``cheapest`` has the fewest samples in all, None where a side is fixed or not read.
    ``by_seeds`` are the plan's samples with other numbers of seeds.
    """

    metric: str
    open: str
    value: float
    level: float
    components: Components
    pilot: Study
    plan: Study
    cheapest: Optional[Study]
    by_seeds: List[Study]


@checked
def samplesize(
    pilot: Union[Comparable, Sequence[Comparable]],
    *,
    half_width: float,
    metric: str = "openworld_auc",
    level: float = 0.95,
    ratio: Optional[float] = None,
    base: Optional[int] = None,
    new: Optional[int] = None,
    seeds: Optional[int] = None,
    ties: Optional[str] = None,
    open: Union[str, int, None] = None,
) -> SampleSize:
    """The test samples, and seeds, for an interval of `metric` of this half-width.

    pilot: Predictions, a path, or a dict of the arrays that evaluate() takes; or a list of them,
    one per seed of a method, on the same samples. `base`, `new` (the number of new or unknown
    samples) and `seeds` fix what they name; `ratio` is new samples per base sample. By default
    ratio and seeds are the pilot's.
    """
    for name, count in (("base", base), ("new", new), ("seeds", seeds)):
        if count is not None and count < 0:
            raise ValueError(f"[samplesize] {name} is {count}; expected 1 or more")
    alone = isinstance(pilot, (str, Mapping, _core.Predictions)) or hasattr(pilot, "__fspath__")
    given: Sequence[Any] = [pilot] if alone else list(pilot)  # type: ignore[arg-type]
    if not given:
        raise ValueError("[samplesize] no pilot; expected predictions of one seed or more")
    needs_correct = _core.needs_correct(metric)
    runs = [as_comparable("samplesize", run, needs_correct) for run in given]
    fields = _core.samplesize(
        runs, metric, half_width, level, ratio, base, new, seeds, ties, open
    )
    fields["components"] = Components(**fields["components"])
    for name in ("pilot", "plan", "cheapest"):
        fields[name] = None if fields[name] is None else Study(**fields[name])
    fields["by_seeds"] = [Study(**study) for study in fields["by_seeds"]]
    return SampleSize(**fields)
