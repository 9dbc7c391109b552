"""Templates and class names: what prompts `zeroshot` makes of them."""

import numpy as np
import pytest
from command import json_of, needs_models, refused
from pets import PETS, pixels, samples, write_pets
from tiny_oracle import Oracle

pytestmark = needs_models

NAMES = sorted(PETS)
SPOKEN = [name.replace("_", " ") for name in NAMES]
SMALL = {"cat": [1, 2], "owl": [3]}


def zeroshot(model, folder, data, *flags):
    """The JSON and the logits of one run in `folder`."""
    result = json_of("zeroshot", "--model", model, "--data", data, "--out", "x.npz", *flags,
                     cwd=folder)
    with np.load(folder / "x.npz") as arrays:
        return result, arrays["base_logits"], arrays["classes"].tolist()


def oracle_logits(templates, names=SPOKEN):
    prompts = [[template.replace("{}", name) for template in templates] for name in names]
    return Oracle().logits([pixels(number) for _, _, _, number in samples()], prompts)


def test_template_itself(model, pets, folder):
    result, logits, _ = zeroshot(model, folder, pets, "--templates", "{} or no {}.")
    assert result["templates"] == ["{} or no {}."]
    np.testing.assert_allclose(logits, oracle_logits(["{} or no {}."]), atol=1e-4)


def test_set_by_name(model, pets, folder):
    """Whatever the case, and dashes."""
    result, logits, _ = zeroshot(model, folder, pets, "--templates", "oxford-PETS")
    template = "a photo of a {}, a type of pet."
    assert result["templates"] == [template]
    assert np.abs(logits - oracle_logits(["a photo of a {}."])).max() > 0.1


def test_file_and_ensembles(model, pets, folder):
    (folder / "templates.txt").write_bytes(b"a photo of a {}.\r\n\r\nart of {c}.\r\nmy {}")
    templates = ["a photo of a {}.", "art of {}.", "my {}"]
    result, features, _ = zeroshot(model, folder, pets, "--templates", "templates.txt")
    assert (result["templates"], result["ensemble"]) == (templates, "features")
    np.testing.assert_allclose(features, oracle_logits(templates), atol=1e-4)
    result, logits, _ = zeroshot(model, folder, pets, "--templates", "templates.txt", "--ensemble",
                                 "logits")
    assert result["ensemble"] == "logits"
    each = [oracle_logits([template]) for template in templates]
    np.testing.assert_allclose(logits, np.mean(each, axis=0), atol=1e-4)
    assert np.abs(features - logits).max() > 0.1


def test_memory_changes_nothing(model, pets, folder):
    _, little, _ = zeroshot(model, folder, pets, "--templates", "select7", "--memory", 1)
    result, much, _ = zeroshot(model, folder, pets, "--templates", "select7")
    assert len(result["templates"]) == 7
    np.testing.assert_allclose(little, much, atol=1e-4)


def test_underscores(model, pets, folder):
    """Become spaces; with --keep-underscores only what has none is as before."""
    _, logits, _ = zeroshot(model, folder, pets)
    _, kept, _ = zeroshot(model, folder, pets, "--keep-underscores")
    changed = np.abs(logits - kept).max(0) > 1e-3
    assert [name for name, other in zip(NAMES, changed) if other] == ["big_dog"]


def test_names_from_a_file(model, pets, folder):
    """Take the place of folders' names, in the order of labels or by folder."""
    others = ["wolf", "puma", "toad", "mule", "bird", "dish", "lion"]
    (folder / "names").write_text("\n".join(others) + "\n")
    result, logits, classes = zeroshot(model, folder, pets, "--names", "names")
    assert classes == others
    np.testing.assert_allclose(logits, oracle_logits(["a photo of a {}."], others), atol=1e-4)
    pairs = ", ".join(f'"{folder_}": "{name}"' for folder_, name in reversed([*zip(NAMES, others)]))
    (folder / "names.json").write_text("{%s}" % pairs)
    by_folder = zeroshot(model, folder, pets, "--names", "names.json")
    np.testing.assert_array_equal(by_folder[1], logits)
    refused("zeroshot", "--model", model, "--data", pets, "--names", "names", "--split", "test",
            says=["has no splits"], cwd=folder)


