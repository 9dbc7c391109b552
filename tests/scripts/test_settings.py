"""data/pocket/settings.json: who reads it, what is written into the plans, and how it is searched."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from pocket import plans, search, settings

ROOT = Path(__file__).resolve().parents[2]
LEARNERS = settings.read()["learners"]


def test_the_bundled_plans_have_the_settings():
    done = subprocess.run([ROOT / "scripts" / "plan-settings", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_file_is_written_as_it_is(tmp_path):
    settings.write(settings.read(), tmp_path / "settings.json")
    assert (tmp_path / "settings.json").read_text() == settings.FILE.read_text()


def test_another_schema_is_refused(tmp_path):
    (tmp_path / "settings.json").write_text('{"schema": "openworld.settings/9"}')
    with pytest.raises(ValueError, match="expected 'openworld.settings/1'"):
        settings.read(tmp_path / "settings.json")


ENTRIES = {"gmop": {"learner": "gmop", "options": {"init": "auto", "lr": 0.008, "epochs": 18}},
           "zero-shot": {"learner": "zero-shot", "options": {}}}
PLAN = '''name = "p"
data = ["doodles:DATA"]
learners = [
  {name = "zero-shot", label = "CLIP", options = {lr = 3.0}},
  {name = "gmop", views = 2, options = {gate = "none", partitions = [2, 3], optimizer = "sgd", lr = 1.0}},
]

[quick]
learners = [
  {name = "gmop", options = {lr = 5.0}},
]
'''


@pytest.mark.parametrize("data, epochs", [("food", 18), ("all", 5), ("all@chalk", 5)])
def test_a_plan_keeps_its_own_options(data, epochs):
    text = PLAN.replace("DATA", data)
    plan, old = tomllib.loads(plans.rewritten(text, ENTRIES)), tomllib.loads(text)
    assert plan["quick"] == old["quick"]
    assert plan["learners"] == [
        {"name": "zero-shot", "label": "CLIP"},
        {"name": "gmop", "views": 2,
         "options": {"gate": "none", "partitions": [2, 3], "init": "auto", "lr": 0.008, "epochs": epochs}}]


def test_plans_that_cannot_be_rewritten():
    with pytest.raises(ValueError, match="has doodles:all beside smaller datasets"):
        plans.rewritten(PLAN.replace("doodles:DATA", 'doodles:food", "doodles:all'), ENTRIES)
    with pytest.raises(ValueError, match="expected one learner a line"):
        plans.rewritten(PLAN.replace('  {name = "zero', '{name = "zero'), ENTRIES)


def tune_pocket(tmp_path, *words):
    """The words that tune-pocket hands to the program, and what it says."""
    program = tmp_path / "openworld"
    program.write_text('#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done\n')
    program.chmod(0o755)
    done = subprocess.run([ROOT / "scripts" / "tune-pocket", *words], capture_output=True, text=True,
                          env={**os.environ, "OPENWORLD_BIN": str(program)})
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("method", LEARNERS)
@pytest.mark.parametrize("dataset", ["food", "all@chalk"])
def test_tune_pocket(tmp_path, method, dataset):
    code, words, error = tune_pocket(tmp_path, method, dataset, "out", "--seeds", "1-3")
    assert (code, error) == (0, "")
    given = dict(word.split("=", 1) for flag, word in zip(words, words[1:]) if flag == "--set")
    expected = dict(LEARNERS[method]["options"])
    if "epochs" in expected:
        epochs = expected.pop("epochs")
        assert int(words[words.index("--epochs") + 1]) == (epochs if dataset == "food" else -(-epochs // 4))
    assert given == {name: str(value) for name, value in expected.items()}
    assert words[:7] == ["tune", "--method", method.removesuffix("-noise"), "--model", "pocket", "--data",
                         f"doodles:{dataset}"]
    assert words[-6:] == ["--label", method, "--out", "out", "--seeds", "1-3"]


def test_tune_pocket_takes_flags(tmp_path):
    words = tune_pocket(tmp_path, "--model", "other", "zero-shot", "food", "out", "--label", "own")[1]
    assert words == ["tune", "--method", "zero-shot", "--model", "other", "--data", "doodles:food", "--out", "out",
                     "--label", "own"]
    words = tune_pocket(tmp_path, "gmop", "food", "out", "--set", "lr=0.5", "--epochs", "3")[1]
    assert [word for word in words if word.startswith("lr=")] == ["lr=0.5"] and words.count("--epochs") == 1
    code, _, error = tune_pocket(tmp_path, "gmopp", "food", "out")
    assert code == 2 and "has no settings for 'gmopp'; did you mean gmop?" in error
    code, _, error = tune_pocket(tmp_path, "gmop", "food")
    assert code == 2 and "usage: scripts/tune-pocket" in error


def listed(name, **options):
    return {"name": name, "options": [{"name": key, "default": value} for key, value in options.items()]}


def test_what_is_searched():
    entries = search.searched_entries([
        listed("zero-shot", ensemble="none"), listed("coop", init="", epochs=200), listed("vpt", tokens=8, epochs=5),
        listed("prograd", init="auto", tokens=16, epochs=100)])
    assert entries == {
        "zero-shot": {"learner": "zero-shot", "options": {}},
        "coop": {"learner": "coop", "options": {"init": "auto", "optimizer": "adam", "epochs": 20}},
        "vpt": {"learner": "vpt", "options": {"optimizer": "adam", "epochs": 5}},
        "prograd": {"learner": "prograd", "options": {"init": "auto", "tokens": 5, "optimizer": "adam", "epochs": 20}},
        "coop-noise": {"learner": "coop", "options": {"optimizer": "adam", "epochs": 20}}}
    plan = tomllib.loads(search.plan_of(entries["coop"], "pocket"))
    assert [data["test_split"] for data in plan["data"]] == 6 * ["train"] and plan["seeds"] == [11, 12]
    assert [learner["options"] for learner in plan["learners"]] == [
        {"init": "auto", "optimizer": "adam", "lr": rate, "epochs": 20} for rate in (0.0005, 0.002, 0.008, 0.03)]


def row(rate, value, done):
    return {"method": f"{rate:g}", "values": {"base_acc": {"value": value, "done": done, "cells": 12}}}


def test_which_trial_is_taken():
    trials = search.trials_of({"methods": [row(0.03, 0.9, 11), row(0.0005, 0.2, 12), row(0.008, 0.5, 12),
                                           row(0.002, 0.5, 12)]})
    assert trials == [{"lr": 0.0005, "base_acc": 0.2}, {"lr": 0.002, "base_acc": 0.5}, {"lr": 0.008, "base_acc": 0.5},
                      {"lr": 0.03, "base_acc": None}]
    assert search.best_of(trials)["lr"] == 0.002
    assert search.best_of(trials[3:]) is None


def test_a_search_is_a_study(tmp_path, monkeypatch):
    """With a program that notes its calls and answers with a table."""
    table = {"tables": [{"methods": [row(rate, rate, 12) for rate in search.RATES]}]}
    program = tmp_path / "openworld"
    program.write_text(f"#!/bin/sh\necho \"$*\" >> {tmp_path}/calls\n"
                       f"mkdir -p {tmp_path}/out/vpt/cells/a\n"
                       f"echo '{{\"cost\": {{\"seconds\": 2.5}}}}' > {tmp_path}/out/vpt/cells/a/cell.json\n"
                       f"case \"$2\" in table) echo '{json.dumps(table)}' ;; run) exit 1 ;; esac\n")
    program.chmod(0o755)
    monkeypatch.setattr(search, "PROGRAM", str(program))
    entry = {"learner": "vpt", "options": {"optimizer": "adam", "epochs": 5}}
    found, seconds = search.search("vpt", entry, "pocket", tmp_path / "out", 2)
    assert found["options"] == {"optimizer": "adam", "lr": 0.03, "epochs": 5} and seconds == 2.5
    assert found["trials"] == [{"lr": rate, "base_acc": rate} for rate in search.RATES]
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == f"study run {tmp_path}/out/vpt.toml --out {tmp_path}/out/vpt --jobs 2 --threads 2 --quiet"
    program.write_text(program.read_text().replace('"done": 12', '"done": 11'))
    with pytest.raises(SystemExit, match="every trial has a run that failed"):
        search.search("vpt", entry, "pocket", tmp_path / "out", 2)
    program.write_text("#!/bin/sh\nexit 2\n")
    with pytest.raises(SystemExit):
        search.search("vpt", entry, "pocket", tmp_path / "out", 2)
