"""Values of runs of scripts/replicate openauc, and the table in which they are kept.

Networks on images take days on two cores, so the values of finished runs are kept in openauc.csv beside this file:
runs may be made in any order, on several machines, and their folders deleted.
"""

import collections
import csv
import json
import pathlib
import subprocess

import numpy as np

LEDGER = pathlib.Path(__file__).with_name("openauc.csv")
METRICS = ("ACC", "AUROC", "OpenAUC", "OSCR")
# Mean score of test samples: of the methods that the sweep compares, the largest logit.
SCORES = ("known score", "unknown score")
COLUMNS = ("net", "epochs", "dataset", "method", "split", "seeds", *METRICS, *SCORES)

Setting = collections.namedtuple("Setting", "net dataset epochs")
Key = collections.namedtuple("Key", "net epochs dataset method split")


def measure(program, run):
    """{column: value} of a finished run; metrics in percent."""
    done = subprocess.run([program, "osr", "eval", run, "--resamples", "2", "--json"], check=True, capture_output=True,
                          text=True)
    values = {name: 100 * value["value"] for name, value in json.loads(done.stdout)["metrics"].items() if name in METRICS}
    with np.load(run / "predictions.npz") as file:
        known, score = file["side"] == 0, file["score"]
    return {**values, "known score": float(score[known].mean()), "unknown score": float(score[~known].mean())}


def measure_all(program, out):
    """{Key: row} of the finished runs of a folder, means over seeds."""
    rows = {}
    for folder in sorted(out.glob("*-*/*/*-*")):
        net, _, epochs = folder.parents[1].name.rpartition("-")
        dataset, _, split = folder.name.rpartition("-")
        seeds = sorted(folder.glob("seed-*/result.json"))
        if not seeds or not epochs.isdigit():
            continue
        measured = [measure(program, seed.parent) for seed in seeds]
        means = {name: float(np.mean([one[name] for one in measured])) for name in (*METRICS, *SCORES)}
        rows[Key(net, int(epochs), dataset, folder.parent.name, int(split))] = {"seeds": len(seeds), **means}
    return rows


def read_ledger(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {Key(row["net"], int(row["epochs"]), row["dataset"], row["method"], int(row["split"])):
                {"seeds": int(row["seeds"]), **{name: float(row[name]) for name in (*METRICS, *SCORES)}}
                for row in csv.DictReader(file)}


def write_ledger(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key, row in sorted(rows.items()):
            writer.writerow([*key, row["seeds"], *(f"{row[name]:.4f}" for name in (*METRICS, *SCORES))])


class Results:
    """Rows by key, and the tables that claims are computed from."""

    def __init__(self, rows):
        self.rows = rows

    def settings(self, nets, datasets):
        """Those with any finished run, in order."""
        found = {Setting(key.net, key.dataset, key.epochs) for key in self.rows}
        return sorted((one for one in found if one.net in nets and one.dataset in datasets),
                      key=lambda one: (nets.index(one.net), datasets.index(one.dataset), one.epochs))

    def table(self, setting, methods):
        """{method: {split: row}} of methods with any finished split."""
        rows = {}
        for method in methods:
            of_method = {key.split: row for key, row in self.rows.items()
                         if Setting(key.net, key.dataset, key.epochs) == setting and key.method == method}
            if of_method:
                rows[method] = of_method
        return rows
