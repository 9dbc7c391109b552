"""Writes the type stub of openworld.metrics, whose functions are made when it is imported.

    PYTHONPATH=<build>/python python3 python/make_stubs.py          # rewrites metrics.pyi
    PYTHONPATH=<build>/python python3 python/make_stubs.py --check  # exits 1 if it is out of date
"""

import inspect
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUB = HERE / "openworld" / "metrics.pyi"

# The package beside this script has no extension; the one on PYTHONPATH has.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != HERE]
from openworld import metrics  # noqa: E402

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


def stub() -> str:
    body = "".join(function_stub(row) for row in metrics.table())
    return (HEADER + row_stub() + body).rstrip("\n") + "\n"


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        if STUB.read_text() == stub():
            return 0
        print(f"{STUB} is out of date; run python/make_stubs.py", file=sys.stderr)
        return 1
    STUB.write_text(stub())
    return 0


if __name__ == "__main__":
    sys.exit(main())
