"""scripts/replication: what is run, and what the pages say of made-up results."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

REPLICATION = Path(__file__).resolve().parents[2] / "scripts" / "replication"
sys.path.insert(0, str(REPLICATION))

import learners  # noqa: E402
import openauc  # noqa: E402
import openauc_results  # noqa: E402
import openpl  # noqa: E402
import papers  # noqa: E402
import ranks  # noqa: E402
from page import fill, table  # noqa: E402
from pocket import settings  # noqa: E402


def test_papers_agree_with_their_own_averages():
    """As printed in the last column of Table 2, and ranks of eleven methods that add up to 66."""
    printed = {"zero-shot": 47.83, "maple": 57.35, "promptsrc": 58.21, "locoop": 52.62, "kgcoop": 55.07, "dept": 59.00,
               "gallop": 56.90, "decoop": 58.77, "tcp": 58.90, "gmop": 60.94}
    for method, average in printed.items():
        assert np.mean(papers.OPENWORLD_TABLE_2[method]) == pytest.approx(average, abs=0.006)
    for rows in papers.OPENPL.values():
        assert sum(row["rank"] for row in rows.values()) == pytest.approx(66, abs=0.01)
        assert set(rows) <= set(learners.LEARNERS)


def test_every_learner_has_settings():
    assert {*learners.LEARNERS, *learners.NOISE} == set(settings.read()["learners"])


def test_ranks():
    ranked = ranks.ranks([[3, 1, 2], [5, 5, 1], [9, 8, 7]])
    assert ranked.tolist() == [[1, 3, 2], [1.5, 1.5, 3], [1, 2, 3]]
    assert ranks.mean_ranks(ranked).tolist() == pytest.approx([3.5 / 3, 6.5 / 3, 8 / 3])
    low, high = ranks.rank_intervals(ranked)[0]
    assert 1 <= low <= 3.5 / 3 <= high <= 1.5
    assert ranks.rank_intervals(ranked[:2]) is None


def test_friedman_without_ties_is_that_of_scipy():
    import scipy.stats
    values = np.random.default_rng(3).normal(size=(7, 4))
    expected = scipy.stats.friedmanchisquare(*values.T)
    assert ranks.friedman(ranks.ranks(values)) == pytest.approx((expected[0], expected[1]))
    assert ranks.friedman(ranks.ranks([[1, 1], [2, 2]])) is None


def test_critical_distance():
    """Demsar, JMLR 2006: q is 2.569 for four methods and 3.164 for ten."""
    assert ranks.critical_distance(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert ranks.critical_distance(10, 6) == pytest.approx(3.164 * np.sqrt(10 * 11 / 36), abs=1e-3)


def test_spearman_and_student():
    assert ranks.spearman([1, 2, 3, 4], [10, 20, 30, 40])[0] == pytest.approx(1)
    assert ranks.spearman([1, 2, 3, 4], [4, 3, 2, 1])[0] == pytest.approx(-1)
    assert ranks.spearman([1, 1, 1], [1, 2, 3]) is None
    mean, half = ranks.student_interval([1, 2, 3])  # t of 2 degrees of freedom: 4.303
    assert mean == 2 and half == pytest.approx(4.303 / np.sqrt(3), abs=1e-3)
    assert ranks.student_interval([4]) == (4, None)


def test_templates_are_filled(tmp_path):
    assert table(["a", "b"], [[1, 2]]) == "| a | b |\n|---|---|\n| 1 | 2 |\n"
    with pytest.raises(AssertionError, match="nothing"):
        fill("openpl.md", {"nothing": ""})
    with pytest.raises(AssertionError):
        fill("openpl.md", {"findings": ""})


def test_commands_of_learners(tmp_path):
    plan = learners.runs(tmp_path)
    assert len(plan) == 11 * 20 and plan[-1].dataset == "all"
    assert len(learners.runs(tmp_path, no_all=True)) == 10 * 20
    coop = learners.runs(tmp_path, model="m", methods=["coop", "zero-shot"], datasets=["food"], epochs=3)
    words = learners.command(coop[0], "openworld", "1-2", 1)
    assert words[1:6] == ["--model", "m", "coop", "food", tmp_path / "coop" / "food"] and words[-2:] == ["--epochs", 3]
    assert "--epochs" not in learners.command(coop[1], "openworld", "1-2", 1)


def at_most(options, epochs):
    return {**options, "epochs": min(options["epochs"], epochs)} if epochs and "epochs" in options else options


def test_plans_of_openpl(tmp_path):
    plans = {name: tomllib.loads(text) for name, text in openpl.studies(tmp_path, "1-3").items()}
    assert list(plans) == ["emerging", "varying-ratio", "shift", "co-evolution"]
    known = settings.read()["learners"]
    for name, plan in plans.items():
        assert [scenario["name"] for scenario in plan["scenarios"]] == [name]
        assert plan["seeds"] == "1-3" and plan["models"] == ["pocket"]
        assert {learner["name"]: learner.get("options", {}) for learner in plan["learners"]} == {
            method: at_most(known[method]["options"], openpl.EPOCHS.get(name)) for method in learners.LEARNERS}
    assert openpl.most_epochs(plans) == openpl.most_epochs({"shift": plans["shift"]}) == 10
    assert len(plans["emerging"]["data"]) == 10 and plans["co-evolution"]["data"] == ["doodles:animals"]
    assert len(plans["co-evolution"]["scenarios"][0]["targets"]) == 9
    small = tomllib.loads(openpl.studies(tmp_path, "1", "m", ["coop"], ["food", "gear"], ["co-evolution"], 2)["co-evolution"])
    assert small["scenarios"][0]["targets"] == ["gear@chalk"] and small["learners"][0]["options"]["epochs"] == 2


LEVELS = ("0", "0.5", "1")


def study_tables(accuracy, worlds, by):
    """What `study table` prints of accuracies [method][world][level]."""
    def row(method, world):
        values = accuracy[method][world]
        zero = accuracy["zero-shot"][world]
        if by == "level":
            numbers = {**dict(zip(LEVELS, values)), "mean": float(np.mean(values)), "variance": 0.0}
        else:
            auc = float(np.trapz(values, dx=0.5))
            delta = auc - float(np.trapz(zero, dx=0.5))
            numbers = {"acc0": values[0], "auc": auc, "wa": min(values), "evm": float(np.abs(np.diff(values)).sum()),
                       "vs": 0.0, "pa": max(delta, 0.0), "na": max(-delta, 0.0), "delta_auc": delta}
        return {"method": openpl.LEARNERS[method], "values": {name: {"value": value} for name, value in numbers.items()}}
    tables = [{"dataset": world, "methods": [row(method, world) for method in accuracy]} for world in worlds]
    return {"tables": [{"dataset": None, "methods": []}, *tables]}


def made_up(tmp_path, monkeypatch, accuracy, worlds, name):
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / name / "study.json").write_text("{}")
    (tmp_path / f"{name}.toml").write_text('seeds = "1-3"\ndata = ["doodles:food", "doodles:gear"]\n')
    monkeypatch.setattr(openpl.Scenario, "tables", staticmethod(
        lambda program, study, by: json.loads(json.dumps(study_tables(accuracy, worlds, by)))["tables"]))
    return openpl.Scenario("openworld", tmp_path / name)


def falling(start, worlds, step=0.1):
    return {world: [start + 0.01 * i - step * j for j in range(3)] for i, world in enumerate(worlds)}


PAPER_ORDER = sorted(papers.OPENPL["emerging"], key=lambda method: papers.OPENPL["emerging"][method]["rank"])


def test_a_world_as_in_the_paper(tmp_path, monkeypatch):
    """Accuracies in the order of the paper's ranks: everything agrees."""
    worlds = [f"doodles:{name}" for name in ("food", "gear", "home")]
    accuracy = {method: falling(0.9 - 0.02 * i, worlds) for i, method in enumerate(PAPER_ORDER)}
    accuracy["gmop"] = falling(0.95, worlds)
    scenario = made_up(tmp_path, monkeypatch, accuracy, worlds, "emerging")
    row = openpl.correlation_row("emerging", scenario)
    assert row[1:3] == [3, "+1.00"]
    assert scenario.places(PAPER_ORDER)["promptsrc"] == (1, 1)
    # Zero-shot is tenth of eleven in Table 6, and CoOp last: nine gain, CoOp loses, and so do their signs in the paper.
    assert row[4:] == [10, 0, 0]
    findings = {finding: verdict for _, finding, _, verdict in openpl.finding_rows({"emerging": scenario})}
    assert findings == {"CoOp is the least robust learner": "yes",
                        "PromptSRC, ProDA, TCP and RPO are the most robust": "yes",
                        "no method is best on every dataset": "no"}
    text = openpl.page("openworld", tmp_path)
    assert "16 shots, seeds 1 to 3, six levels; datasets: `food`, `gear`." in text
    assert "### Emerging new classes (Table 6)" in text and "| GMoP | 0.960 |" in text


