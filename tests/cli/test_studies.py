"""Studies with the pocket model: bundled plans name what exists, and tables say what `eval` says of the same runs."""

import itertools
import json
import tomllib

import pytest

from command import ROOT, json_of, needs_models, refused, run, succeed

PLANS = {file.stem.replace("-", ":", 1): tomllib.loads(file.read_text())
         for file in sorted((ROOT / "data" / "studies").glob("*.toml"))}


def variants(plan):
    """The plan as it is, and with each of its tables instead."""
    return [plan, {**plan, **plan["quick"]}, {**plan, **plan["published"]}]


def test_list():
    listed = {row["name"]: row for row in json_of("ls", "studies")["studies"]}
    assert set(listed) == set(PLANS)
    text = succeed("ls", "studies")
    for name, plan in PLANS.items():
        assert listed[name]["description"] == plan["description"] and f"  {name} " in text
    assert "Table 2" in succeed("ls", "studies", "openworld:table2")
    refused("ls", "studies", "openworld:table1", says=["no bundled plan", "openworld:table1"])


def test_scenarios_and_datasets_exist():
    scenarios = {row["name"] for row in json_of("ls", "scenarios")["scenarios"]}
    doodles = next(world for world in json_of("worlds")["worlds"] if world["name"] == "doodles")
    datasets = {row["name"] for row in doodles["datasets"]}
    looks = {row["name"] for row in doodles["looks"]}

    def check(name):
        dataset, _, look = name.removeprefix("doodles:").partition("@")
        assert dataset in datasets and (not look or look in looks), name

    for plan in (variant for each in PLANS.values() for variant in variants(each)):
        for name in plan["data"]:
            check(name)
        for scenario in plan.get("scenarios", []):
            entry = scenario if isinstance(scenario, dict) else {"name": scenario}
            assert entry["name"] in scenarios
            assert set(entry.get("looks", [])) <= looks
            for name in entry.get("targets", []):
                check(name)


@needs_models
def test_learners_and_their_options_exist(tmp_path):
    """One plan with every learner of every bundled plan, checked as `study run` does before it begins."""
    entries = set()
    for learner in (each for plan in PLANS.values() for variant in variants(plan) for each in variant["learners"]):
        lists = [[(key, value) for value in (values if isinstance(values, list) else [values])]
                 for key, values in learner.get("options", {}).items()]
        for options in itertools.product(*lists):
            text = ", ".join(f"{key} = {json.dumps(value)}" for key, value in sorted(options))
            entries.add(f'{{name = "{learner["name"]}", options = {{{text}}}}}')
    plan = tmp_path / "plan.toml"
    plan.write_text('models = ["pocket"]\ndata = ["doodles:shapes"]\nlearners = [{}]\n'.format(",".join(entries)))
    ran = run("study", "run", plan, "--out", tmp_path / "study", "--only", "nothing")
    assert ran.code == 3, ran
    assert f"{len(entries)} cells" in ran.out


@needs_models
@pytest.mark.parametrize("old, new, says", [
    ("'zero-shot'", "'zero-shoot'", ["line 4: no learner \"zero-shoot\"", "did you mean zero-shot?"]),
    ("tokens", "tokns", ["line 9: no option \"tokns\"", "did you mean tokens?"]),
    ("tokens = 4", "tokens = [4, 'four']", ["line 9: ", "tokens", "four"]),
    ("doodles:shapes", "doodles:shape", ["line 2: doodles:shape: ", "did you mean shapes?"]),
    ("doodles:shapes", "doodels:shapes", ["line 2: doodels:shapes: ", "did you mean doodles:shapes?"]),
    ("doodles:shapes", "photoz", ["line 2: photoz: does not exist"]),
])
def test_what_a_plan_names_must_be_there(tmp_path, old, new, says):
    """`study plan` refuses what `study run` refuses, with the line, before any cell is computed."""
    plan = tmp_path / "plan.toml"
    text = """models = ["pocket"]
data = ["doodles:shapes"]

[[learners]]
name = 'zero-shot'
[[learners]]
name = "coop"
[learners.options]
tokens = 4
"""
    plan.write_text(text)
    succeed("study", "plan", plan)
    plan.write_text(text.replace(old, new))
    for command in (["plan", plan], ["run", plan, "--out", tmp_path / "study"]):
        refused("study", *command, says=[str(plan), *says])
    assert not (tmp_path / "study").exists()


PLAN = """models = ["pocket"]
data = ["doodles:shapes@cluttered", "doodles:instruments@cluttered"]
seeds = [1, 2]
learners = ["zero-shot", {name = "coop", options = {epochs = 1, init = "auto", optimizer = "adam", lr = 0.05}}]
"""


@needs_models
def test_the_table_is_that_of_eval(tmp_path):
    plan, out = tmp_path / "plan.toml", tmp_path / "study"
    plan.write_text(PLAN)
    succeed("study", "run", plan, "--out", out, timeout=600)
    flags = ["--metrics", "openworld_auc,auroc", "--resamples", 200, "--seed", 7]
    tables = json_of("study", "table", out, *flags)["tables"]
    runs = json_of("eval", *sorted((out / "cells").iterdir()), *flags)
    assert [table["interval"] for table in tables] == ["two_way_bootstrap"] * 2
    for table in tables:
        for row, method in zip(table["methods"], runs["methods"], strict=True):
            metric = method["metrics"][table["metric"]]
            cells = [(row["values"]["average"], metric)]
            cells += [(row["values"][name], metric["by_dataset"][name]) for name in PLAN.split('"')[3:6:2]]
            for mine, theirs in cells:
                assert mine["value"] == pytest.approx(theirs["value"], abs=1e-12)
                # Sums over datasets are in another order.
                assert mine["interval"]["low"] == pytest.approx(theirs["interval"]["low"], abs=1e-12)
                assert mine["interval"]["high"] == pytest.approx(theirs["interval"]["high"], abs=1e-12)
        difference = runs["differences"][0]["metrics"][table["metric"]]
        assert table["methods"][1]["values"]["average"]["p_value_holm"] == difference["p_value_holm"]
    assert "(two-way bootstrap)" in succeed("study", "table", out, "--resamples", 50)
    succeed("study", "report", out, "--out", tmp_path / "page.html", "--resamples", 50)
    # The same sections in a page of `openworld report`, which takes studies beside runs and files.
    said = json_of("report", out, "--out", tmp_path / "report.html", "--resamples", 50)
    assert (said["studies"], said["runs"], said["files"]) == ([str(out)], 0, [])
    pages = [(tmp_path / name).read_text() for name in ("page.html", "report.html")]
    assert pages[0][pages[0].index("<h2"):] == pages[1][pages[1].index("<h2"):]
    assert 'class="finding">' in pages[1]


@needs_models
def test_a_quick_plan_runs(tmp_path):
    out = tmp_path / "study"
    succeed("study", "run", "openworld:fig12", "--quick", "--data", "doodles:shapes@cluttered", "--out", out,
            "--jobs", 2, timeout=600)
    [table] = json_of("study", "table", out, "--ci", "seeds")["tables"]
    assert [row["method"] for row in table["methods"]] == [f"gmop alpha={alpha}" for alpha in ("0.0", 0.5, "1.0", "2.0")]
    assert (table["done"], table["cells"], table["reference"]) == (8, 8, None)
