"""The bundled models: found by name, small, and as accurate as their READMEs say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import BIN, json_of, needs_models, succeed

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
MODELS = [row["name"] for row in json_of("ls", "models")["models"]]


def test_ls_models():
    lines = succeed("ls", "models").splitlines()
    assert [line.split()[0] for line in lines] == MODELS
    assert "pocket" in MODELS
    assert sorted(MODELS) == sorted(path.parent.name for path in DATA.glob("*/model.safetensors"))


@pytest.mark.parametrize("model", MODELS)
def test_inspect_finds_it_by_name(folder, model):
    found = json_of("inspect", model, cwd=folder)
    assert found["format"] == "huggingface"
    assert found["parameters"] <= 4_000_000
    assert found["sha256"] == json_of("inspect", DATA / model)["sha256"]


def test_a_folder_of_that_name_comes_first(folder):
    (folder / "pocket").mkdir()
    ran = subprocess.run([BIN, "inspect", "pocket"], cwd=folder, capture_output=True)
    assert ran.returncode == 2
    assert b"[inspect] pocket: " in ran.stderr


@needs_models
def test_the_first_command_of_the_readme():
    text = succeed("zeroshot", "--model", "pocket", "--data", "doodles:animals", "--no-cache")
    assert "1560 images of 52 classes, 1 template" in text
    result = json_of("zeroshot", "--model", "pocket", "--data", "doodles:animals", "--no-cache")
    assert result["templates"] == ["a doodle of a {}, a kind of animal."]
    top1 = result["accuracy"]["top1"]
    assert 5 / 52 < top1["low"] < top1["value"] < top1["high"] < 0.5  # five times chance


@needs_models
def test_scores():
    """The table of data/pocket/README.md, measured again."""
    done = subprocess.run([sys.executable, ROOT / "scripts" / "score-pocket", "--check"],
                          env={**os.environ, "OPENWORLD_BIN": BIN}, capture_output=True, text=True,
                          timeout=1200)
    assert done.returncode == 0, done.stderr
    rows = {}
    for line in done.stdout.splitlines()[2:]:
        name, classes, *cells = (cell.strip(" *") for cell in line.strip("|").split("|"))
        rows[name] = [float(cell.split()[0]) for cell in cells]
    assert len(rows) == 12
    mean = rows.pop("mean of the 11")
    assert mean == pytest.approx([sum(row[i] for row in rows.values()) / 11 for i in range(5)],
                                 abs=0.1)
    assert rows["all"][0] > 100 * 30 / 345  # thirty times chance
    assert mean[4] < mean[0]  # clutter is hard