def test_a_world_that_is_the_opposite(tmp_path, monkeypatch):
    worlds = [f"doodles:{name}" for name in ("food", "gear", "home")]
    accuracy = {method: falling(0.5 + 0.02 * i, worlds) for i, method in enumerate(PAPER_ORDER)}
    scenario = made_up(tmp_path, monkeypatch, accuracy, worlds, "emerging")
    row = openpl.correlation_row("emerging", scenario)
    assert row[2] == "-1.00" and row[4:] == [0, 10, 0]
    findings = [verdict for *_, verdict in openpl.finding_rows({"emerging": scenario})]
    assert findings == ["no", "no", "no"]


def test_what_is_within_chance_is_not_decided(tmp_path, monkeypatch):
    worlds = [f"doodles:{name} > doodles:{name}@chalk" for name in ("food", "gear", "home")]
    accuracy = {"zero-shot": falling(0.5, worlds), "vpt": falling(0.52, worlds), "coop": falling(0.53, worlds)}
    accuracy["coop"][worlds[0]] = [0.4, 0.3, 0.2]
    accuracy["vpt"][worlds[1]] = [0.9, 0.8, 0.7]
    scenario = made_up(tmp_path, monkeypatch, accuracy, worlds, "shift")
    findings = {finding.partition(" (")[0]: verdict for _, finding, _, verdict in openpl.finding_rows({"shift": scenario})}
    assert findings == {"VPT is the least robust learner": "not decided",
                        "no learner makes the decline smaller": "yes",
                        "learners differ little from zero-shot": "not decided"}


