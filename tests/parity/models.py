"""The models that are compared: sizes, random weights, texts with their ids."""

import os
import pathlib
import string
import zlib

import numpy as np
from make_clip import Clip, Sizes, Tower, shapes

# As published. Weights are fp32.
VIT_B32 = Sizes(vision=Tower(768, 12, 12, 3072), text=Tower(512, 12, 8, 2048), image=224, patch=32,
                embed=512, context=77, vocabulary=49408)
VIT_B16 = Sizes(vision=Tower(768, 12, 12, 3072), text=Tower(512, 12, 8, 2048), image=224, patch=16,
                embed=512, context=77, vocabulary=49408)

# No size is a multiple of a vector register, heads are 3 wide, and nothing has its usual value.
ODD = Sizes(vision=Tower(21, 2, 7, 50), text=Tower(15, 3, 5, 37), image=35, patch=7, embed=13,
            context=23, vocabulary=600, mean=(0.5, 0.25, 0.125), std=(0.5, 0.75, 0.25))
# 69 pixels, 35 and 35 after the stem, a grid of 5.
ODD_STEM = Sizes(vision=Tower(33, 3, 11, 70), text=Tower(9, 2, 3, 19), image=69, patch=7, embed=11,
                 context=23, vocabulary=600, stem=((5, 2), (6, 1)), activation="gelu", epsilon=1e-3)
# The last row and column of pixels belong to no patch: 37 = 4 * 9 + 1.
ODD_REST = Sizes(vision=Tower(12, 2, 4, 31), text=Tower(18, 2, 6, 50), image=37, patch=9, embed=10,
                 context=23, vocabulary=600, activation="gelu")
# Files without a configuration: heads are 64 wide, a smaller width is one head.
PLAIN = Sizes(vision=Tower(192, 2, 3, 100), text=Tower(45, 3, 1, 70), image=35, patch=7, embed=13,
              context=23, vocabulary=600)

MERGES = [f"{a} {b}</w>" for a in "abcd" for b in string.ascii_lowercase[:22]][:600 - 514]


def tensor_values(name, shape, random):
    """Scales that keep activations near 1 through any number of layers."""
    if name == "logit_scale":
        return np.array(4.25, np.float32)
    normal = random.standard_normal(shape, np.float32)
    if "embedding" in name:
        return np.float32(0.02) * normal
    if "ln_" in name and name.endswith("weight"):
        return 1 + np.float32(0.1) * normal
    if "bias" in name:
        return np.float32(0.05) * normal
    fan_in = shape[0] if name in ("text_projection", "visual.proj") else np.prod(shape[1:])
    return np.float32(fan_in**-0.5) * normal


def rounded(values, dtype):
    """What is left of float32 after storage as dtype; bf16 by cutting bits off."""
    if dtype == "BF16":
        return (values.view("<u4") & np.uint32(0xffff0000)).view("<f4")
    return values.astype({"F32": "<f4", "F16": "<f2"}[dtype], copy=False).astype("<f4", copy=False)


def random_clip(sizes, dtype="F32"):
    tensors = {}
    for name, shape in shapes(sizes).items():
        random = np.random.default_rng([zlib.crc32(name.encode()), sizes.image, sizes.patch])
        tensors[name] = rounded(tensor_values(name, shape, random), dtype)
    return Clip(sizes, tensors)


def byte_id(byte, ends_word):
    """The token of one byte: printable ones first, in order, then the other 68."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    order = printable + [b for b in range(256) if b not in printable]
    return order.index(byte) + 256 * ends_word


def small_ids(text):
    """The ids of words of one character, or of two that MERGES has, parted by spaces."""
    ids = []
    for word in text.split():
        merge = f"{word[0]} {word[-1]}</w>"
        if len(word) == 2 and merge in MERGES:
            ids.append(512 + MERGES.index(merge))
        else:
            assert len(word) == 1
            raw = word.encode()
            ids += [byte_id(byte, i == len(raw) - 1) for i, byte in enumerate(raw)]
    return ids


# From one token to the 21 that fit a context of 23; "a" and "a b" share a beginning.
SMALL_TEXTS = ["a", "a b", "x y 7 .", "ab", "ab cv ! 7 dt", "é ß 9", "a b c d e f g h i j",
               "z y x w v u t s r q p o n m l k j i h g f"]

# Ids by openai/CLIP's simple_tokenizer.py.
PUBLISHED_TEXTS = {
    "a photo of a dog.": [320, 1125, 539, 320, 1929, 269],
    "X X X X dog.": [343, 343, 343, 343, 1929, 269],
    "a diagram": [320, 22697],
    "hello world!": [3306, 1002, 256],
    "abyssinian": [16342, 690, 36638],
    "american_bulldog": [2151, 318, 15611],
    "2012 Audi TTS Coupe": [273, 271, 272, 273, 10277, 11570, 16773],
    "Boeing 737-200": [11857, 278, 274, 278, 268, 273, 271, 271],
}


def published_merges():
    """CLIP's own merges in the npm package modelzoo, or None where it could not be fetched."""
    golden = os.environ.get("OPENWORLD_GOLDEN_DIR")
    path = pathlib.Path(golden or ".") / "modelzoo" / "bpe_simple_vocab_16e6.txt"
    return path if golden and path.exists() else None
