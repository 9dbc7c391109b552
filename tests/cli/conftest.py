"""What every test of the command can use."""

import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("command")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checkpoints"))

from command import succeed  # noqa: E402
from data import compact, write_npz  # noqa: E402
from make_clip import write_hugging_face  # noqa: E402


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """The folder that `openworld example` writes, and a checkpoint in it."""
    folder = tmp_path_factory.mktemp("examples")
    succeed("example", folder)
    write_hugging_face(folder / "clip")
    return folder


@pytest.fixture(scope="session")
def good(tmp_path_factory):
    """A prediction file that nothing is wrong with, for tests of flags."""
    return write_npz(tmp_path_factory.mktemp("good") / "good.npz", compact())


@pytest.fixture
def folder(tmp_path_factory):
    """An empty folder. Unlike tmp_path it does not bear the name of the test, in which a fragment
    that a message has to say could be found by accident."""
    return tmp_path_factory.mktemp("d")
