"""A CLIP of 16 dimensions as a folder of Hugging Face; its vocabulary can spell any text."""

import dataclasses

import numpy as np
from make_clip import (Clip, Sizes, Tower, hugging_face_tensors, safetensors, shapes,
                       write_hugging_face, write_json)

MERGES = ["p h", "ph o", "pho t", "phot o</w>", "o f</w>"]


def byte_symbols():
    """The letters that stand for bytes, in the order of their ids: printable ones first."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return [*map(chr, printable), *(chr(256 + i) for i in range(len(others)))]


def tokens(merges=MERGES):
    letters = byte_symbols()
    return [*letters, *(letter + "</w>" for letter in letters),
            *(merge.replace(" ", "") for merge in merges), "<|startoftext|>", "<|endoftext|>"]


TOKENS = tokens()
SIZES = Sizes(vision=Tower(width=16, layers=1, heads=2, mlp=32),
              text=Tower(width=16, layers=2, heads=2, mlp=32),
              image=16, patch=8, embed=12, context=48, vocabulary=len(TOKENS),
              mean=(0.5, 0.25, 0.125), std=(0.5, 0.75, 0.25))


def random_tensors(seed=1):
    """Small biases and large weights: inputs matter, and features differ."""
    random = np.random.default_rng(seed)
    result = {}
    for name, shape in shapes(SIZES).items():
        if "ln_" in name and name.endswith("weight"):
            result[name] = random.uniform(0.5, 1.5, shape).astype("f4")
        else:
            scale = 0.1 if name.endswith(("bias", "class_embedding")) else 0.5
            result[name] = random.normal(0, scale, shape).astype("f4")
    result["logit_scale"] = np.array(3, "f4")  # logits are exp(3) = 20 times the cosines
    return result


CLIP = Clip(SIZES, random_tensors())


def with_sizes(**changes):
    """The same weights, read in another way."""
    return Clip(dataclasses.replace(SIZES, **changes), CLIP.tensors)


def with_heads(heads):
    return with_sizes(vision=SIZES.vision._replace(heads=heads),
                      text=SIZES.text._replace(heads=heads))


def weights(**changes):
    """The bytes of model.safetensors, with tensors replaced."""
    return safetensors(hugging_face_tensors(Clip(SIZES, {**CLIP.tensors, **changes})))


def write_vocabulary(folder, merges=MERGES):
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]))
    write_json(folder / "vocab.json", {token: i for i, token in enumerate(tokens(merges))})


def write_model(folder, clip=CLIP):
    write_hugging_face(folder, clip, dtype="F32")
    write_vocabulary(folder)
    return folder
