"""One function per metric, made from the rows of the library's table when this is imported.

    openworld_auc(side, score, correct) -> float
    fpr_at_tpr(side, score, tpr=0.9)    -> float

A row with parameters, such as ``fpr_at_{}tpr``, is a function without the braces, ``fpr_at_tpr``,
with a keyword for each of them, as a fraction. ``correct`` is optional where the metric does not
read it. Where a metric is undefined the function raises ValueError with the reason. ``table()``
describes all rows.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

from . import _core
from ._evaluate import as_predictions
from ._keywords import check_names

# What the text behind a parameter in a row's name is called in Python.
_SPOKEN = {"r": "recall", "p": "precision"}


@dataclass(frozen=True)
class Row:
    """A row of the table of metrics."""

    name: str
    aliases: Tuple[str, ...]
    family: str
    title: str
    brief: str
    citation: str
    higher_is_better: bool
    positive: str
    open: str
    ties: Any
    params: Tuple[float, ...]
    needs_correct: bool
    needs_overall_correct: bool
    needs_label: bool
    needs_predicted: bool
    takes_base_classes: bool
    takes_threshold: bool
    standard: bool
    is_count: bool

    @property
    def function_name(self) -> str:
        return self.name.replace("{}", "")

    @property
    def param_names(self) -> Tuple[str, ...]:
        words = re.findall(r"\{\}([a-z]+)", self.name)
        return tuple(_SPOKEN.get(word, word) for word in words)


def table() -> List[Row]:
    """Every row, in the order in which they are listed."""
    rows = []
    for fields in _core.metric_table():
        aliases = tuple(filter(None, fields.pop("aliases").split(",")))
        rows.append(Row(aliases=aliases, params=tuple(fields.pop("params")), **fields))
    return rows


def _signature(row: Row) -> inspect.Signature:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    required = inspect.Parameter.empty

    def parameter(name: str, kind: Any, default: Any, annotation: str) -> inspect.Parameter:
        return inspect.Parameter(name, kind, default=default, annotation=annotation)

    def keyword(name: str, default: Any, annotation: str) -> inspect.Parameter:
        return parameter(name, inspect.Parameter.KEYWORD_ONLY, default, annotation)

    parameters = [
        parameter("side", positional, required, "ArrayLike"),
        parameter("score", positional, required, "ArrayLike"),
        parameter("correct", positional, required, "ArrayLike")
        if row.needs_correct
        else parameter("correct", positional, None, "Optional[ArrayLike]"),
    ]
    for name, default in zip(row.param_names, row.params):
        parameters.append(keyword(name, default, "float"))
    if row.needs_overall_correct:
        parameters.append(keyword("overall_correct", required, "ArrayLike"))
    if row.needs_label:
        parameters.append(keyword("label", required, "ArrayLike"))
    if row.needs_predicted:
        parameters.append(keyword("predicted", required, "ArrayLike"))
    if row.takes_base_classes:
        parameters.append(keyword("base_classes", required, "int"))
    if row.ties is not None:
        parameters.append(keyword("ties", None, "Optional[str]"))
    if row.open in ("new_first", "unknown_first"):
        parameters.append(keyword("open", None, "Union[str, int, None]"))
    if row.takes_threshold:
        parameters.append(keyword("threshold", None, "Optional[float]"))
        parameters.append(keyword("grid", False, "bool"))
    return inspect.Signature(parameters, return_annotation="float")


_OPEN_RULES = {
    "new": "The open side is new.",
    "new_first": "The open side is new where there are new samples, else unknown.",
    "unknown_first": "The open side is unknown where there are unknown samples, else new.",
}


def _docstring(row: Row) -> str:
    lines = [f"{row.title}: {row.brief}.", ""]
    facts = ["Higher is better." if row.higher_is_better else "Lower is better."]
    if row.open in _OPEN_RULES:
        facts.append(_OPEN_RULES[row.open])
    if row.positive != "none":
        facts.append(f"Positive: {row.positive} samples.")
    if row.ties is not None:
        facts.append(f"Ties: {row.ties}.")
    for name, default in zip(row.param_names, row.params):
        facts.append(f"{name} is a fraction, by default {default:g}.")
    lines += textwrap.wrap(" ".join(facts), 92)
    return "\n".join(lines + ["", f"{row.citation}.", ""])


def _check_fraction(function: str, name: str, value: Any) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"[{function}] {name} is {value}; expected a fraction from 0 to 1")
    return float(value)


def _make_function(row: Row) -> Callable[..., float]:
    signature = _signature(row)
    function_name = row.function_name
    settings = [n for n in ("ties", "open", "threshold", "grid") if n in signature.parameters]
    arrays = ("label", "overall_correct", "predicted", "base_classes")
    extras = [n for n in arrays if n in signature.parameters]

    def function(*args: Any, **kwargs: Any) -> float:
        check_names(function_name, kwargs, signature.parameters)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        params = [_check_fraction(function_name, n, given[n]) for n in row.param_names]
        predictions = as_predictions(
            function_name,
            given["side"],
            given["score"],
            given["correct"],
            needs_correct=row.needs_correct,
            **{name: given[name] for name in extras},
        )
        chosen = {name: given[name] for name in settings}
        return _core.metric(predictions, row.name, params, **chosen)

    function.__name__ = function.__qualname__ = function_name
    function.__module__ = __name__
    function.__doc__ = _docstring(row)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _make_functions() -> Dict[str, Callable[..., float]]:
    functions: Dict[str, Callable[..., float]] = {}
    for row in table():
        function = functions[row.function_name] = _make_function(row)
        for alias in row.aliases:
            functions.setdefault(alias, function)
    return functions


_functions = _make_functions()
globals().update(_functions)
__all__ = ["Row", "table", *_functions]
