"""What people read: aligned tables, the best marked, help and listings that are complete."""

import re
from pathlib import Path

import numpy as np
import pytest
from command import COMMANDS, json_of, names_of, succeed
from data import compact, write_npz

DOCS = Path(__file__).resolve().parents[2] / "docs" / "metrics"
MODELS = ("coop", "gmop", "zero-shot")
CALLS = {
    "eval": ["eval", "gmop.npz"],
    "eval_bootstrap": ["eval", "gmop.npz", "--ci", "bootstrap", "--resamples", 30],
    "eval_diagnose": ["eval", "gmop.npz", "--diagnose"],
    "eval_all": ["eval", "gmop.npz", "--metrics", "all"],
    "eval_many": ["eval", *(f"{model}.npz" for model in MODELS)],
    "eval_many_none": ["eval", "coop.npz", "gmop.npz", "--ci", "none"],
    "compare": ["compare", *(f"{model}.npz" for model in MODELS), "--resamples", 30],
    "compare_counts": ["compare", "coop.npz", "gmop.npz", "--metrics", "tp_count,ose_count"],
    "curve": ["curve", "gmop.npz", "coop.npz"],
    "threshold": ["threshold", "gmop.npz", "--max-miss", 0.4],
    "sensitivity": ["sensitivity", "gmop.npz"],
    "samplesize": ["samplesize", "gmop.npz", "--half-width", 0.01],
    "drc": ["drc", "curves.csv", "--zero-shot", "zero-shot"],
    "rank": ["rank", "results.csv"],
    "inspect": ["inspect", "clip", "--tensors"],
    "zeroshot": ["zeroshot", "--model", "model", "--data", "pets"],
    "predict": ["predict", "--run", "tuned", "--model", "model", "pets"],
}


def tables(text):
    """Runs of lines in which columns are two or more spaces apart."""
    blocks, block = [], []
    for line in [*text.split("\n"), ""]:
        if re.search(r"\S {2,}\S", line) and not line.startswith("- "):
            block.append(line)
        elif block:
            blocks.append(block)
            block = []
    return [block for block in blocks if len(block) > 1]


def gaps(lines):
    """Places that are blank in every line: between columns."""
    width = max(map(len, lines))
    return {i for i in range(width) if all(line.ljust(width)[i] == " " for line in lines)}


def cells(table, row):
    """The cells of a row, cut where every row of the table is blank twice in a row."""
    blank = gaps(table)
    cuts = [i for i in sorted(blank) if i + 1 in blank]
    result, start = [], 0
    for cut in [*cuts, max(map(len, table))]:
        if cell := table[row][start:cut].strip():
            result.append(cell)
        start = cut
    return result


@pytest.mark.parametrize("name", names_of(CALLS))
def test_tables_are_aligned(examples, name):
    """Names start at the left edge; every other column ends where its heading ends."""
    found = tables(succeed(*CALLS[name], cwd=examples))
    assert found
    for table in found:
        assert cells(table, 0) == re.split(r" {2,}", table[0].strip())
        ends = [match.end() for match in re.finditer(r"\S(?= {2}|$)", table[0])]
        if not table[0].startswith(" "):
            ends = ends[1:]
        for line in table[1:]:
            assert line[0] != " " and line == line.rstrip()
            assert all(line[end:end + 2].strip() == "" for end in ends), line


@pytest.mark.parametrize("name", names_of(CALLS))
def test_plain_characters(examples, name):
    text = succeed(*CALLS[name], cwd=examples)
    assert set(text) - set("\N{PLUS-MINUS SIGN}\n") <= {chr(c) for c in range(0x20, 0x7f)}


def test_best_of_each_column_is_marked(examples):
    table, = tables(succeed(*CALLS["eval_many"], cwd=examples))
    results = json_of(*CALLS["eval_many"], cwd=examples)["results"]
    for column, name in enumerate(results[0]["metrics"], start=1):
        metrics = [result["metrics"][name] for result in results]
        sign = 1 if metrics[0]["higher_is_better"] else -1
        best = max(sign * m["value"] for m in metrics)
        for row, m in enumerate(metrics, start=1):
            cell = cells(["", *table[1:]], row)[column]
            assert cell.startswith(f"{m['value'] * 100:.2f}")
            assert cell.endswith("*") == (sign * m["value"] == best)


def test_models_that_tie_are_all_best(folder):
    files = [write_npz(folder / f"{name}.npz", compact()) for name in "ab"]
    first, second = succeed("eval", *files, "--metrics", "auroc,hm").split("\n")[1:3]
    assert first[1:] == second[1:] and first.count("*") == 2


