"""The examples in docs/python.md and in docstrings print what they say."""

import doctest
import re
from pathlib import Path

import openworld
import pytest
from models import HAS_MODELS, needs_models

DOCS = Path(__file__).resolve().parents[2] / "docs" / "python.md"
MODELS = "## Models"  # the section that needs libtorch


def run(text, name):
    text = re.sub(r"^```.*$", "", text, flags=re.M)  # a fence is not output
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(DOCS), 0)
    report = []
    failed = doctest.DocTestRunner().run(test, out=report.append).failed
    assert failed == 0, "".join(report)
    return len(test.examples)


def sections():
    """The page without the section of models, and that section."""
    before, rest = DOCS.read_text().split(f"\n{MODELS}\n")
    models, after = rest.split("\n## ", 1)
    return before + "\n## " + after, models


def test_the_tour(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(sections()[0], "python.md") > 30


@needs_models
def test_the_tour_of_models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    imports = ">>> import numpy as np\n>>> import openworld\n\n"  # of the page's first block
    assert run(imports + sections()[1], "python.md, models") > 10


@pytest.mark.parametrize("name", openworld.__all__)
def test_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = getattr(openworld, name)
    text = found.__doc__ if not isinstance(found, str) else ""
    if "load_model" in text and not HAS_MODELS:
        pytest.skip("built without models")
    run(text, name)
