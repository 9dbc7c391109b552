"""Progress of long calls: one line of text that rewrites itself."""

from __future__ import annotations

import shutil
import sys
import time
import warnings
from types import TracebackType
from typing import Any, Callable, Iterable, Optional, Type, Union

# Called with what is done, how much of it, of how much, and a note.
ProgressCallback = Callable[[str, int, int, str], Any]
Progress = Union[bool, ProgressCallback, None]

BAR = 20


def in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Reporter:
    """What openworld._models calls while it works.

    progress: None shows a bar in a terminal and in a notebook, True always, False never; a function
    is called instead. said: lines that are no news as warnings.
    """

    def __init__(self, progress: Progress, said: Iterable[str] = ()) -> None:
        self._said = set(said)
        self._call = progress if callable(progress) else None
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        automatic = self._terminal or in_notebook()
        self._shown = automatic if progress is None else self._call is None and bool(progress)
        self._what = ""
        self._start = 0.0
        self._width = 0

    def update(self, what: str, done: int, total: int, note: str) -> None:
        if self._call is not None:
            self._call(what, done, total, note)
        if not self._shown:
            return
        now = time.monotonic()
        if what != self._what:
            self.close()
            self._what, self._start = what, now
        left = (now - self._start) * (total - done) / done if done else 0.0
        filled = BAR * done // total if total else BAR
        line = f"{what} [{'#' * filled:{BAR}}] {done}/{total}  {left:.0f} s left  {note}".rstrip()
        if self._terminal:
            line = line[: shutil.get_terminal_size().columns - 1]
        # Spaces over what is left of the last line: a notebook knows no other way to clear it.
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def warn(self, line: str) -> None:
        if line in self._said:
            return
        self._said.add(line)
        self.close()
        warnings.warn(line, RuntimeWarning, stacklevel=4)

    def tell(self, line: str) -> None:
        import logging

        logging.getLogger("openworld").info(line)

    def close(self) -> None:
        """Ends the line: a terminal's is cleared, a notebook keeps it."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r" if self._terminal else "\n")
            sys.stderr.flush()
        self._what, self._width = "", 0

    def __enter__(self) -> Reporter:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()
