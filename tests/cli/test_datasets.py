"""The same images in every format that datasets come in."""

import csv
import io
import json
import tarfile

import numpy as np
import pytest
from command import json_of, needs_models, refused
from make_clip import write_json
from pets import PETS, picture, samples, write_pets

pytestmark = needs_models

NAMES = sorted(PETS)


def triples(indices=None):
    chosen = samples() if indices is None else [samples()[i] for i in indices]
    return [[path, label, name] for path, label, name, _ in chosen]


def write_csv(path, header, rows, delimiter=","):
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])


def write_tar(path, chosen, label=lambda label, name: (".cls", str(label))):
    path.parent.mkdir(exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for place, number, name, picture_number in chosen:
            ending, text = label(number, name)
            key = place.replace("/", "_").partition(".")[0]
            members = {f"{key}.png": picture(picture_number), f"{key}{ending}": text.encode()}
            for file, data in members.items():
                member = tarfile.TarInfo(file)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


def imagefolder(folder):
    return ["pets"]


def splitfolders(folder):
    (folder / "split").mkdir()
    (folder / "pets").rename(folder / "split" / "test")
    write_pets(folder / "split" / "train", {"cat": [30], "owl": [31]})
    return ["split", "--split", "test"]


def coop(folder):
    write_json(folder / "split_zhou_Pets.json",
               {"train": triples([3]), "val": triples([4, 5]), "test": triples()})
    return ["split_zhou_Pets.json", "--split", "test"]


def coop_folder(folder):
    coop(folder)
    return [".", "--split", "test"]


def imglist(folder):
    lines = [f"pets/{path} {label}" for path, label, _, _ in samples()]
    (folder / "list.txt").write_text("\n".join(lines))
    (folder / "classnames.txt").write_text("\n".join(NAMES))
    return ["list.txt"]


def imglist_elsewhere(folder):
    imglist(folder)
    (folder / "classnames.txt").rename(folder / "names")
    (folder / "lists" / "a" / "b" / "c").mkdir(parents=True)
    (folder / "list.txt").rename(folder / "lists" / "a" / "b" / "c" / "list.txt")
    return ["lists/a/b/c/list.txt", "--image-root", ".", "--names", "names"]


def csv_of_names(folder):
    write_csv(folder / "pets.csv", ["name", "path"], [(name, path) for path, _, name in triples()])
    return ["pets.csv"]


def tsv_of_labels_and_splits(folder):
    rows = [(*row, "test") for row in triples()] + [(*row, "train") for row in triples([1, 2])]
    write_csv(folder / "pets.tsv", ["path", "label", "name", "split"], rows, "\t")
    return ["pets.tsv", "--split", "test"]


def webdataset(folder):
    write_tar(folder / "pets.tar", samples())
    write_json(folder / "names.json", NAMES)
    return ["pets.tar", "--names", "names.json"]


def webdataset_shards(folder):
    def label(_, name):
        return ".json", json.dumps({"label": name, "caption": "x"})

    write_tar(folder / "shards" / "pets-000.tar", samples()[:9], label)
    write_tar(folder / "shards" / "pets-001.tar", samples()[9:], label)
    return ["shards/pets-{000..001}.tar"]


FORMATS = {write: write.__name__.partition("_")[0] for write in (
    imagefolder, splitfolders, coop, coop_folder, imglist, imglist_elsewhere, csv_of_names,
    webdataset, webdataset_shards)}
FORMATS[tsv_of_labels_and_splits] = "csv"


@pytest.fixture(scope="module")
def expected(model, pets, tmp_path_factory):
    out = tmp_path_factory.mktemp("expected") / "x.npz"
    json_of("encode", "--model", model, "--data", pets, "--out", out)
    with np.load(out) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("write", FORMATS, ids=lambda write: write.__name__)
def test_the_same_features(model, folder, expected, write):
    write_pets(folder / "pets")
    data = write(folder)
    result = json_of("encode", "--model", model, "--out", "x.npz", "--data", *data, cwd=folder)
    assert result["data"]["format"] == FORMATS[write]
    assert result["data"]["split"] == ("test" if "--split" in data else None)
    assert (result["encoded"], result["found"]) == (0, len(samples())), "other bytes"
    with np.load(folder / "x.npz") as arrays:
        np.testing.assert_array_equal(arrays["features"], expected["features"])
        assert arrays["labels"].tolist() == expected["labels"].tolist()
        assert arrays["names"].tolist() == NAMES
        if "webdataset" not in write.__name__:
            for path, end in zip(arrays["paths"], expected["paths"]):
                assert path.endswith(end)


def test_unknown_labels(model, folder):
    """Keep their -1; classes without names are called by their numbers."""
    write_pets(folder, {"cat": [1, 2], "owl": [3]})
    (folder / "list.txt").write_text("cat/001.png 1\nowl/003.png -1\ncat/002.png 0\n")
    json_of("encode", "--model", model, "--out", "x.npz", "--data", "list.txt", cwd=folder)
    with np.load(folder / "x.npz") as arrays:
        assert arrays["labels"].tolist() == [1, -1, 0]
        assert arrays["names"].tolist() == ["0", "1"]
        assert arrays["paths"].tolist() == ["cat/001.png", "owl/003.png", "cat/002.png"]


def test_format_by_name(model, folder):
    """A list by an odd name, and a wrong word for its format."""
    write_pets(folder, {"cat": [1]})
    (folder / "list").write_text("cat/001.png 0\n")
    call = ["encode", "--model", model, "--out", "x.npz", "--data", "list"]
    result = json_of(*call, "--data-format", "imglist", cwd=folder)
    assert result["data"]["format"] == "imglist"
    refused(*call, "--data-format", "folder", cwd=folder,
            says=['"folder"', "did you mean flatfolder? There are doodles, icons, downloads, idx, sheets, webdataset, features, coop, csv"])


def test_splits_have_to_be_given(model, folder):
    write_pets(folder / "pets")
    coop(folder)
    call = ["encode", "--model", model, "--out", "x.npz", "--data"]
    for flags in ([], ["--split", "dev"]):
        says = ["train", "val", "test", *([] if flags else ["name one with --split"])]
        refused(*call, "split_zhou_Pets.json", *flags, says=says, cwd=folder)
    refused(*call, "pets", "--split", "test", says=["pets: has no splits"], cwd=folder)


def test_image_root_that_is_wrong(model, folder):
    write_pets(folder / "zoo")
    (folder / "list.txt").write_text("zoo/owl/010.png 0\n")
    refused("encode", "--model", model, "--out", "x.npz", "--data", "list.txt", "--image-root",
            "zoo", says=['list.txt: the image "zoo/owl/010.png" is not in zoo'], cwd=folder)


def test_messages_say_what_to_give(model, folder):
    (folder / "list.txt").write_text("none.png 0\n")
    refused("encode", "--model", model, "--out", "x.npz", "--data", "list.txt", cwd=folder,
            says=["expected an image root, the folder of the images"])


def test_image_root_of_what_is_no_list(model, pets, folder):
    refused("encode", "--model", model, "--out", folder / "x.npz", "--data", pets, "--image-root",
            folder, says=["an image root is for lists of paths"])
