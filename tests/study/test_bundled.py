"""Bundled plans, expanded without models, beside what Python's own TOML reader makes of them."""

import itertools
import json
import pathlib
import tomllib

import pytest

from fake import status, study

ROOT = pathlib.Path(__file__).parents[2]
FILES = sorted((ROOT / "data" / "studies").glob("*.toml"))
DATA = {"OPENWORLD_DATA": str(ROOT / "data")}
EXPECTED = {"openworld:table2", "openworld:table3", "openworld:table10", "openworld:table11", "openworld:table13",
            "openworld:table17", "openworld:fig10", "openworld:fig11", "openworld:fig12", "openworld:fig13",
            "openpl:emerging", "openpl:varying-ratio", "openpl:shift", "openpl:co-evolution"}


def name_of(file):
    return file.stem.replace("-", ":", 1)


def expected_cells(plan):
    """(learner, its options, data, seed) of every cell."""
    def names(key):
        return [entry if isinstance(entry, str) else entry["path"] for entry in plan[key]]
    cells = []
    seeds = plan["seeds"]
    if isinstance(seeds, str):
        first, last = seeds.split("-")
        seeds = range(int(first), int(last) + 1)
    for data, learner, _, seed in itertools.product(names("data"), plan["learners"], plan.get("shots", [16]), seeds):
        options = learner.get("options", {})
        lists = [[(key, value) for value in (values if isinstance(values, list) else [values])]
                 for key, values in options.items()]
        for combination in itertools.product(*lists):
            cells.append((learner["name"], dict(combination), data, seed))
    return cells


def with_quick(plan):
    plan = {**plan, **{key: value for key, value in plan["quick"].items() if key != "epochs"}}
    learners = []
    for learner in plan["learners"]:
        learner = {**learner, "options": dict(learner.get("options", {}))}
        if learner["name"] != "zero-shot":
            learner["options"]["epochs"] = min(plan["quick"]["epochs"], learner["options"].get("epochs", 10**9))
        learners.append(learner)
    return {**plan, "learners": learners}


def test_every_table_and_figure_has_a_plan():
    assert {name_of(file) for file in FILES} == EXPECTED


@pytest.mark.parametrize("file", FILES, ids=name_of)
@pytest.mark.parametrize("quick", [False, True])
def test_expands(file, quick):
    plan = tomllib.loads(file.read_text())
    assert plan["name"] == name_of(file)
    done = study("plan", name_of(file), "--json", *(["--quick"] if quick else []), environment=DATA)
    listed = json.loads(done.stdout)["list"]
    expected = expected_cells(with_quick(plan) if quick else plan)
    key = lambda cell: json.dumps(cell, sort_keys=True)
    assert sorted(map(key, expected)) == sorted(
        key((cell["learner"]["name"], cell["learner"].get("options", {}), cell["data"]["path"], cell["seed"]))
        for cell in listed)
    assert not quick or len(listed) <= 48


def test_the_study_keeps_the_plan_that_it_computes(tmp_path):
    (tmp_path / "mine").mkdir()
    out = tmp_path / "study"
    flags = ["--quick", "--data", "mine", "doodles:food"]
    study("run", "openworld:fig10", "--out", out, *flags, cwd=tmp_path, environment=DATA)
    kept = tomllib.loads((out / "plan.toml").read_text())
    assert kept["data"] == [str(tmp_path / "mine"), "doodles:food"] and kept["seeds"] == [1, 2]
    assert "quick" not in kept
    assert status(out)["cells"] == 16
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    study("run", out / "plan.toml", "--out", out, cwd=elsewhere)  # the copy is as good
    assert status(out)["cells"] == 16
    error = study("run", "openworld:fig10", "--out", out, "--quick", code=2, environment=DATA).stderr
    assert "are not in the plan any more" in error and "data.path was" in error
    study("run", "openworld:fig10", "--out", out, *flags, "doodles:body", cwd=tmp_path, environment=DATA)
    assert status(out)["cells"] == 24, "more data extends the study"


def test_a_model_takes_published_settings():
    listed = json.loads(study("plan", "openworld:table2", "--model", "clip", "--json", environment=DATA).stdout)["list"]
    assert {cell["model"]["path"] for cell in listed} == {"clip"}
    assert not [cell for cell in listed if "options" in cell["learner"]]


def test_refusals(tmp_path):
    error = study("plan", "openworld:tabel2", code=2, environment=DATA).stderr
    assert "no bundled plan is called 'openworld:tabel2'; did you mean openworld:table2?" in error
    assert "no scenario of the plan has looks" in study("plan", "openworld:table2", "--looks", "x", code=2,
                                                        environment=DATA).stderr
    plan = tmp_path / "plan.toml"
    plan.write_text('models = ["m"]\ndata = ["d"]\nlearners = ["coop"]\n')
    assert "has no [quick] table" in study("plan", plan, "--quick", code=2).stderr
