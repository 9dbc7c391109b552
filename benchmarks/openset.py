"""The open-set pass beside its rival, in one run, as ratios. Run through `scripts/bench openset`.

Rivals: the steps of the released code (openset_vlms); and the same test for all images at once, measure
by measure, in NumPy. The released notebooks multiply batches of 64 images by the texts and collect the
logits in Python lists, which NumPy turns into an array of float64. The released script walks through its
rows: a softmax and an entropy over all columns, and again over the columns without the true class
(scipy), for the three measures together; then roc_auc_score, roc_curve and precision_recall_curve for each.
Features are random, so that no class is easy. Times are the best of several; the rivals run once.
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
from scipy import special, stats
from sklearn.metrics import auc, precision_recall_curve, roc_auc_score, roc_curve


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


def metrics_of(tp, errors):
    truth = np.concatenate([np.ones(len(tp)), np.zeros(len(errors))])
    scores = np.concatenate([tp, errors])
    roc_curve(truth, scores)
    precision, recall, _ = precision_recall_curve(truth, scores)
    return roc_auc_score(truth, scores), auc(recall, precision)


def released_logits(images, texts):
    """The notebooks: batches of 64, lists of Python's floats, then an array of float64."""
    rows = []
    for begin in range(0, len(images), 64):
        rows += (100 * images[begin:begin + 64] @ texts.T).tolist()
    return np.array(rows)


def released_script(logits, label):
    """Image by image: a softmax and its entropy, then both again without the true column."""
    tp, errors = ([], [], []), ([], [], [])

    def measure(z):
        p = special.softmax(z)
        answer = p.argmax()
        return answer, (p[answer], z[answer], -stats.entropy(p))

    def record(lists, values):
        for values_of, value in zip(lists, values):
            values_of.append(value)

    for z, truth in zip(logits, label):
        answer, values = measure(z)
        if answer == truth:
            record(tp, values)
        others = np.concatenate((np.arange(0, truth), np.arange(truth + 1, len(z))))
        record(errors, measure(z[others])[1])
    return [metrics_of(*pair) for pair in zip(tp, errors)]


def vectorised(images, texts, label):
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
        values[kind] = metrics_of(closed, errors)
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
    product = seconds_of(lambda: 100 * a @ b.T, 3)
    line("numpy, one product 100 * a @ b.T, s", product)
    ours = plain["pass"] + plain["metrics"]
    collected = seconds_of(lambda: released_logits(a, b))
    logits = (100 * a @ b.T).astype(np.float64)
    loop = seconds_of(lambda: released_script(logits, label))
    line("released notebooks, from features to logits, s", collected)
    line("released script, from logits, s", loop)
    line("released notebooks and script / openworld, metrics included", (collected + loop) / ours, 20,
         "at least")
    line("the same over the bare product: no pass can be faster",
         (collected + loop) / plain["product"])
    line("one product and the released script / openworld", (product + loop) / ours)
    at_once = seconds_of(lambda: vectorised(a, b, label))
    line("NumPy, all images at once, s", at_once)
    line("NumPy, all images at once / openworld", at_once / ours)

    many = run(build, "features", images, classes, negatives, width, max(2, repeats // 2))
    line(f"\npass with {negatives} negatives at ten counts, s", many["pass"])
    line(f"bare product with {classes + negatives} columns, s", many["product"])
    line("pass / product", many["pass"] / many["product"], 1.5)
    line("peak memory, MiB", many["peak_mib"], 1024)

    with tempfile.TemporaryDirectory() as folder:
        for kind in (np.float32, np.float64):  # the released files are of float64
            bench_stored(build, folder, logits.astype(kind), label, plain["metrics"], loop, repeats)


def bench_stored(build, folder, logits, label, metrics, loop, repeats):
    path = os.path.join(folder, "logits.npz")
    np.savez(path, logits=logits, label=label)

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
    size = os.path.getsize(path) / 2**20
    line(f"\nnumpy.load of {size:.0f} MiB of stored {logits.dtype} logits, s", once)
    line("read(2) of the same file from the page cache, s", seconds_of(read_bytes, repeats))
    line("openworld, the same file read (mapped, checksum), s", stored["load"])
    line("openworld, read and pass, s", stored["load_and_pass"])
    line("read and pass / numpy.load", stored["load_and_pass"] / once, 2)
    line("numpy.load and released script / openworld, from stored logits",
         (once + loop) / (stored["load_and_pass"] + metrics), 20, "at least")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
