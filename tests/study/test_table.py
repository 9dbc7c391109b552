"""`openworld study table`, beside the same numbers from the cell.json files by NumPy and SciPy."""

import csv
import io
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from scipy import stats

from fake import study, words

METRICS = ["base_acc", "new_acc", "hm", "auroc", "overall_acc", "openworld_auc"]

PLAIN = """models = ["m"]
data = ["d", {path = "e", label = "E & co_1"}]
seeds = "1-3"
learners = ["zero-shot", {name = "coop", options = {lr = [0.1, 0.2]}}, {name = "gmop", label = "G, \\"best\\" 100%"}]
"""

VIEWS = """models = ["m"]
data = ["d", "e"]
seeds = "1-3"
learners = ["zero-shot", "coop", "gmop"]
[[scenarios]]
name = "NAME"
options = {worlds = [WORLDS], levels = [LEVELS], undefined = "UNDEFINED"}
"""


def write_views(folder, name, levels, worlds='"w"', undefined="none"):
    path = folder / "plan.toml"
    text = VIEWS.replace("NAME", name).replace("WORLDS", worlds).replace("LEVELS", levels)
    path.write_text(text.replace("UNDEFINED", undefined))
    return path


def run(folder, plan, *flags, code=0):
    out = folder / "study"
    study("run", plan, "--out", out, *flags, code=code)
    return out


def tables(out, *flags):
    return json.loads(study("table", out, "--format", "json", *flags).stdout)["tables"]


def results(out):
    """(learner, its lr, data, seed, world, level, metric) -> value, read from the files."""
    values = {}
    cells = [json.loads(line.rstrip(",\n")) for line in (out / "study.json").read_text().splitlines()
             if line.startswith('{"id"')]
    for cell in cells:
        folder = next((out / "cells").glob(f"*{cell['id'][:8]}"), None)
        if folder is None or not (folder / "cell.json").exists():
            continue
        learner = cell["learner"]
        for value in json.loads((folder / "cell.json").read_text())["values"]:
            key = (learner["name"], learner.get("options", {}).get("lr"), cell["data"]["path"], cell["seed"],
                   value.get("world", ""), value.get("level", ""), value["metric"])
            values[key] = value["value"]
    return values


def holm(p):
    order = np.argsort(p)
    adjusted, worst = np.empty(len(p)), 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1, (len(p) - rank) * p[i]))
        adjusted[i] = worst
    return adjusted


def test_means_intervals_and_tests(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAIN)
    out = run(tmp_path, plan)
    [table] = tables(out)
    assert [row["method"] for row in table["methods"]] == ["zero-shot", "coop lr=0.1", "coop lr=0.2", 'G, "best" 100%']
    assert [column["name"] for column in table["columns"]] == ["d", "E & co_1", "average"]
    assert (table["reference"], table["interval"], table["done"], table["cells"]) == ("zero-shot", "student_t", 24, 24)
    values = results(out)
    by_method = np.array([[[values[name, lr, data, seed, "", "", "openworld_auc"] for seed in (1, 2, 3)]
                           for data in "de"] for name, lr in
                          [("zero-shot", None), ("coop", 0.1), ("coop", 0.2), ("gmop", None)]])
    columns = np.concatenate([by_method, by_method.mean(axis=1, keepdims=True)], axis=1)  # method, column, seed
    for c, column in enumerate(["d", "E & co_1", "average"]):
        p = holm([stats.ttest_rel(columns[m, c], columns[0, c]).pvalue for m in (1, 2, 3)])
        best = columns[:, c].mean(axis=1).argmax()
        for m, row in enumerate(table["methods"]):
            cell = row["values"][column]
            mine = columns[m, c]
            assert cell["value"] == pytest.approx(mine.mean(), abs=1e-12)
            low, high = stats.t.interval(0.95, 2, mine.mean(), stats.sem(mine))
            assert (cell["interval"]["low"], cell["interval"]["high"]) == pytest.approx((low, high), abs=1e-9)
            assert cell["best"] == (m == best)
            if m == 0:
                assert cell["p_value_holm"] is None and cell["difference"] is None
                continue
            assert cell["difference"] == pytest.approx(mine.mean() - columns[0, c].mean(), abs=1e-12)
            assert cell["p_value_holm"] == pytest.approx(p[m - 1], abs=1e-9)
            better = mine.mean() > columns[0, c].mean()
            assert cell["beyond_chance"] == (None if p[m - 1] >= 0.05 else "better" if better else "worse")
    assert tables(out, "--ci", "none")[0]["methods"][1]["values"]["d"]["interval"] is None
    wide = tables(out, "--confidence", 0.99, "--against", "coop lr=0.2")[0]
    assert wide["reference"] == "coop lr=0.2"
    low, high = stats.t.interval(0.99, 2, columns[0, 0].mean(), stats.sem(columns[0, 0]))
    assert wide["methods"][0]["values"]["d"]["interval"]["high"] == pytest.approx(high, abs=1e-9)


