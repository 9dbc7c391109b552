"""Writes one small CLIP in every format that is read. Run: make_clip.py FOLDER; needs PyTorch.

Values follow from names (`values`), so that a test can compute what it has to read; each is a
multiple of 1/64 of at most 8 bits and survives fp16 and bf16.
"""

import collections
import json
import pathlib
import sys
import zlib

import numpy as np

VISION = {"width": 128, "layers": 2, "heads": 2, "mlp": 512}
TEXT = {"width": 64, "layers": 3, "heads": 1, "mlp": 256}
IMAGE, PATCH, GRID, EMBED, CONTEXT, VOCABULARY = 32, 8, 4, 32, 16, 100
MEAN, STD = [0.5, 0.25, 0.125], [0.5, 0.75, 0.25]


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


def shapes():
    d, w = TEXT["width"], VISION["width"]
    result = {
        "logit_scale": [],
        "token_embedding.weight": [VOCABULARY, d], "positional_embedding": [CONTEXT, d],
        "ln_final.weight": [d], "ln_final.bias": [d], "text_projection": [d, EMBED],
        "visual.class_embedding": [w], "visual.conv1.weight": [w, 3, PATCH, PATCH],
        "visual.positional_embedding": [1 + GRID * GRID, w],
        "visual.ln_pre.weight": [w], "visual.ln_pre.bias": [w],
        "visual.ln_post.weight": [w], "visual.ln_post.bias": [w], "visual.proj": [w, EMBED],
    }
    for prefix, tower in (("transformer", TEXT), ("visual.transformer", VISION)):
        for i in range(tower["layers"]):
            for name, shape in block_shapes(tower["width"], tower["mlp"]).items():
                result[f"{prefix}.resblocks.{i}.{name}"] = shape
    return result


def openai_tensors():
    return {name: values(name, shape) for name, shape in shapes().items()}


HUGGING_FACE = {
    "token_embedding": "text_model.embeddings.token_embedding",
    "ln_final": "text_model.final_layer_norm",
    "visual.conv1": "vision_model.embeddings.patch_embedding",
    "visual.ln_pre": "vision_model.pre_layrnorm", "visual.ln_post": "vision_model.post_layernorm",
    "ln_1": "layer_norm1", "ln_2": "layer_norm2", "mlp.c_fc": "mlp.fc1", "mlp.c_proj": "mlp.fc2",
    "attn.out_proj": "self_attn.out_proj",
}


def hugging_face_tensors():
    result = {"text_model.embeddings.position_ids": np.arange(CONTEXT)[None]}
    for name, value in openai_tensors().items():
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
        elif name == "visual.class_embedding":
            result["vision_model.embeddings.class_embedding"] = value
        elif name == "text_projection":
            result["text_projection.weight"] = value.T
        elif name == "visual.proj":
            result["visual_projection.weight"] = value.T
        else:
            result[f"{HUGGING_FACE[stem]}.{kind}" if stem else name] = value
    return result