def test_looks_of_a_dataset_are_one_group(tmp_path, monkeypatch):
    worlds = [f"doodles:{name} > doodles:{name}@{look}" for name in ("food", "gear") for look in ("chalk", "crayon")]
    accuracy = {"zero-shot": falling(0.5, worlds, 0.2), "coop": falling(0.6, worlds, 0.1)}
    accuracy["coop"][worlds[0]] = [0.9, 0.8, 0.7]
    scenario = made_up(tmp_path, monkeypatch, accuracy, worlds, "shift")
    assert list(scenario.groups.values()) == [worlds[:2], worlds[2:]]
    aucs = [scenario.drc[world]["coop"]["auc"] - scenario.drc[world]["zero-shot"]["auc"] for world in worlds]
    mean, half = scenario.delta("coop")
    groups = [(aucs[0] + aucs[1]) / 2, (aucs[2] + aucs[3]) / 2]
    assert mean == pytest.approx(np.mean(groups)) and half == pytest.approx(12.7062 * abs(groups[0] - groups[1]) / 2, rel=1e-4)
    one_source = openpl.grouped([f"doodles:animals > doodles:{name}@chalk" for name in ("food", "gear")])
    assert len(one_source) == 2


def test_flags_of_other_papers_are_refused():
    done = subprocess.run([sys.executable, REPLICATION / "main.py", "gmop", "--model", "m"], capture_output=True, text=True)
    assert done.returncode == 1 and "--model is of learners and openpl" in done.stderr


