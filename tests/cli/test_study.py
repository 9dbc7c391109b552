"""Studies of real cells: `openworld tune` on the tiny model."""

import json
import os
import subprocess

import pytest
from command import BIN, json_of, needs_models, run, succeed
from tuning import BASE, TEST, read_json, write_place

pytestmark = needs_models

PLAN = """models = ["model"]
data = [{path = "world", train_split = "train"}]
shots = 2
seeds = "1-2"
learners = ["zero-shot", {name = "coop", options = {epochs = 3, tokens = 4}}]
"""
CELLS = 4


def cells_of(study):
    return {path.parent.name: read_json(path) for path in sorted((study / "cells").glob("*/cell.json"))}


def facts(study):
    """Results without their cost, and predictions."""
    return {name: ({**cell, "cost": None}, (study / "cells" / name / "predictions.npz").read_bytes())
            for name, cell in cells_of(study).items()}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A model, a world, a plan, and the plan's study by two workers, which share a cache that was empty."""
    place = write_place(tmp_path_factory.mktemp("study"))
    (place / "plan.toml").write_text(PLAN)
    done = subprocess.run([BIN, "study", "run", "plan.toml", "--out", "study", "--jobs", "2"], cwd=place, text=True,
                          capture_output=True, timeout=300, env={**os.environ, "XDG_CACHE_HOME": str(place / "cache")})
    assert done.returncode == 0 and done.stderr == "", done
    return place


def test_a_cell_is_a_run(place):
    cells = cells_of(place / "study")
    assert len(cells) == CELLS
    for name, cell in cells.items():
        evaluated = json_of("eval", place / "study" / "cells" / name, "--metrics", "auroc,openworld_auc", "--ci", "none")
        values = {value["metric"]: value["value"] for value in cell["values"]}
        for metric in ("auroc", "openworld_auc"):
            assert values[metric] == evaluated["metrics"][metric]["value"]


def test_runs_have_the_labels_of_the_plan(place):
    plan = """models = ["model"]
data = [{path = "world", train_split = "train"}]
shots = 2
seeds = "1"
learners = [{name = "zero-shot", label = "CLIP"}, {name = "coop", options = {epochs = 1, tokens = 4}, label = "short CoOp"}]
"""
    study = place / "labelled"
    for text in (plan, plan.replace("short", "another")):  # the second time nothing is left to compute
        (place / "labels.toml").write_text(text)
        succeed("study", "run", "labels.toml", "--out", study, cwd=place)
        of_runs = json_of("eval", *sorted((study / "cells").iterdir()), "--resamples", "50")
        assert [method["label"] for method in of_runs["methods"]] == ["CLIP", "short CoOp"]


def test_workers_encode_each_image_once(place):
    """In the cache no image is in two files, and all are there."""
    np = pytest.importorskip("numpy")
    images = []
    for path in (place / "cache").rglob("*.npz"):
        with np.load(path) as arrays:
            images += [bytes(image) for image in arrays["images"]]
    test = sum(TEST.values())
    assert len(set(images)) >= test + 2 * BASE
    assert len(images) == len(set(images)) or len(images) - len(set(images)) <= 2 * BASE  # shots of two seeds
    assert not list((place / "cache").rglob("*.lease"))


def test_eval_measures_again_without_the_model(place, tmp_path):
    study = tmp_path / "study"
    subprocess.run(["cp", "-r", place / "study", study], check=True)
    before = facts(study)
    assert succeed("study", "eval", study) == f"{study}: {CELLS} cells measured from predictions, 0 changed\n"
    assert facts(study) == before
    result = json_of("study", "eval", study, "--metrics", "auroc,fpr_at_90tpr", "--only", "zero-shot")
    assert (result["evaluated"], result["changed"], result["failed"]) == (2, 2, [])
    for name, cell in cells_of(study).items():
        metrics = [value["metric"] for value in cell["values"]]
        assert (metrics == ["auroc", "fpr_at_90tpr"]) == name.startswith("zero-shot")
    assert run("study", "status", study).code == 0, "the results are whole"


def test_a_stopped_study_ends_with_the_same_bits(place, tmp_path):
    """Two runs of it: first two cells, then the rest, in another order and with other threads."""
    words = ["study", "run", place / "plan.toml", "--out", tmp_path / "study"]
    assert run(*words, "--only", "coop", "--limit", 1, "--threads", 1, timeout=300).code == 3
    assert run(*words, "--threads", 2, timeout=300).code == 0
    assert facts(tmp_path / "study") == facts(place / "study")


def test_two_processes_encode_each_image_once(place, tmp_path):
    """Whoever is first: the other waits for its features, or finds them."""
    words = [BIN, "encode", "--model", place / "model", "--data", place / "world", "--split", "test", "--cache",
             tmp_path / "cache", "--json", "--out"]
    processes = [subprocess.Popen([*map(str, words), str(tmp_path / f"{i}.npz")], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for i in range(3)]
    results = [json.loads(process.communicate(timeout=300)[0]) for process in processes]
    count = sum(TEST.values())
    assert sorted((result["encoded"], result["found"]) for result in results) == [(0, count), (0, count), (count, 0)]
    assert (tmp_path / "0.npz").read_bytes() == (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