def test_classes_without_images(model, folder):
    """A names file may know more classes than there are images of; they are candidates."""
    write_pets(folder, SMALL)
    (folder / "list.txt").write_text("cat/001.png 0\ncat/002.png 0\nowl/003.png 2\n")
    (folder / "names").write_text("cat\ndog\nowl\nbat\n")
    result, logits, _ = zeroshot(model, folder, "list.txt", "--names", "names")
    assert logits.shape == (3, 4)
    hits = logits.argmax(1) == [0, 0, 2]
    assert result["accuracy"]["mean_per_class"] == pytest.approx((hits[:2].mean() + hits[2]) / 2)


def test_classes_without_names(model, folder):
    write_pets(folder, SMALL)
    (folder / "list.txt").write_text("cat/001.png 0\nowl/003.png 1\n")
    call = ["zeroshot", "--model", model, "--data", "list.txt"]
    refused(*call, says=["[zeroshot] list.txt: the classes have no names", "a file of class names"], cwd=folder)
    (folder / "names").write_text("cat\n")
    refused(*call, "--names", "names", says=["has the label 1", "names has only 1"], cwd=folder)


def test_two_classes_of_one_name(model, folder):
    write_pets(folder, SMALL)
    (folder / "names").write_text("cat\ncat\n")
    call = ["zeroshot", "--model", model, "--data", ".", "--names", "names"]
    refused(*call, says=['classes 0 and 1 are both named "cat"'], cwd=folder)
    _, logits, _ = zeroshot(model, folder, *call[4:], "--allow-duplicate-names")
    np.testing.assert_array_equal(logits[:, 0], logits[:, 1])


@pytest.mark.parametrize("names", ["big_dog\nbig dog\n", "Cat\ncat\n"], ids=["spaces", "case"])
def test_two_classes_of_one_prompt(model, folder, names):
    write_pets(folder, SMALL)
    (folder / "names").write_text(names)
    refused("zeroshot", "--model", model, "--data", ".", "--names", "names", cwd=folder,
            says=["classes 0 and 1"])


@pytest.mark.parametrize("templates, says", [
    ("nosuch", ['"nosuch"', "photo, select7, imagenet80"]),
    ("bad.txt", ['bad.txt: line 2 is "the cat."', "expected {} where the class name goes"]),
    ("none.txt", ["none.txt: has no templates"]),
    ("{}" * 50, ["has 152 tokens with start and end; expected at most 48"]),
], ids=["name", "file", "empty", "long"])
def test_refused_templates(model, folder, templates, says):
    write_pets(folder / "small", SMALL)
    (folder / "bad.txt").write_text("a {}.\nthe cat.\n")
    (folder / "none.txt").write_text("\n\n")
    refused("zeroshot", "--model", model, "--data", "small", "--templates", templates, says=says,
            cwd=folder)


def test_a_file_of_templates_that_is_not_there(model, pets, folder):
    refused("zeroshot", "--model", model, "--data", pets, "--templates", "mine.txt", cwd=folder,
            says=["mine.txt", "file", "{}"])


def test_template_of_clip_benchmark(model, pets, folder):
    result, _, _ = zeroshot(model, folder, pets, "--templates", "a {c}.")
    assert result["templates"] == ["a {}."]


@pytest.mark.parametrize("flag, text", [("--templates", "a {}.\n"), ("--names", "cat\nowl\n")])
def test_byte_order_mark(model, folder, flag, text):
    write_pets(folder / "small", SMALL)
    (folder / "plain").write_text(text)
    (folder / "marked").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (_, expected, _), (_, logits, _) = (
        zeroshot(model, folder, "small", flag, name) for name in ("plain", "marked"))
    np.testing.assert_array_equal(logits, expected)