def safetensors(tensors, dtype="F32"):
    """The bytes of such a file; float tensors have the given dtype."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, value in tensors.items():
        if value.dtype == np.int64:
            code, raw = "I64", value
        elif dtype == "BF16":
            code, raw = dtype, (value.astype("<f4").view("<u4") >> 16).astype("<u2")
        else:
            code, raw = dtype, value.astype({"F16": "<f2", "F32": "<f4"}[dtype])
        bytes_ = np.ascontiguousarray(raw).tobytes()
        header[name] = {"dtype": code, "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def hugging_face_config():
    def tower(sizes):
        return {"hidden_size": sizes["width"], "num_hidden_layers": sizes["layers"],
                "num_attention_heads": sizes["heads"], "intermediate_size": sizes["mlp"],
                "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5}

    return {"model_type": "clip", "projection_dim": EMBED,
            "text_config": {**tower(TEXT), "vocab_size": VOCABULARY, "eos_token_id": 2,
                            "max_position_embeddings": CONTEXT},
            "vision_config": {**tower(VISION), "image_size": IMAGE, "patch_size": PATCH}}


def preprocessor_config():
    return {"size": {"shortest_edge": IMAGE}, "crop_size": {"height": IMAGE, "width": IMAGE},
            "resample": 3, "image_mean": MEAN, "image_std": STD, "do_resize": True}


def open_clip_config(quick_gelu=True):
    vision = {"image_size": IMAGE, "layers": VISION["layers"], "width": VISION["width"],
              "patch_size": PATCH}
    text = {"context_length": CONTEXT, "vocab_size": VOCABULARY, "width": TEXT["width"],
            "heads": TEXT["heads"], "layers": TEXT["layers"]}
    return {"model_cfg": {"embed_dim": EMBED, "quick_gelu": quick_gelu, "vision_cfg": vision,
                          "text_cfg": text},
            "preprocess_cfg": {"mean": MEAN, "std": STD}}


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2))


def write_hugging_face(folder, weights="model.safetensors", tensors=None, dtype="F16"):
    folder.mkdir(parents=True, exist_ok=True)
    tensors = hugging_face_tensors() if tensors is None else tensors
    write_json(folder / "config.json", hugging_face_config())
    write_json(folder / "preprocessor_config.json", preprocessor_config())
    (folder / "merges.txt").write_text("#version: 0.2\n")
    if weights.endswith(".bin"):
        save(folder / weights, tensors)
    else:
        (folder / weights).write_bytes(safetensors(tensors, dtype))
    return folder


def write_sharded(folder):
    write_hugging_face(folder)
    (folder / "model.safetensors").unlink()
    tensors = hugging_face_tensors()
    places = {name: f"model-{i % 2 + 1:05}-of-00002.safetensors" for i, name in enumerate(tensors)}
    for file in set(places.values()):
        part = {name: value for name, value in tensors.items() if places[name] == file}
        (folder / file).write_bytes(safetensors(part))
    write_json(folder / "model.safetensors.index.json", {"metadata": {}, "weight_map": places})
    return folder


def write_open_clip(folder):
    """With the text tower under text., as CustomTextCLIP has it, and logit_scale as a list."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name if name.startswith("visual.") or name == "logit_scale" else f"text.{name}":
               value for name, value in openai_tensors().items()}
    tensors["logit_scale"] = tensors["logit_scale"].reshape(1)
    write_json(folder / "open_clip_config.json", open_clip_config())
    (folder / "open_clip_model.safetensors").write_bytes(safetensors(tensors, "BF16"))
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


def write_openai(path):
    """TorchScript, weights of layers with matrices in fp16, as OpenAI's files are."""
    import torch

    class Module(torch.nn.Module):
        def forward(self, x):
            return x

    root = Module()
    for name, value in as_torch(openai_tensors()).items():
        half = "weight" in name and value.dim() > 1 and "token" not in name or "proj" in name
        *folders, last = name.split(".")
        at = root
        for folder in folders:
            if not hasattr(at, folder):
                at.add_module(folder, Module())
            at = getattr(at, folder)
        at.register_parameter(last, torch.nn.Parameter(value.half() if half else value))
    for name, value in (("input_resolution", IMAGE), ("context_length", CONTEXT),
                        ("vocab_size", VOCABULARY)):
        root.register_buffer(name, torch.tensor(value))
    torch.jit.trace(root, torch.zeros(1)).save(str(path))
    return path


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_hugging_face(folder / "huggingface")
    write_hugging_face(folder / "huggingface_bin", "pytorch_model.bin")
    write_sharded(folder / "huggingface_sharded")
    write_open_clip(folder / "open_clip")
    write_openai(folder / "openai.pt")
    save(folder / "state_dict.pt", openai_tensors())
    parallel = {f"module.{name}": value for name, value in openai_tensors().items()}
    save(folder / "parallel.pt", parallel, epoch=3, name="run")
    (folder / "bare.safetensors").write_bytes(safetensors(openai_tensors(), "BF16"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
