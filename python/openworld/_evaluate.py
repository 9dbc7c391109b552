"""evaluate() and functions with the same arguments."""

from __future__ import annotations

import functools
import os
from typing import Any, Iterable, Optional, Union

from . import _core
from ._core import Predictions
from ._keywords import ARRAYS, check_names, checked, eval_options
from ._results import Evaluation

Names = Union[str, Iterable[str]]

_init = Predictions.__init__


@functools.wraps(_init)
def _checked_init(self: Predictions, *args: Any, **keywords: Any) -> None:
    """The constructor, with one line for a wrong call instead of the binding's signature."""
    check_names("Predictions", keywords, (*ARRAYS, "_function", "_needs_correct"))
    if len(args) > 3:
        raise ValueError(
            f"[Predictions] got {len(args)} arrays by position; expected side, score and correct, and "
            "others by name"
        )
    _init(self, *args, **keywords)


setattr(Predictions, "__init__", _checked_init)


def as_predictions(
    function: str,
    side: Any,
    score: Any = None,
    correct: Any = None,
    *,
    needs_correct: bool = True,
    **arrays: Any,
) -> Predictions:
    """`side` itself if it already is Predictions, else the Predictions of these arrays."""
    if not isinstance(side, Predictions):
        return Predictions(
            side, score, correct, _function=function, _needs_correct=needs_correct, **arrays
        )
    given = {"score": score, "correct": correct, **arrays}
    extra = [name for name, value in given.items() if value is not None]
    if extra:
        raise ValueError(f"[{function}] got Predictions and {extra[0]}; expected one or the other")
    return side


def as_names(metrics: Names) -> Names:
    """Names that can be read twice."""
    return metrics if isinstance(metrics, str) else list(metrics)


@checked
def evaluate(
    side: Any = None,
    score: Any = None,
    correct: Any = None,
    *,
    base_logits: Any = None,
    new_logits: Any = None,
    label: Any = None,
    overall_correct: Any = None,
    predicted: Any = None,
    base_classes: Optional[int] = None,
    new_classes: Optional[int] = None,
    metrics: Names = "standard",
    ties: Optional[str] = None,
    open: Union[str, int, None] = None,
    ci: Optional[str] = "delong",
    bootstrap: str = "bca",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    threads: int = 0,
    threshold: Optional[float] = None,
    grid: bool = False,
) -> Evaluation:
    """Metrics with intervals, from one sort of the scores.

    side: 0 for base samples, 1 for new ones, -1 for unknown ones; or a Predictions object.
    score: larger means more base-like. Never transformed: logits of any size are fine.
    correct: whether the classifier was right (g for base samples, h for new ones). May be
        left out when no metric asked for reads it.
    base_logits, new_logits, label: what is missing of score, correct, overall_correct and predicted
        is derived from them, as for files: score is the largest base probability over all names.
    metrics: names, "standard" or "all"; openworld.metrics lists them.
    ties: "half" or "strict" for every metric; None is each metric's own definition.
    open: the side against base, "new" or "unknown"; None is each metric's own rule.
    ci: "delong" (closed forms, nearly free), "bootstrap" (every metric) or None.
    bootstrap, resamples, seed, level, threads: the same bits for any number of threads.
    threshold, grid: the operating points of the open-set metrics; None is the best threshold.

    Metrics that the arrays cannot support are undefined in the result, with the reason. Wrong
    arguments raise ValueError. The GIL is released while it computes, and contiguous arrays of
    int8 (side), float32 or float64 (score) and bool (correct) are not copied.
    """
    names = as_names(metrics)
    options = _core.Options(
        "evaluate",
        ties=ties,
        open=open,
        ci=ci,
        bootstrap=bootstrap,
        level=level,
        resamples=resamples,
        seed=seed,
        threads=threads,
        threshold=threshold,
        grid=grid,
    )
    predictions = as_predictions(
        "evaluate",
        side,
        score,
        correct,
        needs_correct=_core.needs_correct(names),
        base_logits=base_logits,
        new_logits=new_logits,
        label=label,
        overall_correct=overall_correct,
        predicted=predicted,
        base_classes=base_classes,
        new_classes=new_classes,
    )
    return Evaluation(_core.evaluate(predictions, names, options))


def evaluate_file(path: Union[str, "os.PathLike[str]"], **options: Any) -> Evaluation:
    """evaluate(load(path), **options): what ``openworld eval PATH`` does."""
    return evaluate(load(path), **options)


@checked
def load(path: Union[str, "os.PathLike[str]"]) -> Predictions:
    """Reads an .npz, a folder of .npy files or a .csv; stored arrays are mapped, not copied."""
    return _core.load_predictions(os.fspath(path))


@checked
def save(
    path: Union[str, "os.PathLike[str]"],
    side: Any,
    score: Any = None,
    correct: Any = None,
    **arrays: Any,
) -> None:
    """Writes Predictions, or the arrays that Predictions takes, as .npz or .csv, atomically."""
    _core.save_predictions(as_predictions("save", side, score, correct, **arrays), os.fspath(path))


def set_memory_limit(bytes: Optional[int]) -> None:
    """Sets the memory that the contents of one file may take; None for the default.

    By default 64 MiB and 16 times the size of the file, at most half of the machine's memory. A
    file that needs more raises ValueError before anything is allocated.
    """
    if bytes is not None and (isinstance(bytes, bool) or int(bytes) != bytes or bytes <= 0):
        raise ValueError(f"[set_memory_limit] bytes is {bytes!r}; expected a number above 0, or None")
    _core.set_memory_limit(None if bytes is None else int(bytes))


class Accumulator:
    """Outcomes that arrive in batches, or from several workers, evaluated exactly.

    Keeps 6 bytes a sample for float32 scores. Merging gives the same bits as one accumulator that
    saw every batch. Can be pickled, and used from several threads.
    """

    def __init__(self) -> None:
        self._core = _core.Accumulator()

    @checked
    def update(
        self, side: Any, score: Any = None, correct: Any = None, **arrays: Any
    ) -> Accumulator:
        """Adds a batch: the arrays that evaluate() takes. Returns itself."""
        self._core.update(side, score, correct, **arrays)
        return self

    def merge(self, *others: Accumulator) -> Accumulator:
        """Adds the samples of the others. Returns itself."""
        for other in others:
            self._core.merge(other._core)
        return self

    def reset(self) -> Accumulator:
        """Removes all samples. Returns itself."""
        self._core.reset()
        return self

    def compute(self, metrics: Names = "standard", **options: Any) -> Evaluation:
        """The evaluation of all samples so far; options as for evaluate()."""
        chosen = eval_options("compute", options)
        return Evaluation(self._core.compute(as_names(metrics), chosen))

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<openworld.Accumulator: {len(self)} samples>"