def openauc_rows(methods, splits=range(5), **value):
    """Rows of the ledger: value[method](split) is (ACC, AUROC, OpenAUC)."""
    names = ("ACC", "AUROC", "OpenAUC")
    return {openauc_results.Key("small", 3, "mnist", method, split):
            {"seeds": 1, **dict(zip(names, value[method.replace("-", "_")](split))), "OSCR": 0.0, "known score": 1.0,
             "unknown score": 0.5}
            for method in methods for split in splits}


def test_openauc_keeps_values_of_runs_in_its_ledger(tmp_path):
    rows = openauc_rows(["softmax"], softmax=lambda split: (90 + split, 80.12345, 70))
    path = tmp_path / "ledger.csv"
    openauc_results.write_ledger(path, rows)
    read = openauc_results.read_ledger(path)
    assert read.keys() == rows.keys()
    assert read[("small", 3, "mnist", "softmax", 4)]["ACC"] == 94
    assert read[("small", 3, "mnist", "softmax", 0)]["AUROC"] == pytest.approx(80.12345, abs=1e-4)
    openauc_results.write_ledger(tmp_path / "again.csv", read)
    assert path.read_bytes() == (tmp_path / "again.csv").read_bytes()
    assert openauc_results.read_ledger(tmp_path / "none.csv") == {}


def test_openauc_claims_of_made_up_rows():
    """CE+ is a point better by AUROC in each split, OpenAUC two points better by OpenAUC: Softmax is last by both."""
    rows = openauc_rows(["softmax", "ce-plus", "openauc"],
                        softmax=lambda split: (80 + split, 70 + split, 60 + split),
                        ce_plus=lambda split: (90 + split, 86 + split % 2, 80 + split),
                        openauc=lambda split: (90 + split + 0.1 * (split % 2), 85 + split % 2, 82 + split))
    results = openauc_results.Results(rows)
    assert openauc.first_claim(results).splitlines()[2] == (
        "| small | mnist | 3 | 5 | +0.04 ±0.07 | +2.00 ±0.00 | yes |")
    second = openauc.second_claim(results).splitlines()[2]
    assert second == "| small | mnist | 3 | 3 | 0.33 | 1 of 3 | CE+ and OpenAUC | yes |"
    assert openauc.third_claim(results).splitlines()[2].endswith("| yes |")
    assert openauc.main_table(results, openauc.settings(results)[0]).splitlines()[2].startswith("| Softmax | 5 | 82.00 ±1.96 |")
    assert len(openauc.weight_table(results).splitlines()) == 2  # no run with another weight
    assert openauc.run_so_far(results) == (
        "Run so far: `small` on mnist (3 epochs, 3 methods); not run yet: `vgg32` and `mlp`.")


def test_openauc_varies_the_weight_on_features_only(tmp_path):
    plan = openauc.runs(tmp_path, nets=("mlp", "small"), splits=(0,), datasets=("mnist",))
    by_net = {net: [run.folder.parent.name for run in plan if run.net == net] for net in ("mlp", "small")}
    assert by_net["small"] == list(openauc.METHODS)
    assert set(by_net["mlp"]) == set(openauc.METHODS) - {"arpl-cs"} | set(map(openauc.weighted, openauc.WEIGHTS))
    run = next(run for run in plan if run.folder.parent.name == "openauc-weight-0.03")
    assert run.method == "openauc" and run.flags == ("--set", "open_weight=0.03")


def test_openauc_page_is_that_of_its_ledger(tmp_path):
    """The page in docs has the tables that follow from the committed values."""
    ledger = tmp_path / "ledger.csv"
    ledger.write_bytes(openauc_results.LEDGER.read_bytes())
    page = (REPLICATION.parents[1] / "docs" / openauc.PAGE).read_text()
    assert openauc.page("openworld", tmp_path / "no-runs", ledger) == page
    assert ledger.read_bytes() == openauc_results.LEDGER.read_bytes()
