"""How much any linear classifier of image features could gain over the zero-shot sentence."""

import collections
import json
import os
import pathlib
import subprocess

import numpy as np
import torch

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
SHOTS = 16
WEIGHTS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of staying near the sentence

# Percent of the drawings of `train` that are no shots, and of those of `test`; `tuned` by weight.
Accuracy = collections.namedtuple("Accuracy", "rest test")
Room = collections.namedtuple("Room", "zero tuned")


def normalized(values):
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


def tuned(sentences, scale, features, labels, weight):
    """Logistic regression that starts from the sentences and is held near them."""
    start = torch.from_numpy(scale * sentences)
    rows = start.clone().requires_grad_()
    features, labels = torch.from_numpy(features), torch.from_numpy(labels).long()
    optimizer = torch.optim.LBFGS([rows], max_iter=100, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        value = torch.nn.functional.cross_entropy(features @ rows.T, labels)
        value = value + weight * ((rows - start)**2).sum() / len(rows)
        value.backward()
        return value

    optimizer.step(loss)
    return rows.detach().numpy()


class Model:
    """A model by its name, or its folder, which has the log of its training."""

    def __init__(self, program, folder, name="pocket"):
        self.program, self.folder, self.name = program, pathlib.Path(folder), name
        home = pathlib.Path(name) if os.path.isdir(name) else DATA / name
        self.scale = json.loads((home / "log.jsonl").read_text().splitlines()[-1])["logit_scale"]

    def encode(self, *args):
        out = self.folder / "features.npz"
        subprocess.run([self.program, "encode", "--model", self.name, *map(str, args), "--out", out], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with np.load(out) as file:
            return dict(file)

    def texts(self, sentences):
        path = self.folder / "texts.txt"
        path.write_text("\n".join(sentences) + "\n")
        return normalized(self.encode("--texts", path)["features"].astype(float))

    def images(self, data, split):
        arrays = self.encode("--data", data, "--split", split, "--cache", self.folder / "cache")
        return normalized(arrays["features"].astype(float)), arrays["labels"], arrays["names"]


def measure(model, dataset, look, splits=Accuracy._fields):
    """The Room of a dataset; accuracies of splits that are not asked for are None."""
    data = f"doodles:{dataset['name']}@{look}"
    train, labels, names = model.images(data, "train")
    sentences = model.texts([dataset["template"].replace("{}", str(name)) for name in names])
    number = np.array([np.sum(labels[:i] == labels[i]) for i in range(len(labels))])
    shot = number < SHOTS
    parts = {"rest": (train[~shot], labels[~shot])}
    if "test" in splits:
        parts["test"] = model.images(data, "test")[:2]

    def right(rows):
        return Accuracy(*(100 * np.mean(np.argmax(parts[name][0] @ rows.T, 1) == parts[name][1])
                          if name in parts else None for name in Accuracy._fields))

    return Room(right(sentences), {weight: right(tuned(sentences, model.scale, train[shot], labels[shot], weight))
                                   for weight in WEIGHTS})


def best_weight(rooms):
    """By the mean over datasets, on the drawings of `train` that are no shots."""
    return max(WEIGHTS, key=lambda weight: np.mean([room.tuned[weight].rest for room in rooms]))
