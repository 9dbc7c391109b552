"""Models, data and places to write that `encode` and `zeroshot` cannot use: one line, code 2, and
nothing left behind."""

import os
import shutil

import numpy as np
import pytest
from command import needs_models, refused, run
from tiny_model import CLIP, MERGES, weights, write_vocabulary

pytestmark = needs_models

WEIGHTS = weights()


@pytest.fixture
def world(folder, model, pets):
    """A folder with links to a good model and good data, and a copy of the model to break."""
    os.symlink(model, folder / "model")
    os.symlink(pets, folder / "pets")
    shutil.copytree(model, folder / "broken")
    return folder


def check(world, *args, says, command="encode"):
    before = sorted(os.listdir(world))
    message = refused(command, *args, says=says, cwd=world)
    assert message.startswith(f"openworld {command}: ")
    assert sorted(os.listdir(world)) == before, "something was written"


def of_model(name):
    return ["--model", name, "--data", "pets", "--out", "x.npz"]


@pytest.mark.parametrize("command", ["encode", "zeroshot"])
def test_half_downloaded(world, command):
    (world / "broken" / "model.safetensors").write_bytes(WEIGHTS[:len(WEIGHTS) // 2])
    check(world, *of_model("broken"), command=command,
          says=[f"[{command}] broken/model.safetensors: ", "is the file whole?"])


def test_no_checkpoint(world):
    check(world, *of_model("none"), says=["[encode] none: cannot open: No such file"])
    (world / "x.pt").write_bytes(b"hello" * 100)
    check(world, *of_model("x.pt"), says=["[encode] x.pt: is not in safetensors format"])
    np.savez(world / "y.npz", x=1)
    check(world, *of_model("y.npz"), says=["y.npz: is a zip archive but not a PyTorch file"])


@pytest.mark.parametrize("command", ["encode", "zeroshot"])
def test_swapped(world, command):
    says = {"encode": "pets: holds no checkpoint; expected a folder with config.json",
            "zeroshot": "model: holds 0 folders, 0 images and 5 other files"}[command]
    check(world, "--model", "pets", "--data", "model", "--out", "x.npz", command=command,
          says=[says])


def test_wrong_folder(world):
    check(world, "--model", "model", "--data", "none", "--out", "x.npz",
          says=["none: does not exist"])
    (world / "a" / "b").mkdir(parents=True)
    check(world, "--model", "model", "--data", "a", "--out", "x.npz",
          says=['a: the class folder "b" has no images'])


def test_no_vocabulary(world):
    for name in ("merges.txt", "vocab.json"):
        (world / "broken" / name).unlink()
    says = ["broken/model.safetensors: no vocabulary beside the weights", "a vocabulary given apart"]
    check(world, *of_model("broken"), says=says, command="zeroshot")
    (world / "texts").write_text("a cat\n")
    check(world, "--model", "broken", "--texts", "texts", "--out", "x.npz", says=says)


def test_vocabulary_of_another_size(world):
    write_vocabulary(world / "broken", MERGES[:3])
    check(world, *of_model("broken"), command="zeroshot",
          says=["broken/vocab.json: has 517 tokens; expected 519"])
    (world / "broken" / "vocab.json").unlink()
    check(world, *of_model("broken"), command="zeroshot",
          says=["broken/merges.txt: has 3 merges; expected 5"])


@pytest.mark.parametrize("place, says", [
    ("pets", ["pets: holds no vocabulary; expected vocab.json and merges.txt"]),
    ("model/config.json", ["config.json", "line 1"]),
])
def test_vocabulary_that_is_none(world, place, says):
    check(world, *of_model("model"), "--vocabulary", place, command="zeroshot", says=says)


def test_vocabulary_from_elsewhere(world):
    """Or the above would prove nothing."""
    for name in ("merges.txt", "vocab.json"):
        (world / "broken" / name).unlink()
    for place in ("model", "model/merges.txt"):
        ran = run("zeroshot", *of_model("broken"), "--vocabulary", place, cwd=world)
        assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("command", ["encode", "zeroshot"])
@pytest.mark.parametrize("out, says", [
    ("none/x.npz", ["none/x.npz: ", "No such file or directory"]),
    ("broken", ["broken: ", "Is a directory"]),
], ids=["no_folder", "folder"])
def test_out(world, command, out, says):
    check(world, "--model", "model", "--data", "pets", "--out", out, says=says, command=command)


def test_out_is_checked_first(world):
    """Hours of encoding are not for nothing."""
    refused("encode", "--model", "model", "--data", "pets", "--out", "none/x.npz", "--cache",
            "cache", says=["none/x.npz: "], cwd=world)
    assert not (world / "cache").exists()


@pytest.mark.parametrize("command, out", [("encode", "x.npy"), ("zeroshot", "x.csv")])
def test_ending_of_out(world, command, out):
    check(world, "--model", "model", "--data", "pets", "--out", out, says=[out, ".npz"],
          command=command)


@pytest.mark.parametrize("flags", [[], ["--data", "pets", "--texts", "texts"]],
                         ids=["neither", "both"])
def test_either_data_or_texts(world, flags):
    (world / "texts").write_text("a cat\n")
    check(world, "--model", "model", "--out", "x.npz", *flags,
          says=["expected either --data or --texts"])


TEXTS = {
    "empty": (b"", ["texts: no texts, expected one a line"]),
    "long": (b"ok\n" + b"abcdefghij" * 8, ["abcdefghijabcdefghij", "82 tokens", "at most 48"]),
    "latin": (b"caf\xe9", ['"caf\\xe9" is not valid UTF-8']),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(world, name):
    data, says = TEXTS[name]
    (world / "texts").write_bytes(data)
    check(world, "--model", "model", "--texts", "texts", "--out", "x.npz", says=says)


def test_texts_are_named_by_line(world):
    (world / "texts").write_bytes(TEXTS["long"][0])
    check(world, "--model", "model", "--texts", "texts", "--out", "x.npz",
          says=["[encode] texts: line 2 "])


@pytest.mark.parametrize("flags, says", [
    (["--base", "0"], ["base is '0'; expected all, half, or 1 to 7"]),
    (["--base", "some"], ["base names \"some\", which is no class"]),
    (["--level", "95"], ["--level", "expected a number between 0 and 1"]),
    (["--ensemble", "mean"], ["--ensemble", "features,logits"]),
    (["--names", "merges"], ["merges: has 5 names; expected 7, one for each class folder"]),
], ids="-".join)
def test_flags(world, flags, says):
    (world / "merges").write_text("\n".join(MERGES))
    check(world, *of_model("model"), *flags, says=says, command="zeroshot")


@pytest.fixture(params=[np.nan, 0.0], ids=["nan", "zeros"])
def senseless(request, world):
    """A model whose image features are NaN, or zero and cannot be normalised."""
    projection = CLIP.tensors["visual.proj"] * np.float32(request.param)
    changed = weights(**{"visual.proj": projection})
    (world / "broken" / "model.safetensors").write_bytes(changed)
    return world


def test_logits_that_are_not_finite(senseless):
    check(senseless, *of_model("broken"), says=["NaN"], command="zeroshot")


def test_features_that_are_not_finite(world):
    changed = weights(**{"visual.proj": CLIP.tensors["visual.proj"] * np.float32(np.nan)})
    (world / "broken" / "model.safetensors").write_bytes(changed)
    check(world, *of_model("broken"), says=["NaN"])


def test_paths_that_are_not_utf8(world):
    """As `inspect` prints them, with a sign for what cannot be printed."""
    os.symlink("model", os.fsencode(world) + b"/mod\xe9le")
    ran = run("encode", *of_model(os.fsdecode(b"mod\xe9le")), cwd=world)
    assert ran.code == 0, ran.err
