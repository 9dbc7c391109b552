"""The metrics core beside its rivals, in one run, as ratios. Run through `scripts/bench metrics`.

Rivals: scikit-learn's metrics and a NumPy rendering of the reference OpenworldAUC, on arrays of the
same shape and distribution as benchmarks/metrics_bench.cc draws. Times are the best of several.
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
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve


def make(rows, seed=0):
    rng = np.random.default_rng(seed)
    side = rng.integers(0, 2, rows).astype(np.int8)
    score = (25 + 3 * rng.standard_normal(rows) - 3 * side).astype(np.float32)
    correct = rng.random(rows) < 0.8
    return side, score, correct


def best(repeats, f):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def masked_auc(side, score, correct, mask_new):
    """The released code's way: wrong samples get scores just outside the other side's range."""
    r = score.astype(np.float64)
    base, new = side == 0, side == 1
    masked = r.copy()
    masked[base & ~correct] = r[new].min() - 1e-5
    if mask_new:
        masked[new & ~correct] = r[base].max() + 1e-5
    return roc_auc_score(base, masked)


def sklearn_ranking_metrics(side, score, correct):
    base = side == 0
    roc_auc_score(base, score)
    masked_auc(side, score, correct, mask_new=False)
    masked_auc(side, score, correct, mask_new=True)
    average_precision_score(base, score)
    average_precision_score(~base, -score)
    fpr, tpr, _ = roc_curve(base, score)
    return fpr[np.searchsorted(tpr, 0.95)]


def numpy_bootstrap(side, score, correct, resamples):
    """AUROC, OpenAUC and OpenworldAUC of stratified resamples, one argsort each."""
    rng = np.random.default_rng(0)
    base, new = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
    pairs = len(base) * len(new)
    for _ in range(resamples):
        i = base[rng.integers(0, len(base), len(base))]
        j = new[rng.integers(0, len(new), len(new))]
        rows = np.concatenate([i, j])
        order = np.argsort(score[rows])
        is_base = order < len(i)
        right = correct[rows][order]
        below = np.cumsum(~is_base)
        right_below = np.cumsum(~is_base & right)
        below[is_base].sum() / pairs
        below[is_base & right].sum() / pairs
        right_below[is_base & right].sum() / pairs


def seconds_of(command, repeats=5):
    return best(repeats, lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g} ms"


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(*cells):
    print()
    row(*cells)
    row(*["---"] * len(cells))


def verdict(ratio, wanted, at_least):
    ok = ratio >= wanted if at_least else ratio <= wanted
    sign = ">=" if at_least else "<="
    return f"{ratio:.3g}x (want {sign} {wanted}x{'' if ok else ', MISSED'})"


def main():
    build = sys.argv[1]
    sizes = [float(s) for s in sys.argv[2:]] or [1e4, 1e5, 1e6, 1e7]
    print(f"machine: {platform.processor() or platform.machine()}, {os.cpu_count()} cores; "
          f"python {platform.python_version()}, numpy {np.__version__}, "
          f"scikit-learn {sklearn.__version__}")
    ours = {}
    bench = [f"{build}/bin/metrics_bench", "7"] + [f"{s:.0f}" for s in sizes]
    for line in subprocess.run(bench, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        entry = json.loads(line)
        ours[entry["what"], entry["scores"], entry["rows"]] = entry["seconds"]

    header("rows", "7 ranking metrics, 1 thread", "all threads", "scikit-learn", "speed-up (1 thread)")
    for rows in map(int, sizes):
        data = make(rows)
        rival = best(1 if rows >= 1e7 else 3, lambda: sklearn_ranking_metrics(*data))
        one = ours["ranking metrics, 1 thread", "logits", rows]
        many = ours["ranking metrics, all threads", "logits", rows]
        row(f"{rows:.0e}", milliseconds(one), milliseconds(many), milliseconds(rival),
            verdict(rival / one, 30, True) if rows >= 1e7 else f"{rival / one:.3g}x")

    header("rows", "scores", "bare SIMD sort of the keys", "std::sort", "7 metrics / bare sort, 1 thread",
           "all threads", "/ std::sort")
    for rows in map(int, sizes):
        for scores in ("logits", "probabilities"):
            sort = ours["bare sort", scores, rows]
            std = ours["std::sort", scores, rows]
            one = ours["ranking metrics, 1 thread", scores, rows]
            many = ours["ranking metrics, all threads", scores, rows]
            row(f"{rows:.0e}", scores, milliseconds(sort), milliseconds(std),
                f"{one / sort:.3g}x",
                verdict(many / sort, 2, False) if rows >= 1e7 else f"{many / sort:.3g}x",
                f"{one / std:.3g}x")

    header("rows", "AUROC, OpenAUC, OpenworldAUC", "with DeLong intervals", "cost")
    for rows in map(int, sizes):
        point = ours["pair metrics", "logits", rows]
        delong = ours["pair metrics with DeLong", "logits", rows]
        row(f"{rows:.0e}", milliseconds(point), milliseconds(delong),
            verdict(delong / point, 1.3, False))

    rows, resamples, sample = 140000, 1000, 40
    data = make(rows)
    numpy_seconds = best(2, lambda: numpy_bootstrap(*data, sample)) / sample * resamples
    one, many = ours["bootstrap, 1 thread", "logits", rows], ours["bootstrap, all threads", "logits", rows]
    header("1000 resamples of 140,000 rows, 3 metrics", "seconds", "speed-up")
    row(f"NumPy, one argsort a resample ({sample} measured)", f"{numpy_seconds:.2f}", "")
    row("openworld, 1 thread", f"{one:.3f}", f"{numpy_seconds / one:.3g}x")
    row("openworld, all threads", f"{many:.3f}", verdict(numpy_seconds / many, 100, True))

    header("whole process", "time", "ratio")
    command = f"{build}/bin/openworld"
    nothing = seconds_of([sys.executable, "-c", "import sklearn.metrics"])
    empty = seconds_of([f"{build}/bin/empty_program"], 50)
    version = seconds_of([command, "--version"], 50)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "preds.npz")
        side, score, correct = make(1_000_000)
        np.savez(path, side=side, score=score, correct=correct)
        evaluation = seconds_of([command, "eval", path])
        row("python -c 'import sklearn.metrics'", milliseconds(nothing), "")
        row("openworld eval, 1e6 rows of .npz", milliseconds(evaluation),
            verdict(evaluation / nothing, 0.333, False) + " of that import")
        row("empty C++ program", milliseconds(empty), "")
        row("openworld --version", milliseconds(version),
            verdict(version / empty, 5, False) + " of the empty program")
        rows = int(max(sizes))
        side, score, correct = make(rows)
        for name, values in (("float32", score), ("float64", score.astype(np.float64) * 1.1)):
            np.savez(path, side=side, score=values, correct=correct)
            size = os.path.getsize(path)
            out = subprocess.run([command, "eval", path, "--json"], check=True, stdout=subprocess.PIPE)
            peak = json.loads(out.stdout)["cost"]["peak_memory_bytes"]
            per_row = (peak - size) / rows
            row(f"peak memory, {rows:.0e} rows, {name} scores", f"{peak / 2**20:.0f} MiB",
                f"{per_row:.3g} bytes a row beside the file of {size / 2**20:.0f} MiB "
                f"(want <= 24{'' if per_row <= 24 else ', MISSED'})")


main()
