"""Keywords: which ones there are, and their values as the library takes them."""

from __future__ import annotations

import functools
import inspect
import json
import numbers
import os
import textwrap
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple, TypeVar, Union, cast

from . import _core

OptionValue = Union[bool, int, float, str]
Path = Union[str, "os.PathLike[str]"]
Keywords = List[Tuple[str, OptionValue]]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """An option of a job or a learner: its name, default, what is expected, and its help."""

    name: str
    default: OptionValue
    expected: str
    help: str

    def __str__(self) -> str:
        name = self.name + "_" if self.name == "lambda" else self.name
        return f"{name}: {self.help}; {self.expected} [{self.default!r}]"


def make_options(rows: Iterable[Mapping[str, Any]]) -> Dict[str, Option]:
    return {row["name"]: Option(**row) for row in rows}


# Of load_model, tune and zeroshot, by the name of the function.
REQUEST_OPTIONS: Dict[str, Dict[str, Option]] = {
    function: make_options(rows) for function, rows in json.loads(_core.request_options()).items()
}

# What evaluate() and functions that pass options on to it take.
EVAL_OPTIONS = (
    "ties", "open", "ci", "bootstrap", "level", "resamples", "seed", "threads", "threshold", "grid"
)  # fmt: skip


# What Predictions and functions that pass arrays on to it take.
ARRAYS = (
    "side", "score", "correct", "base_logits", "new_logits", "label", "overall_correct", "predicted",
    "base_classes", "new_classes", "classes", "meta"
)  # fmt: skip


def list_options(options: Iterable[Option]) -> str:
    """A paragraph for each, for docstrings."""
    wrap = functools.partial(textwrap.wrap, width=96, subsequent_indent="        ")
    return "\n".join("\n".join(wrap(f"    {option}")) for option in options)


def check_names(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """ValueError, which suggests the nearest name, for the first that is not known."""
    names = list(known)
    for name in given:
        if name not in names:
            _core.refuse_keyword(function, name, names)


# By the name of a function's ** parameter: the keywords that it stands for.
_PASSED_ON = {"arrays": ARRAYS, "options": EVAL_OPTIONS}


def checked(function: F) -> F:
    """The function, with check_names for its keywords instead of Python's own message.

    Of a function with ``**arrays`` or ``**options``, also for those that it passes on.
    """
    parameters = inspect.signature(function).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = [p.name for p in parameters if p.kind in kinds and p.name != "self"]
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            known += [name for name in _PASSED_ON[parameter.name] if name not in known]

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        check_names(function.__name__, keywords, known)
        return function(*args, **keywords)

    return cast(F, call)


def eval_options(function: str, options: Mapping[str, Any]) -> _core.Options:
    check_names(function, options, EVAL_OPTIONS)
    return _core.Options(function, **options)


def to_path(path: Path, function: str, name: str) -> str:
    """A path as text; ValueError for anything else."""
    try:
        text = os.fspath(path)
    except TypeError:
        text = b""  # type: ignore[assignment]
    if not isinstance(text, str):
        raise ValueError(f"[{function}] {name} is {path!r}; expected a path or a name")
    return text


def to_value(name: str, value: Any, function: str) -> OptionValue:
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral) and -(2**63) <= int(value) < 2**63:
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        return float(value)
    if isinstance(value, os.PathLike):
        return to_path(value, function, name)
    if type(value).__name__ == "bool_":  # NumPy's
        return bool(value)
    raise ValueError(
        f"[{function}] option {name} is {value!r}; expected a truth value, a number or text"
    )


def to_keywords(options: Mapping[str, Any], function: str) -> Keywords:
    """Names and values; None is the default, and lambda_ stands for lambda."""
    return [
        (name[:-1] if name == "lambda_" else name, to_value(name, value, function))
        for name, value in options.items()
        if value is not None
    ]
