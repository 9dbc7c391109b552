"""Writes a CLIP in every format that is read. Run: make_clip.py FOLDER; needs PyTorch.

Run so, and by default, the model is SMALL: its values follow from names (`values`), so that a test
can compute what it has to read; each is a multiple of 1/64 of at most 8 bits and survives fp16 and
bf16.
"""

import collections
import dataclasses
import json
import pathlib
import sys
import zlib
from typing import NamedTuple

import numpy as np


class Tower(NamedTuple):
    width: int
    layers: int
    heads: int
    mlp: int


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Everything about a CLIP but its values. Which of it a format can say differs: files without
    a configuration leave heads, activation, epsilon, mean and std to convention."""
    vision: Tower
    text: Tower
    image: int
    patch: int
    embed: int
    context: int
    vocabulary: int
    mean: tuple = (0.48145466, 0.4578275, 0.40821073)
    std: tuple = (0.26862954, 0.26130258, 0.27577711)
    activation: str = "quick_gelu"
    epsilon: float = 1e-5
    stem: tuple = ()  # (channels, stride) of 3 x 3 convolutions in front of the patches

    @property
    def grid(self):
        side = self.image
        for _, stride in self.stem:
            side = -(-side // stride)
        return side // self.patch


class Clip(NamedTuple):
    sizes: Sizes
    tensors: dict  # float32, by OpenAI's names


def values(name, shape):
    count = int(np.prod(shape))
    mixed = zlib.crc32(name.encode()) + np.arange(count, dtype=np.uint64) * 2654435761
    return ((mixed % 2**32 // 2**24).astype(np.float32) / 64 - 2).reshape(shape)


def block_shapes(width, mlp):
    return {
        "ln_1.weight": [width], "ln_1.bias": [width],
        "attn.in_proj_weight": [3 * width, width], "attn.in_proj_bias": [3 * width],
        "attn.out_proj.weight": [width, width], "attn.out_proj.bias": [width],
        "ln_2.weight": [width], "ln_2.bias": [width],
        "mlp.c_fc.weight": [mlp, width], "mlp.c_fc.bias": [mlp],
        "mlp.c_proj.weight": [width, mlp], "mlp.c_proj.bias": [width],
    }


def shapes(sizes):
    d, w, embed = sizes.text.width, sizes.vision.width, sizes.embed
    result = {
        "logit_scale": [],
        "token_embedding.weight": [sizes.vocabulary, d], "positional_embedding": [sizes.context, d],
        "ln_final.weight": [d], "ln_final.bias": [d], "text_projection": [d, embed],
        "visual.class_embedding": [w],
    }
    channels = 3
    for i, (out, _) in enumerate(sizes.stem):
        result[f"visual.stem.{i}.weight"] = [out, channels, 3, 3]
        result[f"visual.stem.{i}.bias"] = [out]
        channels = out
    result.update({
        "visual.conv1.weight": [w, channels, sizes.patch, sizes.patch],
        "visual.positional_embedding": [1 + sizes.grid**2, w],
        "visual.ln_pre.weight": [w], "visual.ln_pre.bias": [w],
        "visual.ln_post.weight": [w], "visual.ln_post.bias": [w], "visual.proj": [w, embed],
    })
    for prefix, tower in (("transformer", sizes.text), ("visual.transformer", sizes.vision)):
        for i in range(tower.layers):
            for name, shape in block_shapes(tower.width, tower.mlp).items():
                result[f"{prefix}.resblocks.{i}.{name}"] = shape
    return result


def clip_of_names(sizes):
    return Clip(sizes, {name: values(name, shape) for name, shape in shapes(sizes).items()})


SMALL = clip_of_names(Sizes(
    vision=Tower(width=128, layers=2, heads=2, mlp=512),
    text=Tower(width=64, layers=3, heads=1, mlp=256),
    image=32, patch=8, embed=32, context=16, vocabulary=100,
    mean=(0.5, 0.25, 0.125), std=(0.5, 0.75, 0.25)))


HUGGING_FACE = {
    "token_embedding": "text_model.embeddings.token_embedding",
    "ln_final": "text_model.final_layer_norm",
    "visual.conv1": "vision_model.embeddings.patch_embedding",
    "visual.ln_pre": "vision_model.pre_layrnorm", "visual.ln_post": "vision_model.post_layernorm",
    "ln_1": "layer_norm1", "ln_2": "layer_norm2", "mlp.c_fc": "mlp.fc1", "mlp.c_proj": "mlp.fc2",
    "attn.out_proj": "self_attn.out_proj",
}


def hugging_face_tensors(clip=SMALL):
    result = {"text_model.embeddings.position_ids": np.arange(clip.sizes.context)[None]}
    for name, value in clip.tensors.items():
        tower = "vision_model" if name.startswith("visual.") else "text_model"
        stem, _, kind = name.rpartition(".")
        if ".resblocks." in name:
            number, _, stem = stem.partition(".resblocks.")[2].partition(".")
            block = f"{tower}.encoder.layers.{number}."
            if "in_proj" in name:
                for letter, part in zip("qkv", np.split(value, 3)):
                    result[f"{block}self_attn.{letter}_proj.{name.rpartition('_')[2]}"] = part
            else:
                result[f"{block}{HUGGING_FACE[stem]}.{kind}"] = value
        elif name.endswith("positional_embedding"):
            result[f"{tower}.embeddings.position_embedding.weight"] = value
        elif name == "visual.class_embedding" or name.startswith("visual.stem."):
            result[f"vision_model.embeddings.{name.partition('.')[2]}"] = value
        elif name == "text_projection":
            result["text_projection.weight"] = value.T
        elif name == "visual.proj":
            result["visual_projection.weight"] = value.T
        else:
            result[f"{HUGGING_FACE[stem]}.{kind}" if stem else name] = value
    return result


def safetensors_parts(tensors, dtype):
    """The bytes of such a file in pieces, for a model that one does not want in memory twice."""
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, value in tensors.items():
        code = "I64" if value.dtype == np.int64 else dtype
        begin, end = end, end + value.size * {"I64": 8, "F32": 4, "F16": 2, "BF16": 2}[code]
        header[name] = {"dtype": code, "shape": list(value.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for name, value in tensors.items():
        code = header[name]["dtype"]
        if code == "BF16":
            value = (value.astype("<f4").view("<u4") >> 16).astype("<u2")
        elif code != "I64":
            value = value.astype({"F16": "<f2", "F32": "<f4"}[code], copy=False)
        yield np.ascontiguousarray(value).tobytes()


def safetensors(tensors, dtype="F32"):
    """The bytes of such a file; float tensors have the given dtype, bf16 by cutting bits off."""
    return b"".join(safetensors_parts(tensors, dtype))


def write_safetensors(path, tensors, dtype="F32"):
    with open(path, "wb") as file:
        file.writelines(safetensors_parts(tensors, dtype))


def hugging_face_config(sizes=SMALL.sizes):
    def tower(of):
        return {"hidden_size": of.width, "num_hidden_layers": of.layers,
                "num_attention_heads": of.heads, "intermediate_size": of.mlp,
                "hidden_act": sizes.activation, "layer_norm_eps": sizes.epsilon}

    vision = {**tower(sizes.vision), "image_size": sizes.image, "patch_size": sizes.patch}
    if sizes.stem:
        vision["openworld_stem"] = sizes.stem
    return {"model_type": "clip", "projection_dim": sizes.embed,
            "text_config": {**tower(sizes.text), "vocab_size": sizes.vocabulary, "eos_token_id": 2,
                            "max_position_embeddings": sizes.context},
            "vision_config": vision}


def preprocessor_config(sizes):
    return {"size": {"shortest_edge": sizes.image},
            "crop_size": {"height": sizes.image, "width": sizes.image},
            "resample": 3, "image_mean": sizes.mean, "image_std": sizes.std, "do_resize": True}


def open_clip_config(sizes=SMALL.sizes):
    """What equals OpenCLIP's defaults, heads of 64 and 4 times the width, is left out as there."""
    vision = {"image_size": sizes.image, "layers": sizes.vision.layers,
              "width": sizes.vision.width, "patch_size": sizes.patch}
    text = {"context_length": sizes.context, "vocab_size": sizes.vocabulary,
            "width": sizes.text.width, "heads": sizes.text.heads, "layers": sizes.text.layers}
    if sizes.vision.width != 64 * sizes.vision.heads:
        vision["head_width"] = sizes.vision.width // sizes.vision.heads
    for config, tower in ((vision, sizes.vision), (text, sizes.text)):
        if tower.mlp != 4 * tower.width:
            config["mlp_ratio"] = tower.mlp / tower.width
    return {"model_cfg": {"embed_dim": sizes.embed, "quick_gelu": sizes.activation == "quick_gelu",
                          "vision_cfg": vision, "text_cfg": text},
            "preprocess_cfg": {"mean": sizes.mean, "std": sizes.std}}


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2))


