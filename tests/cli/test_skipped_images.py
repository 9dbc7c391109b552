"""Images that cannot be read are reported and counted; the others are processed."""

import json
import os

import numpy as np
import pytest
from command import json_of, needs_models, run
from pets import picture, samples, write_pets

pytestmark = needs_models

COUNT = len(samples())
GOOD = picture(50)
BAD = {"0empty.png": b"", "1web_page.jpg": b"<html>not found</html>", "2half.png": GOOD[:60],
       "3without_end.png": GOOD[:-30], "4header.webp": b"RIFF\0\0\0\0WEBP",
       "5signature.png": GOOD[:8], "6text.png": b"hello"}


@pytest.fixture
def spoilt(folder):
    """The pets, and among the cats files that are not images."""
    write_pets(folder / "pets")
    for name, data in BAD.items():
        (folder / "pets" / "cat" / name).write_bytes(data)
    return folder


def test_skipped(spoilt, model):
    call = ["encode", "--model", model, "--data", "pets", "--out", "x.npz"]
    ran = run(*call, cwd=spoilt)
    assert ran.code == 0
    assert f"{COUNT} features" in ran.out and f"{len(BAD)} skipped" in ran.out
    lines = ran.err.splitlines()
    assert len(lines) == 6
    for line, name in zip(lines[:5], BAD):
        assert line.startswith(f"skipped: [decode_image] pets/cat/{name}: ")
    assert lines[5] == f"skipped: {len(BAD) - 5} more"
    with np.load(spoilt / "x.npz") as arrays:
        assert arrays["paths"].tolist() == [path for path, _, _, _ in samples()]
        assert arrays["labels"].tolist() == [label for _, label, _, _ in samples()]
        assert len(arrays["features"]) == COUNT


def test_skipped_again(spoilt, model):
    """They are not cached, and are skipped again with a warm cache."""
    for encoded in (COUNT, 0):
        ran = run("encode", "--model", model, "--data", "pets", "--out", "x.npz", "--cache", "kept",
                  cwd=spoilt)
        assert f"({encoded} encoded" in ran.out and f"{len(BAD)} skipped" in ran.out
        assert ran.err.count("\n") == 6


def test_up_to_five_are_all_named(spoilt, model):
    for name in list(BAD)[5:]:
        (spoilt / "pets" / "cat" / name).unlink()
    ran = run("encode", "--model", model, "--data", "pets", "--out", "x.npz", "--json", cwd=spoilt)
    assert ran.err.count("\n") == 5 and "more" not in ran.err
    assert json.loads(ran.out)["data"]["skipped"] == 5


def test_zeroshot(spoilt, model):
    ran = run("zeroshot", "--model", model, "--data", "pets", "--out", "x.npz", cwd=spoilt)
    assert (ran.code, ran.err.count("\n")) == (0, 6)
    assert f"{COUNT} images of 7 classes" in ran.out
    with np.load(spoilt / "x.npz") as arrays:
        assert len(arrays["side"]) == COUNT


@pytest.mark.parametrize("command", ["encode", "zeroshot"])
def test_all_of_them(folder, model, command):
    (folder / "pets" / "cat").mkdir(parents=True)
    for name, data in BAD.items():
        (folder / "pets" / "cat" / name).write_bytes(data)
    ran = run(command, "--model", model, "--data", "pets", "--out", "x.npz", cwd=folder)
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert len(lines) == 7
    assert lines[6].startswith(f"openworld {command}: ")
    assert f"none of {len(BAD)} images could be read" in lines[6]
    assert os.listdir(folder) == ["pets"]


def test_files_that_are_gone(folder, model):
    write_pets(folder)
    (folder / "list.txt").write_text("owl/010.png 0\nowl/none.png 0\nowl 0\n")
    os.symlink("nowhere", folder / "owl" / "link.png")
    ran = run("encode", "--model", model, "--data", "list.txt", "--out", "x.npz", cwd=folder)
    assert ran.code == 0 and "2 skipped" in ran.out
    assert "owl/none.png: cannot open: No such file or directory\n" in ran.err
    (folder / "x.npz").unlink()
    (folder / "list.txt").unlink()
    ran = run("encode", "--model", model, "--data", ".", "--out", "x.npz", cwd=folder)
    assert ran.code == 0 and f"{COUNT} features" in ran.out and "owl/link.png: cannot" in ran.err


def test_other_files_are_no_images(folder, model):
    """Notes, and what starts with a dot; in deeper folders images count."""
    write_pets(folder / "pets", {"cat": [1, 2], "owl": [3]})
    (folder / "pets" / "cat" / "notes.txt").write_text("hello")
    (folder / "pets" / "cat" / ".hidden.png").write_text("hello")
    (folder / "pets" / ".git").mkdir()
    (folder / "pets" / "owl" / "deep").mkdir()
    (folder / "pets" / "owl" / "deep" / "4.PNG").write_bytes(picture(4))
    result = json_of("encode", "--model", model, "--data", folder / "pets", "--out",
                     folder / "x.npz")
    assert (result["data"]["images"], result["data"]["skipped"]) == (4, 0)


def test_names_that_ring(folder, model):
    write_pets(folder / "pets", {"cat": [1]})
    (folder / "pets" / "cat" / "a\n\x1b[31m.png").write_text("no image")
    ran = run("encode", "--model", model, "--data", "pets", "--out", "x.npz", cwd=folder)
    assert ran.code == 0 and ran.err.count("\n") == 1 and "\x1b" not in ran.err
