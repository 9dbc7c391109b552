"""Fixtures for the parity tests, and the summary of the measured errors."""

import shutil
import sys
from pathlib import Path

import pytest

for folder in ("checkpoints", "cli"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))
pytest.register_assert_rewrite("command", "compare")

import compare  # noqa: E402
import models  # noqa: E402
from pictures import write_pictures  # noqa: E402


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    return write_pictures(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="session")
def small_merges(tmp_path_factory):
    path = tmp_path_factory.mktemp("vocabulary") / "merges.txt"
    path.write_text("#version: 0.2\n" + "".join(f"{merge}\n" for merge in models.MERGES))
    return path


@pytest.fixture
def scratch(tmp_path):
    """A folder that is gone after the test, also after one that failed: models take 600 MB."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def pytest_terminal_summary(terminalreporter):
    if compare.errors:
        terminalreporter.section(f"largest difference / largest value, at most {compare.LIMIT:g}")
        for case, error in compare.errors:
            terminalreporter.write_line(f"{error:.2e}  {case}")