def write_hugging_face(folder, clip=SMALL, weights="model.safetensors", dtype="F16"):
    """pytorch_model.bin is always of fp32."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = hugging_face_tensors(clip)
    write_json(folder / "config.json", hugging_face_config(clip.sizes))
    write_json(folder / "preprocessor_config.json", preprocessor_config(clip.sizes))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    if weights.endswith(".bin"):
        save(folder / weights, tensors)
    else:
        write_safetensors(folder / weights, tensors, dtype)
    return folder


def write_sharded(folder):
    write_hugging_face(folder)
    (folder / "model.safetensors").unlink()
    tensors = hugging_face_tensors()
    places = {name: f"model-{i % 2 + 1:05}-of-00002.safetensors" for i, name in enumerate(tensors)}
    for file in set(places.values()):
        part = {name: value for name, value in tensors.items() if places[name] == file}
        write_safetensors(folder / file, part)
    write_json(folder / "model.safetensors.index.json", {"metadata": {}, "weight_map": places})
    return folder


def write_open_clip(folder, clip=SMALL, dtype="BF16"):
    """With the text tower under text., as CustomTextCLIP has it, and logit_scale as a list."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name if name.startswith("visual.") or name == "logit_scale" else f"text.{name}":
               value for name, value in clip.tensors.items()}
    tensors["logit_scale"] = tensors["logit_scale"].reshape(1)
    write_json(folder / "open_clip_config.json", open_clip_config(clip.sizes))
    write_safetensors(folder / "open_clip_model.safetensors", tensors, dtype)
    return folder


