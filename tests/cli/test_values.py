"""Values against scikit-learn and against the definitions, from every format and dtype."""

import naive
import numpy as np
import pytest
from command import json_of, metric
from data import WRITERS, write_npz
from sklearn.metrics import average_precision_score, roc_auc_score

EXACT = {"abs": 1e-12, "rel": 0}


def tied(seed, n=300):
    """A dozen distinct scores, sides of unequal size, a fifth of the samples wrong."""
    random = np.random.default_rng(seed)
    side = (random.random(n) < 0.4).astype(np.int64)
    score = np.round(random.normal(0.7 - 0.3 * side, 0.25) * 8) / 8
    return {"side": side, "score": score, "correct": random.random(n) < 0.8}


def expected(arrays):
    side, score = np.asarray(arrays["side"]), np.asarray(arrays["score"], float)
    correct = np.asarray(arrays["correct"], float)
    accuracy = [correct[side == s].mean() for s in (0, 1)]
    return {
        "auroc": roc_auc_score(side == 0, score),
        "aupr_base": average_precision_score(side == 0, score),
        "aupr_new": average_precision_score(side == 1, -score),
        "fpr_at_95tpr": naive.fpr_at_tpr(arrays, 0.95),
        "fpr_at_80tpr": naive.fpr_at_tpr(arrays, 0.80),
        "openworld_auc": naive.openworld_auc(arrays, 0),
        "open_auc": naive.open_auc(arrays, 0),
        "base_acc": accuracy[0],
        "new_acc": accuracy[1],
        "hm": 2 * accuracy[0] * accuracy[1] / sum(accuracy),
    }


def measured(file, names, *flags):
    metrics = json_of("eval", file, "--metrics", ",".join(names), "--ci", "none", *flags)["metrics"]
    return {name: metrics[name]["value"] for name in names}


def check(file, arrays, *flags):
    want = expected(arrays)
    assert measured(file, want, *flags) == pytest.approx(want, **EXACT)


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_formats(folder, format, seed):
    arrays = tied(seed)
    check(WRITERS[format](folder / "p.npz", arrays), arrays)


SCORES = ["<f2", "<f4", "<f8", ">f2", ">f4", ">f8", "i1", "<i4", ">i8"]
SIDES = ["i1", "<i2", ">i4", "<i8", ">i8"]
FLAGS = ["?", "u1", "i1", ">u2", "<i8", ">u8"]


@pytest.mark.parametrize("name, dtype", [*(("score", d) for d in SCORES),
                                         *(("side", d) for d in SIDES),
                                         *(("correct", d) for d in FLAGS)])
@pytest.mark.parametrize("format", ["npz", "npz_compressed", "folder"])
def test_dtypes(folder, format, name, dtype):
    arrays = tied(7)
    arrays["score"] *= 8  # whole numbers, which every dtype can hold
    arrays[name] = arrays[name].astype(dtype)
    check(WRITERS[format](folder / "p.npz", arrays), arrays)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_are_not_rounded(folder, dtype):
    """Scores without ties in double have them in half precision, and that is what is measured."""
    arrays = tied(8)
    arrays["score"] = np.random.default_rng(8).normal(0.6, 0.01, 300).astype(dtype)
    check(write_npz(folder / "p.npz", arrays), arrays)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("ties, weight", [("strict", 0), ("half", 0.5)])
def test_ties(folder, seed, ties, weight):
    arrays = tied(seed)
    file = write_npz(folder / "p.npz", arrays)
    got = measured(file, ["openworld_auc", "open_auc"], "--ties", ties)
    assert naive.openworld_auc(arrays, 0) != naive.openworld_auc(arrays, 0.5)
    assert got["openworld_auc"] == pytest.approx(naive.openworld_auc(arrays, weight), **EXACT)
    assert got["open_auc"] == pytest.approx(naive.open_auc(arrays, weight), **EXACT)


@pytest.mark.parametrize("flag, open_side", [("auto", -1), ("new", 1), ("unknown", -1)])
def test_open_side(folder, flag, open_side):
    """OpenAUC compares base with unknown samples where there are any, AUROC with new ones."""
    arrays = tied(4)
    arrays["side"] = np.where(np.arange(300) % 3 == 0, -1, arrays["side"])
    file = write_npz(folder / "p.npz", arrays)
    got = metric(file, "open_auc", "--open", flag)
    assert got == pytest.approx(naive.open_auc(arrays, 0, open_side), **EXACT)

    score, side = arrays["score"], arrays["side"]
    rows = np.isin(side, [0, -1 if flag == "unknown" else 1])
    auroc = roc_auc_score(side[rows] == 0, score[rows])
    assert metric(file, "auroc", "--open", flag) == pytest.approx(auroc, **EXACT)


def test_counts(folder):
    arrays = tied(5)
    counts = json_of("eval", write_npz(folder / "p.npz", arrays))["counts"]
    _, sizes = np.unique(arrays["score"], return_counts=True)
    assert counts == {"base": int((arrays["side"] == 0).sum()),
                      "new": int((arrays["side"] == 1).sum()), "unknown": 0,
                      "tied": int(sizes[sizes > 1].sum()), "tied_answers": 0}
