"""Curves: the points enclose the area that is reported, in every format of output."""

import csv
import io
import xml.etree.ElementTree as ElementTree

import naive
import numpy as np
import pytest
from command import json_of, succeed
from data import compact, write_npz
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score

EXACT = {"abs": 1e-12, "rel": 0}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def arrays():
    return compact(400, seed=3)


@pytest.fixture
def file(folder, arrays):
    return write_npz(folder / "p.npz", arrays)


def area(x, y):
    return np.trapz(np.asarray(y, float), np.asarray(x, float))


def definition(kind, arrays):
    if kind == "miss-hit":
        return naive.openworld_auc(arrays, 0.5)
    if kind == "cotpr-ofpr":
        return naive.open_auc(arrays, 0.5)
    return roc_auc_score(arrays["side"] == 0, arrays["score"])


@pytest.mark.parametrize("kind", ["miss-hit", "roc", "cotpr-ofpr"])
def test_area(file, arrays, kind):
    curve, = json_of("curve", file, "--kind", kind, "--points", 0)["curves"]
    assert curve["max_error"] == 0
    assert curve["x"] == sorted(curve["x"])
    assert curve["area"] == pytest.approx(definition(kind, arrays), **EXACT)
    assert area(curve["x"], curve["y"]) == pytest.approx(curve["area"], **EXACT)


@pytest.mark.parametrize("kind", ["miss-hit", "roc", "pr", "cotpr-ofpr"])
def test_csv_and_json_agree(file, kind):
    curve, = json_of("curve", file, "--kind", kind, "--points", 0)["curves"]
    text = succeed("curve", file, "--kind", kind, "--points", 0, "--csv")
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["file", "x", "y", "threshold"]
    assert {row[0] for row in rows} == {str(file)}
    for at, name in enumerate(header[1:], start=1):
        assert [float(row[at]) for row in rows] == [float(value) for value in curve[name]]


def test_pr(file, arrays):
    """The area is the average precision; the lines between the points enclose another."""
    curve, = json_of("curve", file, "--kind", "pr", "--points", 0)["curves"]
    base = arrays["side"] == 0
    want = average_precision_score(base, arrays["score"])
    assert curve["area"] == pytest.approx(want, **EXACT)
    precision, recall, _ = precision_recall_curve(base, arrays["score"])
    assert area(curve["x"], curve["y"]) == pytest.approx(-area(recall, precision), **EXACT)


@pytest.mark.parametrize("points", [2, 5, 12])
def test_thinning_keeps_the_ends_and_the_area(file, points):
    whole, = json_of("curve", file, "--points", 0)["curves"]
    curve, = json_of("curve", file, "--points", points)["curves"]
    assert len(curve["x"]) == points < len(whole["x"])
    assert curve["area"] == whole["area"]
    for end in (0, -1):
        assert (curve["x"][end], curve["y"][end]) == (whole["x"][end], whole["y"][end])
    assert curve["max_error"] > 0


def test_name_with_a_comma_in_csv(folder):
    file = write_npz(folder / 'a,"b".npz', compact())
    rows = list(csv.reader(io.StringIO(succeed("curve", file, "--csv"))))
    assert {len(row) for row in rows} == {4}
    assert rows[1][0] == str(file)


@pytest.mark.parametrize("kind", ["miss-hit", "roc", "pr", "cotpr-ofpr"])
def test_svg(examples, folder, kind):
    """Well-formed XML with one line a file, also when a name has what XML reserves."""
    files = [examples / "coop.npz", write_npz(folder / "a<b>&'c'\".npz", compact())]
    picture = folder / "curve.svg"
    text = succeed("curve", *files, "--kind", kind, "--svg", picture)
    assert f"wrote {picture}" in text
    root = ElementTree.parse(picture).getroot()
    assert root.tag == f"{SVG}svg"
    assert len(root.findall(f".//{SVG}polyline")) == 2
    labels = [element.text for element in root.iter(f"{SVG}text")]
    assert any(label.endswith("a<b>&'c'\"") for label in labels)


def test_svg_replaces_a_file_whole(file, folder):
    picture = folder / "curve.svg"
    picture.write_text("old")
    succeed("curve", file, "--svg", picture)
    ElementTree.parse(picture)
    assert {path.name for path in folder.iterdir()} == {"p.npz", "curve.svg"}