def test_marks_what_differs(tmp_path):
    """With a reference that every seed agrees about, differences are found and marked in every format."""
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAIN.replace('"1-3"', '"1-12"'))
    out = run(tmp_path, plan)
    marked = [(row["method"], name) for row in tables(out, "--confidence", 0.2)[0]["methods"]
              for name, cell in row["values"].items() if cell["beyond_chance"]]
    assert marked, "12 seeds of random numbers differ at 80 %"
    text = study("table", out, "--confidence", 0.2).stdout
    assert len(re.findall(r"[*\d ][+-] ?(?= |$)", text, re.M)) >= 1
    assert "at 80 % (paired, Holm's correction over the methods of a column)" in text
    latex = study("table", out, "--confidence", 0.2, "--format", "latex").stdout
    assert latex.count("arrow}$") == len(marked)
    md = study("table", out, "--confidence", 0.2, "--format", "md").stdout
    assert md.count(" ▲ |") + md.count(" ▼ |") == len(marked)


def test_missing_cells_are_counted_and_not_averaged(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAIN)
    out = run(tmp_path, plan, "--limit", 10, code=3)  # of d all but the last two seeds of gmop; nothing of e
    [table] = tables(out)
    assert (table["done"], table["cells"]) == (10, 24)
    rows = {row["method"]: row["values"] for row in table["methods"]}
    coop = rows["coop lr=0.1"]
    assert (coop["d"]["done"], coop["d"]["cells"]) == (3, 3) and coop["d"]["interval"] is not None
    last = rows['G, "best" 100%']["d"]
    assert (last["done"], last["cells"], last["interval"], last["best"]) == (1, 3, None, False)
    assert last["value"] == results(out)["gmop", None, "d", 1, "", "", "openworld_auc"]
    for values in rows.values():
        assert values["average"]["value"] is None and values["average"]["cells"] == 6
        assert values["E & co_1"]["value"] is None
    text = study("table", out).stdout
    assert "(1/3)" in text and "(0/3)" in text and "(3/6)" in text
    assert "14 of 24 cells are not done" in text
    study("run", plan, "--out", tmp_path / "empty", "--only", "nothing", code=3)
    assert "(0/6)" in study("table", tmp_path / "empty").stdout


def drc(levels, acc, zero):
    """By the definitions, with a fine grid for the areas."""
    slopes = np.diff(acc) / np.diff(levels)
    t = np.linspace(0, 1, 200_001)
    gap = np.interp(t, levels, acc) - np.interp(t, levels, zero)
    return {"acc0": acc[0], "auc": np.trapz(acc, levels), "wa": min(acc), "evm": np.abs(slopes).mean(),
            "vs": slopes.var(), "pa": np.trapz(np.maximum(gap, 0), t), "na": np.trapz(np.maximum(-gap, 0), t)}


def check_interval(value, of_seeds):
    """Student's t over seeds."""
    low, high = stats.t.interval(0.95, len(of_seeds) - 1, np.mean(of_seeds), stats.sem(of_seeds))
    assert (value["interval"]["low"], value["interval"]["high"]) == pytest.approx((low, high))


