"""Fixtures for the tests of the command."""

import os
import sys
from pathlib import Path

import pytest

pytest.register_assert_rewrite("command")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "checkpoints"))

from command import MODELS, json_of, succeed  # noqa: E402
from data import compact, write_npz  # noqa: E402
from detections import write_all  # noqa: E402
from make_clip import write_hugging_face  # noqa: E402
from pets import write_pets  # noqa: E402
from tiny_model import write_model  # noqa: E402
from tuning import call, write_place  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def feature_folder(tmp_path_factory):
    """Where the command keeps features, for the whole session: never the user's own. Nor does it read the user's
    configuration and downloads."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    os.environ["OPENWORLD_DATASETS"] = str(folder / "datasets")
    return folder / "openworld" / "features"


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """The folder that `openworld example` writes, and in it a checkpoint, a model that can run,
    images, and a run of `openworld tune`."""
    folder = tmp_path_factory.mktemp("examples")
    succeed("example", folder)
    write_hugging_face(folder / "clip")
    write_model(folder / "model")
    write_pets(folder / "pets")
    write_all(folder / "detections")
    if MODELS.exists():
        succeed("tune", "--method", "coop", "--model", "model", "--data", "pets", "--test-data",
                "pets", "--shots", 1, "--epochs", 1, "--out", "tuned", cwd=folder)
    return folder


@pytest.fixture(scope="session")
def good(tmp_path_factory):
    """A valid prediction file, for tests of flags."""
    return write_npz(tmp_path_factory.mktemp("good") / "good.npz", compact())


@pytest.fixture
def folder(tmp_path_factory):
    """An empty folder. Unlike tmp_path its name does not contain that of the test, which could
    match a fragment expected in a message."""
    return tmp_path_factory.mktemp("d")


@pytest.fixture(scope="session")
def model(examples):
    return examples / "model"


@pytest.fixture(scope="session")
def pets(examples):
    return examples / "pets"


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A folder with a tiny model and a world to tune it on."""
    return write_place(tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="session")
def tuned(place, tmp_path_factory):
    """A function that gives a short run of a method, which is done once."""
    folder = tmp_path_factory.mktemp("tuned")

    def run_of(method):
        if not (folder / method).exists():
            json_of(*call(method, folder / method), cwd=place)
        return folder / method

    return run_of


@pytest.fixture(scope="session")
def good_run(place, tmp_path_factory):
    """A run that learned something."""
    folder = tmp_path_factory.mktemp("good_run") / "run"
    json_of(*call("coop", folder, shots=4, epochs=300, options={"optimizer": "adam", "lr": 0.02}),
            cwd=place)
    return folder
