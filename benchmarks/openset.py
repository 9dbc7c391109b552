"""The open-set pass beside its rival, in one run, as ratios. Run through `scripts/bench openset`.

Rival: the reference's way in NumPy and scikit-learn. For each uncertainty a softmax over all columns
and one over the columns without the true class (a masked copy), with the entropy where it is asked
for; then roc_auc_score and precision_recall_curve. Features are random, so that no class is easy.
Times are the best of several; the rival runs once, since it takes minutes.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
from sklearn.metrics import auc, precision_recall_curve, roc_auc_score


def seconds_of(f, repeats=1):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def uncertainty(kind, z, answer):
    rows = np.arange(len(z))
    if kind == "cosine":
        return z[rows, answer]
    p = softmax(z)
    if kind == "softmax":
        return p[rows, answer]
    return (p * np.log(np.maximum(p, 1e-300))).sum(axis=1)


def reference(images, texts, label):
    """One measure at a time: the closed test, then the test without the true column."""
    n, k = len(images), len(texts)
    values = {}
    for kind in ("softmax", "cosine", "entropy"):
        z = 100 * images @ texts.T
        answer = z.argmax(axis=1)
        right = answer == label
        closed = uncertainty(kind, z, answer)[right]
        mask = np.ones((n, k), bool)
        mask[np.arange(n), label] = False
        z = z[mask].reshape(n, k - 1)
        errors = uncertainty(kind, z, z.argmax(axis=1))
        truth = np.concatenate([np.ones(len(closed)), np.zeros(len(errors))])
        scores = np.concatenate([closed, errors])
        precision, recall, _ = precision_recall_curve(truth, scores)
        values[kind] = roc_auc_score(truth, scores), auc(recall, precision)
    return values


def run(build, *args):
    program = os.path.join(build, "bin", "openset_bench")
    return json.loads(subprocess.run([program, *map(str, args)], check=True, capture_output=True,
                                     text=True).stdout)


def line(what, value, limit=None, best="at most"):
    verdict = ""
    if limit is not None:
        met = value <= limit if best == "at most" else value >= limit
        verdict = f"   {best} {limit:g}: {'met' if met else 'NOT MET'}"
    print(f"{what:<66} {value:9.2f}{verdict}")


def main(build, images=50000, classes=1000, width=512, negatives=5000, repeats=5):
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, NumPy "
          f"{np.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{images} images x {classes} names at {width} dimensions, three measures; best of "
          f"{repeats}\n")
    plain = run(build, "features", images, classes, 0, width, repeats)
    line("openworld, pass over features, s", plain["pass"])
    line("openworld, AuROC, AuPR, P@95R, R@95P of three measures, s", plain["metrics"])
    line("bare matrix product, same OpenBLAS and threads, s", plain["product"])
    line("pass / product", plain["pass"] / plain["product"], 1.3)

    rng = np.random.default_rng(0)
    a = rng.standard_normal((images, width), dtype=np.float32)
    b = rng.standard_normal((classes, width), dtype=np.float32)
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    label = np.arange(images) % classes
    line("numpy, one product 100 * a @ b.T, s", seconds_of(lambda: 100 * a @ b.T, 3))
    rival = seconds_of(lambda: reference(a, b, label))
    ours = plain["pass"] + plain["metrics"]
    line("reference's way in NumPy and scikit-learn, s", rival)
    line("reference / openworld, metrics included", rival / ours, 20, "at least")

    many = run(build, "features", images, classes, negatives, width, max(2, repeats // 2))
    line(f"\npass with {negatives} negatives at ten counts, s", many["pass"])
    line(f"bare product with {classes + negatives} columns, s", many["product"])
    line("pass / product", many["pass"] / many["product"], 1.5)
    line("peak memory, MiB", many["peak_mib"], 1024)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "logits.npz")
        np.savez(path, logits=100 * a @ b.T, label=label)
        size = os.path.getsize(path) / 2**20

        def read():
            with np.load(path) as file:
                return file["logits"]

        def read_bytes():
            buffer = bytearray(1 << 20)
            with open(path, "rb", buffering=0) as file:
                while file.readinto(buffer):
                    pass

        once = seconds_of(read, repeats)
        stored = run(build, "logits", path, repeats)
        line(f"\nnumpy.load of {size:.0f} MiB of stored logits, s", once)
        line("read(2) of the same file from the page cache, s", seconds_of(read_bytes, repeats))
        line("openworld, the same file read (mapped, checksum), s", stored["load"])
        line("openworld, read and pass, s", stored["load_and_pass"])
        line("read and pass / numpy.load", stored["load_and_pass"] / once, 2)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