def test_several_files_say_why_a_cell_is_empty(folder, good):
    other = write_npz(folder / "base.npz", {**compact(), "side": np.zeros(40, int)})
    text = succeed("eval", good, other)
    assert "- AUROC: no new samples\n" in text
    assert text.count("- AUROC") == 1


def test_counts_are_not_percents(examples):
    """compare shows counts as eval does: whole numbers."""
    text = succeed(*CALLS["compare_counts"], cwd=examples)
    tp = json_of("eval", "coop.npz", "--metrics", "tp_count", cwd=examples)["metrics"]["tp_count"]
    assert re.search(rf"^TP +{tp['value']} ", text, re.M)


def test_interval_legend_only_with_intervals(examples):
    assert "half the width" in succeed(*CALLS["eval_many"], cwd=examples)
    assert "half the width" not in succeed(*CALLS["eval_many_none"], cwd=examples)


def test_overview_names_every_command():
    overview = succeed("--help")
    listed = re.findall(r"^  (\w+) ", overview, re.M)
    assert tuple(listed) == COMMANDS
    assert succeed("help") == overview


def test_version():
    assert re.fullmatch(r"openworld \d+\.\d+\.\d+\n", succeed("--version"))


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command):
    text = succeed(command, "--help")
    assert "--json" in text
    assert f"Usage: openworld {command}" in text
    assert succeed(command, "-h") == text


def test_ls_metrics_lists_them_all():
    rows = json_of("ls", "metrics")["metrics"]
    text = succeed("ls", "metrics")
    listed = re.findall(r"^[* ] (\w+) {2,}", text, re.M)
    assert sorted(listed) == sorted(row["name"] for row in rows)
    families = re.findall(r"^([a-z-]+)$", text, re.M)
    assert sorted(families) == sorted({row["family"] for row in rows})


def test_every_metric_has_a_page():
    """By its name, or as the documents write names with a number: fpr_at_{}tpr."""
    pages = "\n".join(path.read_text() for path in DOCS.glob("*.md"))
    words = set(re.findall(r"[\w{}]+", pages))
    for row in json_of("ls", "metrics")["metrics"]:
        assert row["name"] in words or row["pattern"] in words, row["name"]


def test_the_sides_are_told_apart(examples):
    """A file with new and unknown samples: which metric compares base with which."""
    result = json_of("eval", "gmop.npz", "--metrics", "all", cwd=examples)
    text = succeed("eval", "gmop.npz", "--metrics", "all", cwd=examples)
    note, = (line for line in text.splitlines() if line.startswith("- base against new samples: "))
    new, unknown = note.split("; base against unknown samples: ")
    assert "AUROC" in new and "OpenAUC" in unknown
    sides = {value["sides"][1] for value in result["metrics"].values() if "sides" in value}
    assert sides == {"new", "unknown"}
    many = succeed("eval", "coop.npz", "gmop.npz", "--metrics", "auroc,open_auc", cwd=examples)
    said = "- base against new samples: AUROC; base against unknown samples: OpenAUC\n"
    assert said in many
    compare = ["compare", "coop.npz", "gmop.npz", "--metrics", "auroc,open_auc"]
    assert succeed(*compare, cwd=examples).endswith(said)
    compared = json_of(*compare, cwd=examples)["comparisons"][0]["metrics"]
    assert [value["sides"] for value in compared.values()] == [["base", "new"], ["base", "unknown"]]


def test_a_reversed_score_is_pointed_out(folder, good):
    with np.load(good) as arrays:
        fixed = dict(arrays)
    says = "AUROC is below 50 %: the score may be reversed"
    if fixed["score"][fixed["side"] == 0].mean() < fixed["score"][fixed["side"] == 1].mean():
        fixed["score"] = -fixed["score"]
    fixed["score"] = fixed["score"] + 3 * (fixed["side"] == 0)
    right, wrong = folder / "right.npz", folder / "wrong.npz"
    np.savez(right, **fixed)
    np.savez(wrong, **{**fixed, "score": -fixed["score"]})
    for flags in ([], ["--ci", "none"]):
        assert says not in succeed("eval", right, *flags)
        assert f"- {says}" in succeed("eval", wrong, *flags)
        assert f"- {wrong}: {says}" in succeed("eval", right, wrong, *flags)
        assert f"- {wrong}: {says}" in succeed("compare", right, wrong, *flags)
        assert says in json_of("eval", wrong, *flags)["warnings"][0]
        assert "warnings" not in json_of("eval", right, *flags)
