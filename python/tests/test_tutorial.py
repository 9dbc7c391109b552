"""docs/tutorial.md, block by block: every block runs, and prints what the page says."""

import contextlib
import io
import re
import subprocess
from pathlib import Path

import pytest
from models import needs_models

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
INSTALL = "pip install ."
NUMBER = re.compile(r"[-+]?\d+\.\d+")


def blocks():
    """(language, text) of every fenced block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL.read_text(), re.M | re.S)


def same(printed, expected):
    """Words and counts are equal; decimals, which may depend on the processor, nearly."""
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in (printed, expected)]
    words = [NUMBER.sub("#", text).split() for text in (printed, expected)]
    return words[0] == words[1] and numbers[0] == pytest.approx(numbers[1], abs=0.1)


def run_python(code, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(TUTORIAL), "exec"), names)
    return out.getvalue()


def run_shell(code, folder):
    done = subprocess.run(["bash", "-euc", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{code}\n{done.stderr}"
    return done.stdout


def test_it_starts_with_the_installation():
    language, text = blocks()[0]
    assert language == "sh" and INSTALL in text.splitlines()
    assert sum(INSTALL in text for _, text in blocks()) == 1


@needs_models
def test_every_block(tmp_path, monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names, printed, compared = {"__name__": "tutorial"}, None, 0
    for language, text in blocks()[1:]:  # the build stands in for what the first installs
        if language == "python":
            printed = run_python(text, names)
        elif language == "sh":
            printed = run_shell(text, tmp_path)
        else:
            assert language == "text"
            assert same(printed, text), f"printed:\n{printed}\nthe page says:\n{text}"
            printed, compared = "", compared + 1
    assert compared >= 5


def test_comparison_of_outputs():
    assert same("hm 0.51, 3 runs\n", "hm 0.56, 3 runs")
    assert not same("hm 0.51, 3 runs", "hm 0.71, 3 runs")
    assert not same("hm 0.51, 3 runs", "hm 0.51, 4 runs")
    assert not same("hm 0.51", "auroc 0.51")
