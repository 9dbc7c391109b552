"""Checkpoints that are not what their name says, damaged, or malicious: one line, code 2."""

import io
import json
import os
import pickle
import zipfile

import make_clip
import numpy as np
import pytest
from command import refused, succeed

WEIGHTS = make_clip.safetensors(make_clip.SMALL.tensors)
POINTER = (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64
           + b"\nsize 605247071\n")


class Harmful:
    def __reduce__(self):
        return os.system, ("touch harmed",)


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def pickled(value, protocol=2):
    return zipped(**{"archive/data.pkl": pickle.dumps(value, protocol), "archive/version": b"3\n"})


def changed(**changes):
    """The model in safetensors with tensors replaced, or taken out by None."""
    tensors = {**make_clip.SMALL.tensors, **changes}
    return make_clip.safetensors({k: v for k, v in tensors.items() if v is not None})


def case(name, data, *says):
    return pytest.param(data, says, id=name)


FILES = [
    case("empty", b"", "is empty"),
    case("web_page", b"<!DOCTYPE html><html>Not found</html>", "is a web page and not weights"),
    case("web_page_after_a_blank", b"\n <html>", "is a web page"),
    case("lfs_pointer", POINTER, "is a git-lfs pointer", "git lfs pull"),
    case("photo", b"\xff\xd8\xff\xe0\x00\x10JFIF", "is a JPEG image and not weights; expected a file in safetensors"),
    case("random_bytes", np.random.default_rng(1).bytes(500), "is not in safetensors format"),
    case("half_of_safetensors", WEIGHTS[:len(WEIGHTS) // 2], "is the file whole?"),
    case("half_of_the_header", WEIGHTS[:1000], "is the file whole?"),
    case("bare_pickle", pickle.dumps(Harmful(), 2), "refuses global posix.system;"),
    case("pickle_in_an_archive", pickled(Harmful()),
         "refuses global posix.system; only tensors and plain containers are read"),
    case("pickle_of_protocol_4", pickled(Harmful(), 4), "refuses global posix.system;"),
    case("pickle_of_protocol_0", pickled(Harmful(), 0), "expected protocol 2 to 5"),
    case("pickle_of_a_function", pickled(print), "refuses global"),
    case("pickle_of_no_tensors", pickled({"lr": 0.5}), "has no tensors"),
    case("other_zip", zipped(readme="hello"), "is a zip archive but not a PyTorch file"),
    case("half_a_zip", pickled({})[:-30], "zip"),
    case("missing", changed(**{"ln_final.bias": None, "visual.ln_pre.bias": None}),
         "missing: ln_final.bias, visual.ln_pre.bias"),
    case("misshapen", changed(**{"ln_final.bias": np.zeros(65, "f4")}),
         "misshapen: ln_final.bias is [65], expected [64]"),
    case("unexpected", changed(**{"prompt.ctx": np.zeros(4, "f4")}), "unexpected: prompt.ctx"),
    case("all_three", changed(**{"a": np.zeros(1, "f4"), "logit_scale": None,
                                 "visual.proj": np.zeros((128, 31), "f4")}),
         "missing: logit_scale; unexpected: a; misshapen: visual.proj is [128, 31], expected"),
    case("resnet", changed(**{"visual.layer1.0.bn1.bias": np.zeros(4, "f4")}), "is a ResNet"),
    case("siglip", changed(logit_bias=np.zeros(1, "f4")), "is a SigLIP model"),
    case("other_model", make_clip.safetensors({"fc.weight": np.zeros((2, 2), "f4")}),
         "is not a supported CLIP; missing: token_embedding.weight"),
    case("names_that_ring", changed(**{"\x1b[31m\n": np.zeros(1, "f4")}),
         "unexpected: \\x1b[31m\\x0a"),
    case("hugging_face_without_config", make_clip.safetensors(make_clip.hugging_face_tensors()),
         "no config.json beside it"),
]


@pytest.mark.parametrize("data, says", FILES)
def test_file(folder, data, says):
    file = folder / "x"
    file.write_bytes(data)
    refused("inspect", file, says=[f"[inspect] {file}: ", *says], cwd=folder)
    assert os.listdir(folder) == ["x"], "something ran"


def test_legacy_format(folder):
    torch = pytest.importorskip("torch")
    torch.save({"a": torch.zeros(1)}, folder / "x", _use_new_zipfile_serialization=False)
    refused("inspect", folder / "x", says=["is in the legacy format of torch.save; convert it"])


def test_half_of_a_torch_file(folder):
    pytest.importorskip("torch")
    path = make_clip.save(folder / "x", make_clip.SMALL.tensors)
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2])
    refused("inspect", path, says=["is the file whole?"])
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 1
    path.write_bytes(damaged)
    refused("inspect", path, says=["CRC-32", "the file is damaged"])


