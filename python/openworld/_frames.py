"""Tables as pandas has them, where it is installed."""

from __future__ import annotations

import importlib
from typing import Any, Mapping, Sequence


def to_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A pandas DataFrame; ImportError where pandas is missing."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise ImportError("to_frame() needs pandas, which is not installed") from None
    return pandas.DataFrame(rows)
