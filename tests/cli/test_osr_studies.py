"""Studies of open-set training: cells are runs of `openworld osr train`, and tables say what `eval` says of them."""

import json

import numpy as np
import pytest

from command import json_of, needs_models, refused, run, succeed

pytestmark = needs_models

OPTIONS = "epochs = 3, lr = 0.02, batch = 16"
PLAN = """models = ["net:mlp"]
data = [{{path = "train.npz", test_data = "test.npz", known = "0,3,4,1"}},
        {{path = "train.npz", test_data = "test.npz", known = "bee,cat,fox", label = "three"}}]
scenarios = ["open-set"]
shots = 0
seeds = [1, 2]
learners = [{learners}]
"""
LEARNERS = [f'{{name = "{name}", options = {{{OPTIONS}}}}}' for name in ("softmax", "openauc")]


def write_features(path, count, seed):
    """Six classes around points of their own, close to each other."""
    random = np.random.default_rng(seed)
    points = np.random.default_rng(5).normal(0, 1, (6, 12))
    labels = np.arange(count) % 6
    features = (points[labels] + random.normal(0, 0.8, (count, 12))).astype("f4")
    np.savez(path, features=features, label=labels.astype("i4"),
             names=np.array(["ant", "bee", "cat", "dog", "elk", "fox"]))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A finished study, computed in two parts."""
    folder = tmp_path_factory.mktemp("osr-study")
    write_features(folder / "train.npz", 240, 1)
    write_features(folder / "test.npz", 180, 2)
    (folder / "plan.toml").write_text(PLAN.format(learners=", ".join(LEARNERS)))
    first = run("study", "run", "plan.toml", "--out", "study", "--limit", 3, cwd=folder)
    assert first.code == 3, first
    succeed("study", "run", "plan.toml", "--out", "study", "--jobs", 2, cwd=folder)
    return folder


def cells(folder):
    """{(method, known, seed): folder of the run}."""
    found = {}
    for cell in sorted((folder / "study" / "cells").iterdir()):
        spec = json.loads((cell / "run.json").read_text())
        found[spec["method"], tuple(spec["network"]["known"]), spec["seed"]] = cell
    return found


def test_cells_are_runs_of_osr_train(place):
    runs = cells(place)
    assert set(runs) == {(method, known, seed) for method in ("softmax", "openauc")
                         for known in ((0, 3, 4, 1), (1, 2, 5)) for seed in (1, 2)}
    flags = [word for option in OPTIONS.split(", ") for word in ("--set", option.replace(" ", ""))]
    json_of("osr", "train", "--method", "openauc", "--net", "mlp", "--data", "train.npz", "--test-data", "test.npz",
            "--known", "0,3,4,1", "--seed", 2, *flags, "--out", "alone", cwd=place)
    mine, theirs = (np.load(folder / "predictions.npz") for folder in (runs["openauc", (0, 3, 4, 1), 2], place / "alone"))
    for name in ("side", "score", "label", "base_logits"):
        assert mine[name].tobytes() == theirs[name].tobytes(), name
    weights = [(folder / "model.safetensors").read_bytes()
               for folder in (runs["openauc", (0, 3, 4, 1), 2], place / "alone")]
    assert weights[0] == weights[1]


def test_the_table_is_that_of_eval(place):
    flags = ["--metrics", "open_auc,base_acc", "--resamples", 100]
    tables = {table["metric"]: table for table in json_of("study", "table", "study", *flags, "--against", "softmax",
                                                          cwd=place)["tables"]}
    assert set(tables) == {"open_auc", "base_acc"}
    for column, known in (("train.npz known=0,3,4,1", (0, 3, 4, 1)), ("three", (1, 2, 5))):
        folders = [folder for key, folder in cells(place).items() if key[1] == known]
        runs = json_of("eval", *folders, *flags, cwd=place)
        for metric, table in tables.items():
            assert (table["scenario"], table["interval"], table["cells"]) == ("open-set", "two_way_bootstrap", 8)
            values = {row["method"]: row["values"][column]["value"] for row in table["methods"]}
            measured = {row["label"].split()[0]: row["metrics"][metric]["value"] for row in runs["methods"]}
            assert set(values) == set(measured) == {"softmax", "openauc"}
            for method, value in values.items():
                assert 0.3 < value < 1 and value == pytest.approx(measured[method], abs=1e-12)
    assert "open-set: OpenAUC" in succeed("study", "table", "study", "--resamples", 50, cwd=place)


def test_values_are_measured_again_without_networks(place):
    said = json_of("study", "eval", "study", cwd=place)
    assert (said["evaluated"], said["changed"], said["failed"]) == (8, 0, [])


@pytest.mark.parametrize("old, new, says", [
    ("shots = 0", "shots = 16", ["takes all samples", "shots = 0"]),
    ("net:mlp", "net:mpl", ['no network "mpl"', "mlp"]),
    ("net:mlp", "pocket", ['"pocket"', "net:vgg32"]),
    ('"softmax"', '"coop"', ['no method "coop"']),
    ("epochs = 3", "epoch = 3", ["epochs"]),
    ('known = "0,3,4,1"', 'known = ""', ["train.npz", "cifar10"]),
    ('label = "three"', 'templates = "a {}"', ["the data entry has templates"]),
    ('name = "softmax"', 'name = "softmax", views = 2', ["the learner has views"]),
    ('["open-set"]', '[{name = "open-set", looks = "chalk"}]', ["other.toml: line 4", "has no options, looks"]),
    ('["open-set"]', '["recognition"]', ["other.toml: line 7", '"softmax"']),
])
def test_refusals(place, old, new, says):
    plan = (place / "plan.toml").read_text()
    assert old in plan
    (place / "other.toml").write_text(plan.replace(old, new, 1))
    refused("study", "run", "other.toml", "--out", "other", says=says, cwd=place)
    assert not (place / "other" / "cells").exists()


def test_known_classes_are_refused_in_prompt_tuning(place):
    (place / "tuned.toml").write_text('models = ["pocket"]\ndata = [{path = "doodles:shapes", known = "0,1"}]\n'
                                      'learners = ["zero-shot"]\n')
    refused("study", "run", "tuned.toml", "--out", "tuned", says=["known classes", "open-set"], cwd=place)