def test_robustness_curves(tmp_path):
    levels = ["0", "0.25", "0.5", "0.75", "1"]
    out = run(tmp_path, write_views(tmp_path, "emerging", ", ".join(f'"{t}"' for t in levels), '"w", "x"'))
    found = tables(out)
    assert [table["by"] for table in found] == ["drc"] * 5
    assert [table["dataset"] for table in found] == [None, "d > w", "d > x", "e > w", "e > x"]
    values = results(out)
    worlds = [(data, world) for data in "de" for world in "wx"]
    methods = ["zero-shot", "coop", "gmop"]
    curves = np.array([[np.mean([[values[m, None, data, seed, world, t, "overall_acc"] for t in levels]
                                 for seed in (1, 2, 3)], axis=0) for data, world in worlds] for m in methods])
    at = np.array([float(t) for t in levels])
    ranks = np.array([[stats.rankdata(-curves[:, w, t]) for t in range(5)] for w in range(4)])
    for i, table in enumerate(found):
        expected = [[drc(at, curves[m, w], curves[0, w]) for w in range(4)] for m in range(3)]
        for m, row in enumerate(table["methods"]):
            for key in ["acc0", "auc", "wa", "evm", "vs", "pa", "na"]:
                mine = np.mean([world[key] for world in expected[m]]) if i == 0 else expected[m][i - 1][key]
                assert row["values"][key]["value"] == pytest.approx(mine, abs=1e-6), (key, i, m)
            delta = [expected[m][w]["auc"] - expected[0][w]["auc"] for w in range(4)]
            mine = np.mean(delta) if i == 0 else delta[i - 1]
            assert row["values"]["delta_auc"]["value"] == pytest.approx(mine, abs=1e-9)
            assert row["values"]["delta_pn"]["value"] == pytest.approx(mine, abs=1e-9)
            mine = ranks.mean(axis=(0, 1)) if i == 0 else ranks[i - 1].mean(axis=0)
            assert row["values"]["friedman_rank"]["value"] == pytest.approx(mine[m])
            assert row["values"]["final_rank"]["value"] == stats.rankdata(mine)[m]
    # Acc(0), AUC and its difference have intervals and paired tests over seeds: [method][seed][world].
    by_seed = np.array([[[[values[m, None, data, seed, world, t, "overall_acc"] for t in levels] for data, world in worlds]
                         for seed in (1, 2, 3)] for m in methods])
    for key, of_seed in (("acc0", by_seed[..., 0]), ("auc", np.trapz(by_seed, at, axis=-1))):
        for i, table in enumerate(found):
            assert table["interval"] == "student_t"
            mine = of_seed.mean(axis=2) if i == 0 else of_seed[..., i - 1]
            p = holm([stats.ttest_rel(mine[m], mine[0]).pvalue for m in (1, 2)])
            for m, row in enumerate(table["methods"]):
                check_interval(row["values"][key], mine[m])
                if m > 0:
                    assert row["values"][key]["p_value_holm"] == pytest.approx(p[m - 1])
                    assert row["values"][key]["difference"] == pytest.approx((mine[m] - mine[0]).mean())
                if m > 0 and key == "auc":
                    check_interval(row["values"]["delta_auc"], mine[m] - mine[0])
                    assert row["values"]["delta_auc"]["p_value_holm"] == pytest.approx(p[m - 1])
    assert found[0]["methods"][0]["values"]["delta_auc"]["interval"] is None
    assert {table["interval"] for table in tables(out, "--ci", "none")} == {None}
    error = study("table", out, "--ci", "bootstrap", code=2).stderr
    assert "robustness curves have intervals over seeds alone; expected --ci seeds or auto" in error
    # A method with a cell missing has no curve; the others keep theirs.
    victim = next((out / "cells").glob("gmop-d-*")) / "cell.json"
    victim.unlink()
    table = tables(out)[0]
    assert [row["values"]["auc"]["value"] is None for row in table["methods"]] == [False, False, True]
    assert table["methods"][2]["values"]["auc"]["done"] == 5
    two = np.array([[stats.rankdata(-curves[:2, w, t]) for t in range(5)] for w in range(4)]).mean(axis=(0, 1))
    assert table["methods"][1]["values"]["friedman_rank"]["value"] == pytest.approx(two[1])


def test_levels_with_mean_and_variance(tmp_path):
    """The paper's last rows of Tables 11 and 12: mean and sample variance over ratios."""
    levels = ["10", "2", "1", "0.5", "0.1"]
    out = run(tmp_path, write_views(tmp_path, "ratio", ", ".join(f'"{t}"' for t in levels)))
    found = tables(out)
    assert [table["metric"] for table in found[::3]] == METRICS[:4] + ["overall_acc", "openworld_auc"]
    values = results(out)
    for table in found[:3]:  # base_acc: average, d, e
        names = ["d", "e"] if table["dataset"] is None else [table["dataset"][0]]
        for row in table["methods"]:
            by_level = [np.mean([values[row["method"], None, name, seed, "w", t, "base_acc"]
                                 for name in names for seed in (1, 2, 3)]) for t in levels]
            assert [row["values"][t]["value"] for t in levels] == pytest.approx(by_level, abs=1e-12)
            assert row["values"]["mean"]["value"] == pytest.approx(np.mean(by_level), abs=1e-12)
            assert row["values"]["variance"]["value"] == pytest.approx(np.var(by_level, ddof=1), abs=1e-12)
    percent = next(line for line in study("table", out, "--metric", "base_acc").stdout.splitlines()
                   if line.startswith("coop")).split()
    row = found[0]["methods"][1]["values"]
    assert percent[-1].rstrip("*+-") == f"{row['variance']['value'] * 1e4:.2f}"  # of percentages, as printed