def as_torch(tensors):
    import torch
    return collections.OrderedDict(
        (name, torch.from_numpy(np.array(value))) for name, value in tensors.items())


def save(path, tensors, **extra):
    """torch.save of a state dict; projections of Hugging Face stay views that are transposed."""
    import torch
    torch.save({**extra, "state_dict": as_torch(tensors)} if extra else as_torch(tensors), path)
    return path


def write_openai(path, clip=SMALL, mixed=True):
    """TorchScript; if mixed, weights of layers with matrices in fp16, as OpenAI's files are."""
    import torch

    class Module(torch.nn.Module):
        def forward(self, x):
            return x

    root = Module()
    for name, value in as_torch(clip.tensors).items():
        half = "weight" in name and value.dim() > 1 and "token" not in name or "proj" in name
        *folders, last = name.split(".")
        at = root
        for folder in folders:
            if not hasattr(at, folder):
                at.add_module(folder, Module())
            at = getattr(at, folder)
        at.register_parameter(last, torch.nn.Parameter(value.half() if mixed and half else value))
    sizes = clip.sizes
    for name, value in (("input_resolution", sizes.image), ("context_length", sizes.context),
                        ("vocab_size", sizes.vocabulary)):
        root.register_buffer(name, torch.tensor(value))
    torch.jit.trace(root, torch.zeros(1)).save(str(path))
    return path


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_hugging_face(folder / "huggingface")
    write_hugging_face(folder / "huggingface_bin", weights="pytorch_model.bin")
    write_sharded(folder / "huggingface_sharded")
    write_open_clip(folder / "open_clip")
    write_openai(folder / "openai.pt")
    save(folder / "state_dict.pt", SMALL.tensors)
    parallel = {f"module.{name}": value for name, value in SMALL.tensors.items()}
    save(folder / "parallel.pt", parallel, epoch=3, name="run")
    write_safetensors(folder / "bare.safetensors", SMALL.tensors, "BF16")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
