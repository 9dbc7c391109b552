"""`worlds`: what it lists, and the pictures it draws."""

import os
import subprocess

import numpy as np
import pytest
from command import BIN, ROOT, json_of, needs_models, refused, succeed, without_cost
from PIL import Image

DATASETS = ["all", "animals", "body", "clothes", "food", "gear", "home", "instruments", "outdoors",
            "shapes", "vehicles"]
LOOKS = ["plain", "redrawn", "chalk", "crayon", "cluttered"]


@pytest.fixture(scope="module")
def doodles():
    return json_of("worlds")["worlds"][0]


@pytest.fixture(scope="module")
def icons():
    return json_of("worlds")["worlds"][1]


def pixels(path):
    with Image.open(path) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        return np.asarray(image)


def test_list(doodles):
    assert doodles["name"] == "doodles"
    assert [row["name"] for row in doodles["datasets"]] == DATASETS
    assert [row["name"] for row in doodles["looks"]] == LOOKS
    per_class = {"pretrain": 50, "train": 20, "test": 30}
    assert doodles["splits"] == list(per_class)
    text = succeed("worlds")
    for row in doodles["datasets"]:
        assert row["template"].count("{}") == 1
        assert row["template"] in text
        for split, count in per_class.items():
            assert row["images"][split] == count * row["classes"]
    for row in doodles["looks"]:
        assert row["description"] in text


def test_list_of_icons(icons):
    """What is listed is what data/icons.npz holds."""
    with np.load(ROOT / "data" / "icons.npz") as arrays:
        themes, styles = arrays["themes"].tolist(), arrays["styles"].tolist()
        assert icons["name"] == "icons" and icons["splits"] == ["train", "test"]
        assert [row["name"] for row in icons["datasets"]] == ["all", *themes]
        assert [row["name"] for row in icons["styles"]] == styles
        for row in icons["datasets"][1:]:
            t = themes.index(row["name"])
            assert row["classes"] == (arrays["theme"] == t).sum()
            for split in icons["splits"]:
                assert row["images"][split] == (arrays["theme"][arrays[f"{split}_label"]] == t).sum()
    assert icons["styles"][2]["description"] in succeed("worlds")


def test_card_of_icons(icons):
    card = json_of("worlds", "show", "icons:tools@game")
    assert (card["world"], card["style"]["name"]) == ("icons", "game") and "seed" not in card
    row, = (row for row in icons["datasets"] if row["name"] == "tools")
    assert card["class_names"] == json_of("worlds", "show", "icons:tools")["class_names"]
    assert 0 < card["dataset"]["images"]["test"] < row["images"]["test"]
    assert "style      game: game-icons" in succeed("worlds", "show", "icons:tools@game")
    assert "style      all" in succeed("worlds", "show", "icons:tools")


def test_pictures_of_icons(folder):
    """A sheet has the pixels of the file, enlarged by two: the mean of four is near the one they are of."""
    succeed("worlds", "show", "icons:animals", "--rows", 1, "--columns", 4, "--png", folder / "x.png")
    sheet = pixels(folder / "x.png").astype(float)
    with np.load(ROOT / "data" / "icons.npz") as arrays:
        label = int(np.flatnonzero(arrays["theme"] == 0)[0])
        rows = np.flatnonzero(arrays["test_label"] == label)[:4]
        pictures = arrays["palette"][arrays["test"][rows]].astype(float)
    for i, picture in enumerate(pictures):
        right = sheet.shape[1] - 20 - (len(pictures) - 1 - i) * 104
        part = sheet[-20 - 96:-20, right - 96:right]
        small = part.reshape(48, 2, 48, 2, 3).mean((1, 3))
        assert np.corrcoef(small.ravel(), picture.ravel())[0, 1] > 0.97


def test_the_documents_agree(doodles, icons):
    """The tables of docs/datasets.md are the program's."""
    text = (ROOT / "docs" / "datasets.md").read_text()
    for row in doodles["datasets"] + icons["datasets"]:
        cells = (f"`{row['name']}`", row["classes"], row["description"], row["template"])
        assert f"| {' | '.join(map(str, cells))} |\n" in text
    for row in doodles["looks"]:
        assert f"| `{row['name']}` | " in text and row["mirrors"] in text


@pytest.mark.parametrize("name", DATASETS)
def test_card(doodles, name):
    row, = (row for row in doodles["datasets"] if row["name"] == name)
    card = json_of("worlds", "show", f"doodles:{name}@crayon#5")
    assert card["data"] == f"doodles:{name}@crayon#5"
    assert card["dataset"] == row
    assert (card["look"]["name"], card["seed"]) == ("crayon", 5)
    assert len(set(card["class_names"])) == row["classes"]
    text = succeed("worlds", "show", f"doodles:{name}")
    assert row["template"] in text
    listed = text.split("\n\n")[2].replace("\n", " ").strip().split(", ")
    assert listed == card["class_names"]


