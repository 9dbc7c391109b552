"""`openworld tune` and its kin on data as people have them: base classes by name, images of no class, no splits,
features without images, photos without labels."""

import numpy as np
import pytest
from command import json_of, needs_models, refused, succeed
from tuning import COLOURS, call, read_json, square, write_squares

pytestmark = needs_models


@pytest.fixture(scope="module")
def mixed(place):
    """Squares of six classes without splits, and squares of no class, beside the model."""
    write_squares(place / "mixed", dict.fromkeys(COLOURS, 8))
    (place / "mixed" / "unknown").mkdir()
    for i in range(5):
        (place / "mixed" / "unknown" / f"{i}.png").write_bytes(square((128, 128, 128), i))
    (place / "base.txt").write_text("yellow\ndark red\n")
    return place


OWN = {"data": "mixed", "train_split": None, "test_fraction": 0.5, "base": "base.txt"}


@pytest.fixture(scope="module")
def run(mixed):
    succeed(*call("coop", "own", **OWN), cwd=mixed)
    return mixed / "own"


def test_base_names_fraction_and_unknown(mixed, run):
    spec = read_json(run / "run.json")
    assert spec["base_classes"] == 2
    assert spec["classes"] == ["dark_red", "yellow", "blue", "green", "pink", "white"]
    assert spec["data"]["train_split"] == "train:0.5#1" and spec["data"]["test_split"] == "test:0.5#1"
    predictions = np.load(run / "predictions.npz")
    side, label = predictions["side"], predictions["label"]
    assert [(side == s).sum() for s in (0, 1, -1)] == [8, 16, 5]
    # Labels follow the names: images are in the order of the folders.
    assert label[side == 0].tolist() == [0] * 4 + [1] * 4
    assert label[side == 1].tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    result = json_of("eval", run, "--metrics", "open_auc")
    assert result["metrics"]["open_auc"]["sides"] == ["base", "unknown"]


def test_other_seeds_are_tested_on_the_same_images(mixed, run):
    succeed(*call("zero-shot", "own-2", seed=2, **OWN), cwd=mixed)
    succeed(*call("zero-shot", "own-3", split_seed=2, **OWN), cwd=mixed)
    tested = [read_json(mixed / name / "run.json")["data"]["test_sha256"] for name in ("own", "own-2", "own-3")]
    assert tested[0] == tested[1] != tested[2]


def test_the_base_classes_of_zeroshot_by_name(mixed, folder):
    succeed("zeroshot", "--model", "model", "--data", "mixed", "--base", "yellow,dark_red", "--out",
            folder / "named.npz", cwd=mixed)
    succeed("zeroshot", "--model", "model", "--data", "mixed", "--base", "2", "--out", folder / "first.npz", cwd=mixed)
    named, first = np.load(folder / "named.npz"), np.load(folder / "first.npz")
    assert list(named["classes"][:2]) == ["dark_red", "yellow"]
    both = {str(name): column for name, column in zip(
        named["classes"], np.c_[named["base_logits"], named["new_logits"]].T)}
    for name, column in zip(first["classes"], np.c_[first["base_logits"], first["new_logits"]].T):
        np.testing.assert_allclose(both[str(name)], column, rtol=1e-4)


def test_features_instead_of_images(mixed, run, folder):
    """The same run, from the features of the same images."""
    succeed("encode", "--model", "model", "--data", "mixed", "--out", folder / "features.npz", cwd=mixed)
    flags = {**OWN, "data": folder / "features.npz"}
    succeed(*call("coop", folder / "run", **flags), cwd=mixed)
    images, features = np.load(run / "predictions.npz"), np.load(folder / "run" / "predictions.npz")
    for name in ("side", "label", "score", "base_logits", "new_logits"):
        np.testing.assert_array_equal(images[name], features[name], err_msg=name)
    refused(*call("vpt", folder / "vpt", **flags), cwd=mixed,
            says=["vpt takes images, and", "features.npz has features alone; expected images, or one of zero-shot, coop"])
    refused(*call("coop", folder / "views", "--views", 2, **flags), cwd=mixed,
            says=["random views need images, and"])
    narrow = dict(np.load(folder / "features.npz"))
    narrow["features"] = narrow["features"][:, :3]
    np.savez(folder / "narrow.npz", **narrow)
    refused(*call("coop", folder / "narrow", **{**flags, "data": folder / "narrow.npz"}), cwd=mixed,
            says=["narrow.npz: has features of 3 dimensions; expected"])


def test_images_of_no_class_are_counted_apart(mixed):
    text = succeed("zeroshot", "--model", "model", "--data", "mixed", cwd=mixed)
    assert text.startswith("48 images of 6 classes and 5 images of none, 1 template\n")


def test_a_flat_folder(mixed, run, folder):
    (folder / "photos").mkdir()
    for i in range(3):
        (folder / "photos" / f"{i}.png").write_bytes(square(COLOURS["blue"], i))
    succeed("encode", "--model", "model", "--data", folder / "photos", "--out", folder / "f.npz", cwd=mixed)
    arrays = np.load(folder / "f.npz")
    assert arrays["labels"].tolist() == [-1, -1, -1] and arrays["features"].shape[0] == 3
    answers = json_of("predict", "--run", run, folder / "photos", cwd=mixed)["images"]
    assert len(answers) == 3
    (folder / "names.txt").write_text("blue\nred\n")
    text = succeed("zeroshot", "--model", "model", "--data", folder / "photos", "--names", folder / "names.txt", "--out",
                   folder / "z.npz", cwd=mixed)
    assert text == ("0 images of 2 classes and 3 images of none, 1 template\n\nno image has a label; nothing to measure\n"
                    f"\nwrote {folder / 'z.npz'}\n")
    refused("zeroshot", "--model", "model", "--data", folder / "photos", cwd=mixed,
            says=["photos: the classes have no names; expected a file of class names, with --names"])


@pytest.mark.parametrize("values, says", [
    ({"base": "yellow,purple"}, 'base names "purple", which is no class'),
    ({"data": "world"}, "world: has the splits test, train"),
    ({"train_split": "train"}, "a test fraction does not go with splits"),
    ({"test_fraction": 1}, "--test-fraction"),
    ({"test_fraction": None}, "mixed has no splits; draw test images from it with --test-fraction 0.5"),
])
def test_refused(mixed, folder, values, says):
    refused(*call("coop", folder / "run", **{**OWN, **values}), cwd=mixed, says=[says])
