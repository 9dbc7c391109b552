"""A world of coloured squares for the tiny model, and what runs of `openworld tune` on it leave."""

import json
import struct

import numpy as np
from command import MODELS, json_of
from pets import png
from tiny_model import SIZES, write_model

# The first three are base.
COLOURS = {"blue": (40, 60, 220), "dark_red": (120, 10, 20), "green": (30, 160, 60),
           "pink": (240, 150, 190), "white": (245, 245, 245), "yellow": (230, 210, 40)}
BASE = 3
# Training images of each: not as many in one class as in another, so that their draws differ.
TRAIN = dict(zip(COLOURS, (5, 7, 4, 6, 4, 5)))
TEST = dict.fromkeys(COLOURS, 8)
# The learner table; a build without libtorch has none.
LEARNERS = {row["name"]: row for row in json_of("ls", "learners")["learners"]} if MODELS.exists() else {}
METHODS = tuple(LEARNERS)


def defaults_of(method):
    """The options of a method with their defaults; none if there is no such method."""
    options = LEARNERS.get(method, {"options": []})["options"]
    return {option["name"]: option["default"] for option in options}


def fewer_tokens(method):
    """Its options for the lengths of contexts, set to 4 where that is fewer: it is quicker."""
    return {name: 4 for name, value in defaults_of(method).items()
            if name.endswith("tokens") and value > 4}


def square(colour, number):
    random = np.random.default_rng([number, *colour])
    pixels = np.array(colour) + random.normal(0, 25, (SIZES.image, SIZES.image, 3))
    return png(pixels.clip(0, 255).astype(np.uint8))


def write_squares(folder, counts, first=0):
    """A folder for each class, with squares 0.png, 1.png, ... drawn from seeds `first` and on."""
    for name, count in counts.items():
        (folder / name).mkdir(parents=True)
        for i in range(count):
            (folder / name / f"{i}.png").write_bytes(square(COLOURS[name], first + i))
    return folder


def write_world(folder, train=TRAIN, test=TEST):
    """Folders train and test of squares; no square is in both."""
    write_squares(folder / "train", train)
    write_squares(folder / "test", test, 100)
    return folder


def write_place(folder):
    """Where calls are made: a model and a world."""
    write_model(folder / "model")
    write_world(folder / "world")
    return folder


def call(method, out, *flags, options=None, **values):
    """A call that tunes the tiny model in a place; shots=3 is --shots 3, and None leaves a flag
    out."""
    values = {"model": "model", "data": "world", "train_split": "train", "shots": 2, "threads": 1,
              "epochs": None if method == "zero-shot" else 3} | values
    words = ["tune", "--method", method, "--out", out, *flags]
    for key, value in values.items():
        if value is not None:
            words += [f"--{key.replace('_', '-')}", value]
    for key, value in {**fewer_tokens(method), **(options or {})}.items():
        words += ["--set", f"{key}={value}"]
    return words


def read_json(path):
    return json.loads(path.read_text())


def read_log(run):
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]


def read_prompts(run):
    """The tensors of prompts.safetensors."""
    data = (run / "prompts.safetensors").read_bytes()
    size, = struct.unpack("<Q", data[:8])
    tensors = {}
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], "f4").reshape(entry["shape"])
    return tensors


def read_predictions(run):
    with np.load(run / "predictions.npz") as arrays:
        return dict(arrays)


def learned(run):
    """The bytes of what a run learned and of what it says about the test images."""
    return [(run / name).read_bytes() for name in ("prompts.safetensors", "predictions.npz")]


def files_of(run):
    return sorted(path.name for path in run.iterdir())


def softmax(logits):
    powers = np.exp(logits.astype("f8") - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)
