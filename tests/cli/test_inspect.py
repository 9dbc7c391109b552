"""What `inspect` says about one small CLIP in every format."""

import dataclasses
import hashlib
import math

import make_clip
import pytest
from command import json_of, succeed

FORMATS = {
    "huggingface": ("huggingface", ["F16"], "quick_gelu"),
    "huggingface_bin": ("huggingface", ["F32"], "quick_gelu"),
    "huggingface_sharded": ("huggingface", ["F32"], "quick_gelu"),
    "open_clip": ("open_clip", ["BF16"], "quick_gelu"),
    "openai.pt": ("openai", ["F32", "F16"], "quick_gelu"),
    "state_dict.pt": ("state_dict", ["F32"], "gelu"),
    "parallel.pt": ("state_dict", ["F32"], "gelu"),
    "bare.safetensors": ("state_dict", ["BF16"], "gelu"),
}
SIZES = make_clip.SMALL.sizes
SHAPES = make_clip.shapes(SIZES)
VISUAL = sum(math.prod(shape) for name, shape in SHAPES.items() if name.startswith("visual."))
TOTAL = sum(math.prod(shape) for shape in SHAPES.values())


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("checkpoints")
    make_clip.main(folder)
    return folder


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(checkpoints, name):
    result = json_of("inspect", checkpoints / name)
    format_, types, activation = FORMATS[name]
    assert result["schema"] == "openworld.checkpoint/2"
    assert result["source"] == str(checkpoints / name)
    assert (result["format"], result["stored_types"]) == (format_, types)
    assert result["activation"] == activation
    assert result["vision"] == {**SIZES.vision._asdict(), "parameters": VISUAL}
    assert result["text"] == {**SIZES.text._asdict(), "parameters": TOTAL - VISUAL - 1}
    assert result["parameters"] == TOTAL
    assert [result[key] for key in ("embed", "patch", "grid", "context", "vocabulary")] == [
        SIZES.embed, SIZES.patch, SIZES.grid, SIZES.context, SIZES.vocabulary]
    assert result["preprocessing"]["image_size"] == SIZES.image
    if format_ in ("huggingface", "open_clip"):
        assert result["preprocessing"]["mean"] == list(SIZES.mean)
        assert result["preprocessing"]["std"] == list(SIZES.std)
    has_vocabulary = format_ == "huggingface"
    assert (result["vocabulary_path"] is not None) == has_vocabulary
    for file in result["files"]:
        with open(file["path"], "rb") as opened:
            data = opened.read()
        assert file["bytes"] == len(data)
    if len(result["files"]) == 1:
        assert result["sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("name", FORMATS)
def test_text(checkpoints, name):
    text = succeed("inspect", checkpoints / name)
    format_, types, activation = FORMATS[name]
    for words in (f"CLIP with {TOTAL} parameters, format {format_}\n", f"activation: {activation},",
                  f"stored as: {', '.join(types)}\n", "32 x 32 pixels", "SHA-256: "):
        assert words in text
    assert ("note: no configuration names the activation" in text) == (format_ == "state_dict")


def test_a_note_is_gone_once_the_activation_is_given(checkpoints):
    file = checkpoints / "state_dict.pt"
    for activation in ("gelu", "quick_gelu"):
        result = json_of("inspect", file, "--activation", activation)
        assert result["activation"] == activation
        assert not any("activation" in note for note in result["notes"])


def test_tensors(checkpoints):
    result = json_of("inspect", checkpoints / "openai.pt", "--tensors")
    assert {tensor["name"]: tensor["shape"] for tensor in result["tensors"]} == SHAPES
    types = {tensor["name"]: tensor["type"] for tensor in result["tensors"]}
    assert (types["visual.proj"], types["ln_final.bias"]) == ("F16", "F32")
    text = succeed("inspect", checkpoints / "openai.pt", "--tensors")
    assert all(f"\n{name} " in text for name in SHAPES)
    assert "tensors" not in json_of("inspect", checkpoints / "openai.pt")


def test_activation_of_open_clip(folder):
    make_clip.write_open_clip(folder)
    path = folder / "open_clip_config.json"
    with_gelu = dataclasses.replace(SIZES, activation="gelu")
    make_clip.write_json(path, make_clip.open_clip_config(with_gelu))
    assert json_of("inspect", folder)["activation"] == "gelu"
    path.unlink()
    result = json_of("inspect", folder)
    assert (result["format"], result["activation"]) == ("open_clip", "gelu")
    assert len(result["notes"]) == 2


def test_state_dict_of_openai(folder):
    """Known by the entries that only OpenAI's archives have."""
    import numpy as np
    tensors = {**make_clip.SMALL.tensors, "input_resolution": np.array(32)}
    (folder / "x").write_bytes(make_clip.safetensors(tensors))
    result = json_of("inspect", folder / "x")
    assert (result["format"], result["activation"]) == ("state_dict", "quick_gelu")