def test_folders(folder):
    refused("inspect", folder / "none", says=["cannot open: No such file"])
    refused("inspect", folder, says=["holds no checkpoint; expected a folder with config.json"])
    (folder / "config.json").write_text("{}")
    refused("inspect", folder, says=["holds no checkpoint"])
    (folder / "model.safetensors").write_bytes(POINTER)
    refused("inspect", folder, says=["model.safetensors: is a git-lfs pointer"])


CONFIGS = [
    case("not_json", b"<html>", "config.json: is not valid JSON"),
    case("of_another_model", b'{"model_type": "bert"}', 'model_type is "bert"; expected "clip"'),
    case("without_towers", b"{}", "has no text_config object"),
    case("key_twice", b'{"model_type": "clip", "model_type": "clip"}', "twice"),
    case("deep", b'{"a":' * 1000 + b"1" + b"}" * 1000, "nested deeper than 32"),
    case("huge", b" " * (2 << 20), "expected at most"),
]


@pytest.mark.parametrize("data, says", CONFIGS)
def test_config(folder, data, says):
    make_clip.write_hugging_face(folder)
    (folder / "config.json").write_bytes(data)
    refused("inspect", folder, says=[str(folder / "config.json"), *says])


def test_configurations_that_contradict(folder):
    make_clip.write_hugging_face(folder)
    config = make_clip.hugging_face_config()
    config["vision_config"]["hidden_size"] = 768
    make_clip.write_json(folder / "config.json", config)
    refused("inspect", folder, says=["config.json: vision_config.hidden_size is 768; expected 128"])
    make_clip.write_json(folder / "config.json", make_clip.hugging_face_config())
    make_clip.write_json(folder / "preprocessor_config.json", {"size": 224, "crop_size": 224})
    refused("inspect", folder, says=["preprocessor_config.json: size is 224; expected 32"])
    make_clip.write_json(folder / "preprocessor_config.json", {"resample": 2})
    refused("inspect", folder, says=["resample is 2; expected 3, bicubic"])


@pytest.mark.parametrize("place", ["../model.safetensors", "/etc/passwd", "", ".", 7])
def test_shards_stay_in_their_folder(folder, place):
    make_clip.write_sharded(folder)
    index = folder / "model.safetensors.index.json"
    value = json.loads(index.read_text())
    value["weight_map"]["logit_scale"] = place
    make_clip.write_json(index, value)
    refused("inspect", folder, says=["index.json: places tensor", "expected the name of a file"])


def test_shards_that_are_not_there(folder):
    make_clip.write_sharded(folder)
    (folder / "model-00002-of-00002.safetensors").unlink()
    refused("inspect", folder, says=["model-00002-of-00002.safetensors: cannot open"])


def test_activation_flag(folder):
    refused("inspect", folder, "--activation", "relu", says=["--activation", "relu"])


def test_the_model_without_damage_is_read(folder):
    """The unchanged file is accepted; otherwise the tests above would prove nothing."""
    (folder / "x").write_bytes(WEIGHTS)
    assert "format state_dict" in succeed("inspect", folder / "x")
