"""How much any linear classifier of image features could gain over the zero-shot sentence, look by look."""

import json
import pathlib
import subprocess
import tempfile

import numpy as np
import torch

LOG = pathlib.Path(__file__).resolve().parents[2] / "data" / "pocket" / "log.jsonl"
SHOTS = 16
WEIGHTS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of staying near the sentence


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
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def encode(self, *args):
        out = self.folder / "features.npz"
        subprocess.run([self.program, "encode", "--model", "pocket", *map(str, args), "--out", out], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with np.load(out) as file:
            return dict(file)

    def texts(self, sentences):
        path = self.folder / "texts.txt"
        path.write_text("\n".join(sentences) + "\n")
        return normalized(self.encode("--texts", path)["features"].astype(float))

    def images(self, data, split):
        arrays = self.encode("--data", data, "--split", split)
        return normalized(arrays["features"].astype(float)), arrays["labels"], arrays["names"]


def accuracies(model, dataset, look, scale):
    """(zero-shot, {weight: (of the drawings left over, of the test drawings)}), percent."""
    data = f"doodles:{dataset['name']}@{look}"
    train, labels, names = model.images(data, "train")
    test, answers, _ = model.images(data, "test")
    sentences = model.texts([dataset["template"].replace("{}", str(name)) for name in names])
    number = np.array([np.sum(labels[:i] == labels[i]) for i in range(len(labels))])
    shot = number < SHOTS

    def right(rows, features, truth):
        return 100 * np.mean(np.argmax(features @ rows.T, 1) == truth)

    found = {}
    for weight in WEIGHTS:
        rows = tuned(sentences, scale, train[shot], labels[shot], weight)
        found[weight] = right(rows, train[~shot], labels[~shot]), right(rows, test, answers)
    return right(sentences, test, answers), found


def table(program):
    worlds = json.loads(subprocess.run([program, "worlds", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)["worlds"]
    world = next(row for row in worlds if row["name"] == "doodles")
    scale = json.loads(LOG.read_text().splitlines()[-1])["logit_scale"]
    lines = ["| look | zero-shot | 16 shots, any linear classifier | gain |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        model = Model(program, folder)
        for look in world["looks"]:
            results = [accuracies(model, dataset, look["name"], scale) for dataset in world["datasets"]
                       if dataset["name"] != "all"]
            zero = np.mean([plain for plain, _ in results])
            best = max(WEIGHTS, key=lambda w: np.mean([found[w][0] for _, found in results]))
            value = np.mean([found[best][1] for _, found in results])
            lines.append(f"| {look['name']} | {zero:.1f} | {value:.1f} | {value - zero:+.1f} |")
    return "\n".join(lines) + "\n"
