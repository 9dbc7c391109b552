"""What every test of the command can use."""

import os
import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("command")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checkpoints"))

from command import succeed  # noqa: E402
from data import compact, write_npz  # noqa: E402
from make_clip import write_hugging_face  # noqa: E402
from pets import write_pets  # noqa: E402
from tiny_model import write_model  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def feature_folder(tmp_path_factory):
    """Where the command keeps features, for the whole session: never the user's own."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    return folder / "openworld" / "features"


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """The folder that `openworld example` writes, and in it a checkpoint, a model that can run, and
    images."""
    folder = tmp_path_factory.mktemp("examples")
    succeed("example", folder)
    write_hugging_face(folder / "clip")
    write_model(folder / "model")
    write_pets(folder / "pets")
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


@pytest.fixture(scope="session")
def model(examples):
    return examples / "model"


@pytest.fixture(scope="session")
def pets(examples):
    return examples / "pets"