@pytest.mark.parametrize("look", LOOKS)
def test_sheet(folder, look):
    out = folder / "sheet.png"
    call = ["worlds", "show", f"doodles:shapes@{look}", "--rows", 3, "--columns", 4, "--png"]
    assert succeed(*call, out) == f"wrote {out}\n"
    sheet = pixels(out)
    succeed(*call, folder / "again.png")
    np.testing.assert_array_equal(sheet, pixels(folder / "again.png"))
    succeed("worlds", "show", f"doodles:shapes@{look}#2", *call[3:], folder / "other.png")
    other = pixels(folder / "other.png")
    # Below the title, which names the seed.
    assert (sheet[60:] == other[60:, :sheet.shape[1]]).all() == (look == "plain")


def test_sheet_has_rows_and_columns_as_asked(folder):
    sizes = {}
    for rows, columns in ((1, 6), (2, 6), (10, 6), (10, 7), (345, 50)):
        succeed("worlds", "show", "doodles:shapes", "--rows", rows, "--columns", columns, "--png",
                folder / "x.png")
        sizes[rows, columns] = pixels(folder / "x.png").shape
    step = sizes[2, 6][0] - sizes[1, 6][0]
    assert step == sizes[10, 7][1] - sizes[10, 6][1] > 112
    height, width, _ = sizes[10, 6]
    assert height == sizes[2, 6][0] + 8 * step
    assert sizes[345, 50] == (height, width + 24 * step, 3), "10 classes, 30 drawings"


def test_splits_differ(folder):
    sheets = []
    for split in ("pretrain", "train", "test"):
        succeed("worlds", "show", "doodles:food", "--split", split, "--png", folder / "x.png")
        sheets.append(pixels(folder / "x.png")[60:].tobytes())
    assert len(set(sheets)) == 3


def test_json_does_not_depend_on_the_folder(folder):
    here, there = (json_of("worlds", "show", "doodles:body", cwd=cwd) for cwd in (folder, "/"))
    assert without_cost(here) == without_cost(there)


@pytest.mark.parametrize("call, says", [
    (["show"], ["expected a dataset", "doodles:NAME"]),
    (["list"], ["list"]),
    (["--png", "x.png"], ["--png needs one dataset"]),
    (["show", "doodles:animls"], ['"animls"', "did you mean animals", *DATASETS]),
    (["show", "doodles:food@chork"], ['"chork"', "did you mean chalk", *LOOKS]),
    (["show", "doodles:food#x"], ['seed "x"']),
    (["show", "pets"], ["pets: is not a dataset of a world", "icons:NAME"]),
    (["show", "icons:animls"], ['"animls"', "did you mean animals"]),
    (["show", "icons:food", "--split", "pretrain"], ['"pretrain"', "train, test"]),
    (["show", "doodles:food", "--split", "val"], ['"val"', "pretrain, train, test"]),
    (["show", "doodles:food", "--png", "x.jpg"], ["x.jpg", ".png"]),
    (["show", "doodles:food", "--png", "none/x.png"], ["none/x.png"]),
    (["show", "doodles:food", "--rows", "0"], ["--rows"]),
    (["show", "doodles:food", "--columns", "51"], ["--columns"]),
], ids=" ".join)
def test_refused(folder, call, says):
    refused("worlds", *call, says=says, cwd=folder)
    assert list(folder.iterdir()) == []


def test_other_data_folder(folder):
    """OPENWORLD_DATA says where the drawings are; without them there is one clear line."""
    call = [BIN, "worlds", "show", "doodles:food", "--png", "x.png"]
    for make, says in ((lambda file: None, b"does not exist"),
                       (lambda file: file.write_bytes(b"PK"), b"doodles.npz: ")):
        make(folder / "doodles.npz")
        done = subprocess.run(call, env={**os.environ, "OPENWORLD_DATA": str(folder)},
                              capture_output=True, cwd=folder, timeout=60)
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1 and says in done.stderr
        assert str(folder / "doodles.npz").encode() in done.stderr


@needs_models
def test_features(model, folder):
    out = folder / "x.npz"
    result = json_of("encode", "--model", model, "--data", "doodles:shapes@chalk", "--out", out)
    assert result["data"] == {"path": "doodles:shapes@chalk", "format": "doodles", "split": "test",
                              "root": "doodles:shapes@chalk", "classes": 10, "images": 300,
                              "skipped": 0, "not_images": 0}
    with np.load(out) as arrays:
        assert arrays["labels"].tolist() == [i // 30 for i in range(300)]
        assert arrays["paths"][31] == "test/diamond/071.png"


@needs_models
def test_zeroshot_takes_the_template_of_the_dataset(model):
    call = ["zeroshot", "--model", model, "--data", "doodles:shapes", "--split", "train"]
    result = json_of(*call)
    assert result["templates"] == ["a doodle of a {}, a simple shape."]
    assert (result["data"]["split"], result["data"]["images"]) == ("train", 200)
    assert json_of(*call, "--templates", "photo")["templates"] == ["a photo of a {}."]
    refused(*call[:-1], "val", says=['"val"', "pretrain, train, test"])
