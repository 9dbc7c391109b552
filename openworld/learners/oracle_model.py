"""The CLIP of oracle.py: small, random, with a vocabulary that makes its class names 1 to 4 tokens.

Weights have about the scales of CLIP's initialisation but for embeddings, which are 15 times
larger, and for the outputs of blocks, which are not scaled down: with CLIP's own, the features of
all names of an untrained model are almost the same.
"""

import pathlib
import re
import sys

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path += [str(TESTS / "checkpoints"), str(TESTS / "cli"), str(TESTS / "parity")]
from make_clip import Clip, Sizes, Tower, shapes, write_hugging_face
from tiny_model import tokens, write_vocabulary

BASE_NAMES = ["cat", "snow leopard", "ragdoll", "Siberian Husky", "fire truck", "violin", "zebra",
              "Boeing 737", "sea lion", "horse", "maine coon cat"]
NEW_NAMES = ["otter", "grand piano", "quokka", "dog", "hot air balloon"]
TEMPLATES = ["a photo of a {}."]
SELECT = ["itap of a {}.", "a bad photo of the {}.", "a origami {}.", "a photo of the large {}.",
          "a {} in a video game.", "art of the {}.", "a photo of the small {}."]
PIECES = {"leopard": 2, "ragdoll": 2, "siberian": 2, "husky": 2, "violin": 3, "zebra": 2,
          "quokka": 4, "piano": 2}  # tokens of a word; all other words are one


def split_words(text):
    return re.findall(r"[a-z]+|[0-9]|[^\sa-z0-9]+", text.lower())


def merge_word(word, merges):
    """The symbols of a word: always the first merge of the list that applies, everywhere."""
    symbols = [*word[:-1], word[-1] + "</w>"]
    while True:
        ranks = [merges.index(" ".join(pair)) for pair in zip(symbols, symbols[1:])
                 if " ".join(pair) in merges]
        if not ranks:
            return symbols
        left, right = merges[min(ranks)].split()
        merged, i = [], 0
        while i < len(symbols):
            both = symbols[i:i + 2] == [left, right]
            merged.append(left + right if both else symbols[i])
            i += 1 + both
        symbols = merged


def learn_merges():
    merges = []
    for text in [*BASE_NAMES, *NEW_NAMES, *TEMPLATES, *SELECT]:
        for word in split_words(text.replace("{}", "")):
            while len(symbols := merge_word(word, merges)) > PIECES.get(word, 1):
                merges.append(" ".join(symbols[:2]))
    return merges


MERGES = learn_merges()
IDS = {token: i for i, token in enumerate(tokens(MERGES))}
SIZES = Sizes(vision=Tower(width=16, layers=3, heads=2, mlp=32),
              text=Tower(width=24, layers=3, heads=2, mlp=96),
              image=24, patch=8, embed=16, context=24, vocabulary=len(IDS))


def tokenize(text):
    """Ids of a text without start and end."""
    return [IDS[symbol] for word in split_words(text) for symbol in merge_word(word, MERGES)]


def scale_of(name):
    if "token_embedding" in name or "class_embedding" in name:
        return 0.3
    if "positional_embedding" in name:
        return 0.15
    if name.endswith("bias"):
        return 0.05
    return (SIZES.vision if name.startswith("visual.") else SIZES.text).width**-0.5


def random_clip(seed):
    random = np.random.default_rng(seed)
    tensors = {}
    for name, shape in shapes(SIZES).items():
        mean = float("ln_" in name and name.endswith("weight"))
        scale = 0.2 if mean else scale_of(name)
        tensors[name] = random.normal(mean, scale, shape).astype("f4")
    tensors["logit_scale"] = np.array(3, "f4")  # logits are exp(3) = 20 times the cosines
    return Clip(SIZES, tensors)


def write_clip(folder, clip):
    write_hugging_face(folder, clip, dtype="F32")
    write_vocabulary(folder, MERGES)


assert {len(tokenize(name)) for name in BASE_NAMES + NEW_NAMES} == {1, 2, 3, 4}
