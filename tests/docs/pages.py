"""The pages of the docs, and what is fenced in them."""

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ["OPENWORLD_BIN"]).resolve()
HAS_MODELS = (BIN.parents[1] / "lib" / "openworld" / "libopenworld_models.so").exists()
needs_models = pytest.mark.skipif(not HAS_MODELS, reason="a build without libtorch")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md")) + sorted((ROOT / "data").rglob("*.md"))


class Block(NamedTuple):
    language: str
    file: str  # "NAME" of ```python file=NAME, or ""
    text: str
    line: int


def blocks_of(page):
    """The fenced blocks of a page, in order."""
    text = page.read_text()
    fence = re.compile(r"^```(\w*)(?: file=(\S+))?\n(.*?)^```$", re.M | re.S)
    return [Block(match[1], match[2] or "", match[3], text.count("\n", 0, match.start()) + 1)
            for match in fence.finditer(text)]
