"""--format and --quiet: the same for every command that prints tables."""

import csv
import io
import json
import re

import pytest
from command import json_of, needs_models, refused, run, succeed
from pets import picture

CALLS = {
    "eval": ["eval", "gmop.npz"],
    "eval_many": ["eval", "coop.npz", "gmop.npz"],
    "eval_details": ["eval", "gmop.npz", "--diagnose", "--per-class"],
    "compare": ["compare", "coop.npz", "gmop.npz"],
    "curve": ["curve", "gmop.npz"],
    "threshold": ["threshold", "gmop.npz", "--max-miss", "0.4"],
    "sensitivity": ["sensitivity", "gmop.npz"],
    "samplesize": ["samplesize", "gmop.npz", "--half-width", "0.01"],
    "drc": ["drc", "curves.csv", "--zero-shot", "zero-shot"],
    "rank": ["rank", "results.csv"],
    "inspect": ["inspect", "clip", "--tensors"],
    "scenario": ["scenario", "show", "ratio", "--data", "doodles:body"],
    "zeroshot": pytest.param(["zeroshot", "--model", "model", "--data", "pets"], marks=needs_models),
}
EACH = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


def numbers(text):
    return sorted(re.findall(r"\d+\.\d+", text))


@EACH
def test_csv_has_the_numbers_of_the_text(examples, call):
    """Tables on standard output, apart by empty lines; words on standard error."""
    text = succeed(*call, cwd=examples)
    ran = run(*call, "--format", "csv", cwd=examples)
    assert ran.code == 0
    # As it was written: Python reads \r\n as one line end.
    tables = [list(csv.reader(io.StringIO(part))) for part in re.split(r"(?:\r\n|\n)\n", ran.out)]
    for table in tables:
        assert len({len(row) for row in table}) == 1, table
        assert len(table) > 1 and len(table[0]) > 1
    shown = numbers(" ".join(cell for table in tables for row in table for cell in row) + ran.err)
    assert shown == numbers(text)
    assert succeed(*call, "--format", "csv", "--quiet", cwd=examples) == ran.out


@EACH
def test_markdown(examples, call):
    lines = succeed(*call, "--format", "md", cwd=examples).splitlines()
    rules = [i for i, line in enumerate(lines) if re.fullmatch(r"\|(---:?\|)+", line)]
    assert rules
    for i in rules:
        columns = lines[i].count("|")
        assert i == 1 or lines[i - 2] == ""
        while i < len(lines) and lines[i]:
            assert len(re.findall(r"(?<!\\)\|", lines[i])) == columns, lines[i]
            i += 1


@EACH
def test_latex(examples, call):
    text = succeed(*call, "--format", "latex", cwd=examples)
    tabulars = re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n\\toprule\n(.*?)\\bottomrule\n\\end\{tabular\}", text, re.S)
    assert tabulars
    for columns, body in tabulars:
        for line in body.splitlines():
            if line == "\\midrule":
                continue
            assert line.endswith(" \\\\")
            assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1, line
    outside = re.sub(r"\\begin\{tabular\}.*?\\end\{tabular\}", "", text, flags=re.S)
    assert all(line == "" or line.startswith("%") for line in outside.splitlines()), outside


@needs_models
def test_every_list_is_a_table():
    kinds = re.search(r"not in \{(.*?)\}", run("ls", "none").err)[1].split(",")
    assert len(kinds) > 10
    for kind in kinds:
        rows = next(value for value in json_of("ls", kind).values() if isinstance(value, list))
        table = list(csv.reader(io.StringIO(run("ls", kind, "--format", "csv").out)))
        assert len(table) == len(rows) + 1 and table[0][0] in rows[0], kind
        assert "|---|" in succeed("ls", kind, "--format", "md"), kind


def test_the_best_is_bold(examples):
    many = CALLS["eval_many"]
    text = succeed(*many, "--metrics", "auroc", cwd=examples)
    best = re.search(r"gmop +([\d.]+) ±([\d.]+)\*", text)
    assert f"**{best[1]} ±{best[2]}**" in succeed(*many, "--metrics", "auroc", "--format", "md", cwd=examples)
    latex = succeed(*many, "--metrics", "auroc", "--format", "latex", cwd=examples)
    assert rf"\textbf{{{best[1]}}} {{\scriptsize$\pm${best[2]}}}" in latex
    rows = list(csv.reader(io.StringIO(succeed(*many, "--metrics", "auroc", "--format", "csv", "-q", cwd=examples))))
    assert rows[0][1:] == ["AUROC", "AUROC ±"] and rows[2] == ["gmop", best[1], best[2]]


def test_json_is_a_format(examples):
    result = json.loads(succeed("eval", "gmop.npz", "--format", "json", cwd=examples))
    assert result["metrics"] == json_of("eval", "gmop.npz", cwd=examples)["metrics"]
    refused("eval", "gmop.npz", "--json", "--format", "md", cwd=examples, says=["--json excludes --format"])
    refused("eval", "gmop.npz", "--format", "xml", cwd=examples, says=["xml", "text,md,latex,csv,json"])


def test_names_with_markup_are_escaped(examples, folder):
    (folder / "a|b_c&d.npz").write_bytes((examples / "gmop.npz").read_bytes())
    call = ["eval", "a|b_c&d.npz", examples / "coop.npz", "--metrics", "auroc"]
    assert r"a\|b\_c&d" in succeed(*call, "--format", "md", cwd=folder)
    assert r"a\textbar{}b\_c\&d" in succeed(*call, "--format", "latex", cwd=folder)


@needs_models
def test_quiet_says_no_notes(examples, folder):
    """A file that is no image is a note, and an error stays one."""
    (folder / "pets" / "cat").mkdir(parents=True)
    (folder / "pets" / "cat" / "1.png").write_bytes(b"no image")
    (folder / "pets" / "cat" / "2.png").write_bytes(picture(1))
    call = ["encode", "--model", examples / "model", "--data", "pets", "--out", "x.npz"]
    assert "skipped" in run(*call, cwd=folder).err
    assert run(*call, "--quiet", cwd=folder).err == ""
    refused("eval", "missing.npz", "--quiet", cwd=folder, says=["missing.npz"])
