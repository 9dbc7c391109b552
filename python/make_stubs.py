"""Writes the type stubs of what the library's tables describe: the functions of openworld.metrics, which are made
when it is imported, and those of openworld._jobs, whose keywords are the options of jobs.

    PYTHONPATH=<build>/python python3 python/make_stubs.py          # rewrites metrics.pyi and _jobs.pyi
    PYTHONPATH=<build>/python python3 python/make_stubs.py --check  # exits 1 if one is out of date
"""

import inspect
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "openworld"

# The package beside this script has no extension; the one on PYTHONPATH has.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != HERE]
from openworld import metrics  # noqa: E402
from openworld._keywords import REQUEST_OPTIONS, Option  # noqa: E402

HEADER = '''# Made by python/make_stubs.py from the table of metrics; do not edit.

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple, Union

from numpy.typing import ArrayLike

'''


def row_stub() -> str:
    lines = ["@dataclass(frozen=True)", "class Row:"]
    lines += [f"    {name}: {kind}" for name, kind in metrics.Row.__annotations__.items()]
    for name in ("function_name", "param_names"):
        kind = getattr(metrics.Row, name).fget.__annotations__["return"]
        lines += ["    @property", f"    def {name}(self) -> {kind}: ..."]
    return "\n".join(lines) + "\n\ndef table() -> List[Row]: ...\n\n"


def parameter_stub(parameter: inspect.Parameter) -> str:
    text = f"{parameter.name}: {parameter.annotation}"
    return text if parameter.default is parameter.empty else f"{text} = {parameter.default!r}"


def function_stub(row: metrics.Row) -> str:
    parameters = inspect.signature(getattr(metrics, row.function_name)).parameters.values()
    parts = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(parameter_stub(parameter))
    arguments = "".join(f"    {part},\n" for part in parts)
    aliases = "".join(
        f"{alias} = {row.function_name}\n"
        for alias in row.aliases
        if getattr(metrics, alias).__name__ == row.function_name
    )
    return f"def {row.function_name}(\n{arguments}) -> float: ...\n{aliases}\n"


def metrics_stub() -> str:
    body = "".join(function_stub(row) for row in metrics.table())
    return (HEADER + row_stub() + body).rstrip("\n") + "\n"


JOBS_HEADER = '''# Made by python/make_stubs.py from the options of jobs; do not edit.

from typing import Any, Iterable, List, Optional, Union, overload

from ._keywords import Path
from ._model import Model
from ._progress import Progress
from ._runs import Run
from ._zeroshot import ZeroShot

'''

# Text may be a path, or a number where base classes are counted.
KINDS = {str: "Union[str, int, Path]", int: "int", float: "float", bool: "bool"}


def keyword_stub(option: Option) -> str:
    return f"{option.name}: Optional[{KINDS[type(option.default)]}] = ..."


def job_stub(function: str, first: "list[str]", others: "list[str]", result: str) -> str:
    """A function with the options of the job of that name and, last, any `**` of `others`."""
    options = [keyword_stub(option) for option in REQUEST_OPTIONS[function].values()]
    rest = [other for other in others if other.startswith("**")]
    named = [other for other in others if other not in rest]
    parts = [*first, "*", *named, *options, *rest]
    return f"def {function}(\n" + "".join(f"    {p},\n" for p in parts) + f") -> {result}: ...\n"


def jobs_stub() -> str:
    model, data = "model: Union[Model, Path]", "data: Path"
    shown, of_method = "progress: Progress = ...", "**options: Any"
    seed, seeds = "seed: int = ...", "seeds: Union[str, Iterable[int]]"
    tune = ["method: str", model, data]
    return (
        JOBS_HEADER
        + job_stub("load_model", ["path: Path"], [], "Model")
        + job_stub("zeroshot", [model, data], [shown], "ZeroShot")
        + "@overload\n"
        + job_stub("tune", tune, ["out: Path", seed, "seeds: None = ...", shown, of_method], "Run")
        + "@overload\n"
        + job_stub("tune", tune, ["out: Path", seeds, seed, shown, of_method], "List[Run]")
    )


STUBS = {PACKAGE / "metrics.pyi": metrics_stub, PACKAGE / "_jobs.pyi": jobs_stub}


def main() -> int:
    old = [path for path, stub in STUBS.items() if not path.exists() or path.read_text() != stub()]
    if sys.argv[1:] == ["--check"]:
        for path in old:
            print(f"{path} is out of date; run python/make_stubs.py", file=sys.stderr)
        return 1 if old else 0
    for path in old:
        path.write_text(STUBS[path]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
