"""What `encode` writes, against NumPy's own CLIP."""

import json
import shutil

import numpy as np
import pytest
from command import json_of, needs_models, run, succeed, without_cost
from pets import PETS, pixels, samples
from tiny_model import SIZES, with_sizes, write_model
from tiny_oracle import Oracle

pytestmark = needs_models

COUNT, EMBED = len(samples()), SIZES.embed
TEXTS = ["a photo of a cat.", "phone photos of photo", "", "off", "a photo of a cat."]


def encode(model, out, *flags):
    """The JSON and the arrays of one run."""
    result = json_of("encode", "--model", model, "--out", out, *flags)
    with np.load(out) as arrays:
        return result, dict(arrays)


@pytest.fixture(scope="module")
def encoded(model, pets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoded")
    result, arrays = encode(model, folder / "x.npz", "--data", pets, "--no-cache", "--threads", 1)
    return result, arrays, folder / "x.npz"


def test_features_of_images(encoded):
    features = encoded[1]["features"]
    oracle = Oracle()
    expected = [oracle.image(pixels(number)) for _, _, _, number in samples()]
    assert np.std(expected, axis=0).min() > 0.1, "images that look alike would prove nothing"
    np.testing.assert_allclose(features, expected, atol=1e-5)


def test_arrays(encoded):
    arrays = encoded[1]
    assert list(arrays) == ["features", "labels", "names", "paths", "meta"]
    assert (arrays["features"].dtype, arrays["features"].shape) == (np.float32, (COUNT, EMBED))
    assert (arrays["labels"].dtype, arrays["labels"].shape) == (np.int32, (COUNT,))
    assert arrays["labels"].tolist() == [label for _, label, _, _ in samples()]
    assert arrays["names"].tolist() == sorted(PETS)
    assert arrays["paths"].tolist() == [path for path, _, _, _ in samples()]
    assert arrays["meta"].shape == ()


def test_json(encoded, model, pets):
    result, arrays, out = encoded
    sha256 = json_of("inspect", model)["sha256"]
    meta = {"model": {"path": str(model), "format": "huggingface", "sha256": sha256,
                      "activation": "quick_gelu", "assumptions": []},
            "data": {"path": str(pets), "format": "imagefolder", "split": None,
                     "root": str(pets), "classes": len(PETS), "images": COUNT,
                     "skipped": 0, "not_images": 0},
            "normalized": False}
    assert json.loads(str(arrays["meta"])) == meta
    assert without_cost(result) == json.dumps(
        {"schema": "openworld.features/2", "out": str(out), **meta, "features": [COUNT, EMBED],
         "encoded": COUNT, "found": 0, "copies": 0})
    assert {"seconds", "peak_memory_bytes", "version"} <= result["cost"].keys()


def test_text_output(model, pets, folder):
    text = succeed("encode", "--model", model, "--data", pets, "--out", "x.npz", "--no-cache",
                   cwd=folder)
    assert text == (f"wrote x.npz: {COUNT} features of {EMBED} dimensions "
                    f"({COUNT} encoded, 0 found in the cache, 0 the same as another); 0 skipped\n")


def test_counts_add_up(model, pets, folder):
    """Features are of images that were encoded, found, or the same as another; other files are named too."""
    shutil.copytree(pets, folder / "pets")
    first = sorted((folder / "pets" / "cat").iterdir())[0]
    for name in ("twin.png", "triplet.png"):
        shutil.copy(first, folder / "pets" / "cat" / name)
    (folder / "pets" / "cat" / "spoilt.png").write_bytes(b"no image")
    (folder / "pets" / "cat" / "notes.txt").write_text("no image either")
    rows = COUNT + 2
    for encoded, found, copies in ((COUNT, 0, 2), (0, rows, 0)):
        ran = run("encode", "--model", model, "--data", "pets", "--out", "x.npz", "--cache", "kept",
                  cwd=folder)
        assert ran.out == (
            f"wrote x.npz: {rows} features of {EMBED} dimensions ({encoded} encoded, {found} found in "
            f"the cache, {copies} the same as another); 1 skipped, 1 file not named like an image\n")
        assert ran.err.count("skipped: ") == 1 and "spoilt.png" in ran.err
    result = json.loads(run("encode", "--model", model, "--data", "pets", "--out", "x.npz", "--no-cache",
                            "--json", cwd=folder).out)
    assert result["features"][0] == result["encoded"] + result["found"] + result["copies"] == rows
    assert (result["data"]["skipped"], result["data"]["not_images"]) == (1, 1)


def test_threads_change_nothing(encoded, model, pets, folder):
    _, two = encode(model, folder / "x.npz", "--data", pets, "--no-cache", "--threads", 2)
    np.testing.assert_allclose(two["features"], encoded[1]["features"], atol=1e-6)


def test_batches_change_nothing(encoded, model, pets, folder):
    _, other = encode(model, folder / "x.npz", "--data", pets, "--no-cache", "--batch", 4)
    np.testing.assert_allclose(other["features"], encoded[1]["features"], atol=1e-5)
    assert other["paths"].tolist() == encoded[1]["paths"].tolist()


def test_a_file_of_weights(encoded, model, pets, folder):
    """Finds its configuration beside it."""
    result, arrays = encode(model / "model.safetensors", folder / "x.npz", "--data", pets)
    assert result["model"]["sha256"] == encoded[0]["model"]["sha256"]
    np.testing.assert_array_equal(arrays["features"], encoded[1]["features"])


def test_activation(model, pets, folder):
    result, arrays = encode(model, folder / "x.npz", "--data", pets, "--activation", "gelu")
    assert result["model"]["activation"] == "gelu"
    expected = Oracle(with_sizes(activation="gelu")).image(pixels(samples()[0][3]))
    np.testing.assert_allclose(arrays["features"][0], expected, atol=1e-5)


def test_features_of_texts(model, folder):
    (folder / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    result, arrays = encode(model, folder / "x.npz", "--texts", folder / "texts.txt")
    assert list(arrays) == ["features", "texts", "meta"]
    assert arrays["texts"].tolist() == TEXTS
    assert arrays["features"].dtype == np.float32
    oracle = Oracle()
    np.testing.assert_allclose(arrays["features"], [oracle.text(text) for text in TEXTS], atol=1e-5)
    assert result["features"] == [len(TEXTS), EMBED]
    assert json.loads(str(arrays["meta"])) == {"model": result["model"], "normalized": False}
    assert "encoded" not in result
    first = (folder / "x.npz").read_bytes()
    text = succeed("encode", "--model", model, "--texts", "texts.txt", "--out", "x.npz", cwd=folder)
    assert text == f"wrote x.npz: {len(TEXTS)} features of {EMBED} dimensions\n"
    with np.load(folder / "x.npz") as again:
        np.testing.assert_array_equal(again["features"], arrays["features"])
    assert (folder / "x.npz").read_bytes() == first


def test_lines_of_texts(model, folder):
    """CRLF ends a line as LF does, the last line may lack its end, and an empty line is a text."""
    file = folder / "texts.txt"
    file.write_bytes("caf\u00e9\r\n\r\n\nA  Photo of a CAT .".encode())
    _, arrays = encode(model, folder / "x.npz", "--texts", file)
    assert arrays["texts"].tolist() == ["caf\u00e9", "", "", "A  Photo of a CAT ."]
    np.testing.assert_array_equal(arrays["features"][1], arrays["features"][2])
    expected = Oracle().text("a photo of a cat.")
    np.testing.assert_allclose(arrays["features"][3], expected, atol=1e-5)


def test_images_need_no_vocabulary(encoded, pets, folder):
    write_model(folder / "mute")
    (folder / "mute" / "merges.txt").unlink()
    (folder / "mute" / "vocab.json").unlink()
    _, arrays = encode(folder / "mute", folder / "x.npz", "--data", pets)
    np.testing.assert_array_equal(arrays["features"], encoded[1]["features"])


def test_byte_order_mark(model, folder):
    """Windows editors write one; a CSV may start with it too."""
    (folder / "texts.txt").write_bytes(b"\xef\xbb\xbfa photo of a cat.\n")
    _, arrays = encode(model, folder / "x.npz", "--texts", folder / "texts.txt")
    assert arrays["texts"].tolist() == ["a photo of a cat."]


def test_one_of_each(model, folder):
    (folder / "texts.txt").write_text("a cat\n")
    text = succeed("encode", "--model", model, "--texts", "texts.txt", "--out", "x.npz", cwd=folder)
    assert text == f"wrote x.npz: 1 feature of {EMBED} dimensions\n"