def test_levels_and_metrics_by_choice(tmp_path):
    out = run(tmp_path, write_views(tmp_path, "imbalance", '"forward", "backward"', undefined="backward"))
    assert [table["level"] for table in tables(out)] == ["forward", "backward"]
    [forward] = tables(out, "--level", "forward", "--metrics", "hm")
    assert (forward["metric"], forward["level"]) == ("hm", "forward")
    values = results(out)
    cell = forward["methods"][1]["values"]["average"]
    assert cell["value"] == pytest.approx(np.mean([values["coop", None, data, seed, "w", "forward", "hm"]
                                                   for data in "de" for seed in (1, 2, 3)]), abs=1e-12)
    by_metric = tables(out, "--by", "metric", "--metric", "hm", "auroc", "--level", "backward")
    assert [table["dataset"] for table in by_metric] == [None, "d > w", "e > w"]
    assert [column["name"] for column in by_metric[0]["columns"]] == ["hm", "auroc"]
    undefined = tables(out, "--level", "backward")[0]["methods"][0]["values"]["d > w"]
    assert (undefined["value"], undefined["undefined"], undefined["done"]) == (None, True, 3)
    assert " - " in study("table", out, "--level", "backward").stdout
    study("run", write_views(tmp_path, "imbalance", '"forward"'), "--out", tmp_path / "other")
    assert len(tables(tmp_path / "other", "--scenario", "imbalance")) == 1


def test_csv_is_rfc_4180(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAIN)
    out = run(tmp_path, plan)
    data = subprocess.run(words("table", out, "--format", "csv"), capture_output=True, check=True).stdout
    assert data.count(b"\r\n") == data.count(b"\n") == 13
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True))
    assert len(rows) == 12 and rows[-1]["method"] == 'G, "best" 100%'
    [table] = tables(out)
    for row in rows:
        cell = next(m for m in table["methods"] if m["method"] == row["method"])["values"][row["column"]]
        assert float(row["value"]) == cell["value"] and float(row["low"]) == cell["interval"]["low"]
        assert (row["best"] == "1") == cell["best"]


def test_latex_and_md(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAIN)
    out = run(tmp_path, plan)
    latex = study("table", out, "--format", "latex").stdout
    assert r"E \& co\_1" in latex and r"G, \textquotedbl{}best\textquotedbl{} 100\%" in latex
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 5 and all(len(re.findall(r"(?<!\\)&", row)) == 3 for row in rows)
    assert latex.count(r"\textbf{") == 3
    assert latex.count(r"\toprule") == latex.count(r"\midrule") == latex.count(r"\bottomrule") == 1
    if shutil.which("pdflatex"):
        source = tmp_path / "page.tex"
        source.write_text("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n"
                          "\\begin{document}\n" + latex + "\\end{document}\n")
        done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", source.name], cwd=tmp_path,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:]
    md = study("table", out, "--format", "md").stdout
    assert md.count("**") == 2 + 2 * 3
    body = [line for line in md.splitlines() if line.startswith("|")]
    assert len(body) == 6 and all(len(re.findall(r"(?<!\\)\|", line)) == 5 for line in body)
    assert "co\\_1" in md


def test_refusals(tmp_path):
    out = run(tmp_path, write_views(tmp_path, "emerging", '"0", "1"'))

    def refused(*flags):
        error = study("table", out, *flags, code=2).stderr
        assert error.count("\n") == 1
        return error

    assert "did you mean openworld_auc?" in refused("--metric", "openworld_au")
    assert "results of emerging have no metric oscr; " in refused("--metric", "oscr")
    assert "has no level '2'" in refused("--level", "2")
    assert "no scenario 'emergin'; did you mean emerging?" in refused("--scenario", "emergin")
    assert "has no method 'co'" in refused("--against", "co")
    assert "no bootstrap:" in refused("--ci", "bootstrap", "--by", "dataset")
    assert "one level" in refused("--level", "1")
    plan = tmp_path / "twice.toml"
    plan.write_text(PLAIN.replace('"zero-shot"', '{name = "kgcoop", label = "zero-shot"}, "zero-shot"'))
    study("run", plan, "--out", tmp_path / "twice", "--only", "nothing", code=3)
    assert "have the same label" in study("table", tmp_path / "twice", code=2).stderr
    assert "study.json" in study("table", tmp_path, code=2).stderr


def test_report(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(VIEWS.replace("NAME", "emerging").replace("WORLDS", '"w"').replace("LEVELS", '"0", "0.5", "1"')
                    .replace('"gmop"', '{name = "bad", label = "<b>bad & co</b>", options = {fail = true}}'))
    out = run(tmp_path, plan, code=1)
    page = tmp_path / "page.html"
    assert "with 3 tables" in study("report", out, "--out", page, "--title", "<i>mine</i>").stdout
    html = page.read_text()
    assert "<i>mine" not in html and "&lt;i&gt;mine" in html
    assert "<b>bad" not in html and "&lt;b&gt;bad &amp; co" in html
    assert html.count("<script") == 2 and "http://" not in html.replace("http://www.w3.org", "")
    assert html.count("[fake] this cell fails") == 1 and "6 cells that are not done" in html
    assert html.count("<svg viewBox=\"0 0 480") == 2, "a curve for each dataset"
    value = tables(out)[0]["methods"][1]["values"]["auc"]["value"]
    assert f"{value:.4f}" in html
