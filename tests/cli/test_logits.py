"""Files of logits and labels alone: what is derived from them."""

import naive
import numpy as np
import pytest
from command import json_of, succeed
from data import WRITERS, full, put, write_npz
from sklearn.metrics import roc_auc_score

EXACT = {"abs": 1e-12, "rel": 0}


def check(file, arrays):
    d = naive.derived(arrays)
    side = d["side"]
    known = side >= 0
    want = {
        "auroc": roc_auc_score(side[known] == 0, d["score"][known]),
        "openworld_auc": naive.openworld_auc(d, 0),
        "open_auc": naive.open_auc(d, 0, -1),
        "base_acc": d["correct"][side == 0].mean(),
        "new_acc": d["correct"][side == 1].mean(),
        "overall_acc": d["overall_correct"][known].mean(),
    }
    metrics = json_of("eval", file, "--ci", "none")["metrics"]
    assert {name: metrics[name]["value"] for name in want} == pytest.approx(want, **EXACT)


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_formats(folder, format, seed):
    arrays = full(200, seed=seed)
    check(WRITERS[format](folder / "p.npz", arrays), arrays)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", ">f4", ">f8"])
@pytest.mark.parametrize("format", ["npz", "npz_compressed"])
def test_layouts(folder, format, dtype, order):
    arrays = full(200)
    for name in ("base_logits", "new_logits"):
        arrays[name] = np.asarray(arrays[name], dtype=dtype, order=order)
    check(WRITERS[format](folder / "p.npz", arrays), arrays)


@pytest.mark.parametrize("dtype", ["i1", "u2", ">i4", "u8"])
def test_labels(folder, dtype):
    arrays = full(200)
    arrays["label"] = arrays["label"].astype(dtype)
    check(write_npz(folder / "p.npz", arrays), arrays)


def test_more_rows_than_a_thread_takes_at_once(folder):
    arrays = full(5000, base=7, new=3)
    arrays["base_logits"] = np.asfortranarray(arrays["base_logits"])
    check(write_npz(folder / "p.npz", arrays), arrays)


def test_large_logits_do_not_overflow(folder):
    arrays = full(200)
    for name in ("base_logits", "new_logits"):
        arrays[name] = arrays[name] * 100 + 1e4
    check(write_npz(folder / "p.npz", arrays), arrays)


def test_label_of_an_unknown_sample_is_not_read(folder):
    arrays = full(200)
    file = write_npz(folder / "p.npz", {**arrays, "label": put(arrays["label"], 2, -7)})
    assert arrays["side"][2] == -1
    check(file, arrays)


def test_arrays_that_are_there_win(folder):
    """A score and a correct of one's own are used as they are, next to logits."""
    arrays = full(90)
    given = {"score": -np.arange(90.0), "correct": np.arange(90) % 2}
    metrics = json_of("eval", write_npz(folder / "p.npz", {**arrays, **given}))["metrics"]
    both = {**arrays, **given}
    want = naive.openworld_auc(both, 0)
    assert metrics["openworld_auc"]["value"] == pytest.approx(want, **EXACT)
    overall = naive.derived(arrays)["overall_correct"][arrays["side"] >= 0].mean()
    assert metrics["overall_acc"]["value"] == pytest.approx(overall, **EXACT)


def test_words_for_sides_in_csv(folder):
    words = folder / "words.csv"
    words.write_text("side,score,correct\nbase,0.9,true\nnew,0.1,True\nnew,0.95,1\nunknown,0.5,0\n")
    result = json_of("eval", words)
    assert result["counts"] == {"base": 1, "new": 2, "unknown": 1, "tied": 0, "tied_answers": 0}
    assert result["metrics"]["openworld_auc"]["value"] == 0.5


def test_ties_of_logits_are_counted(folder):
    """fp16 makes equal logits of different ones; the first name counts, and the file is told."""
    rng = np.random.default_rng(3)
    n = 400
    side = np.repeat(np.array([0, 1, -1], "i1"), [n // 2, n // 4, n // 4])
    base, new = (20 + rng.normal(0, 0.02, (n, k)).astype("f2") for k in (8, 5))
    label = rng.integers(0, 5, n).astype("i4")
    np.savez(folder / "half.npz", side=side, label=label, base_logits=base, new_logits=new)
    both = np.concatenate([base, new], 1).astype("f8")

    def tied(rows):
        return np.sum(rows == rows.max(1, keepdims=True), 1) > 1

    expected = int(((side == 0) & (tied(base) | tied(both)) | (side == 1) & (tied(new) | tied(both))).sum())
    assert expected > 10
    assert json_of("eval", folder / "half.npz")["counts"]["tied_answers"] == expected
    says = f"- {expected} answers are the first of several names with the same logit"
    assert says in succeed("eval", folder / "half.npz")
    np.savez(folder / "full.npz", side=side, label=label, base_logits=rng.normal(0, 1, (n, 8)),
             new_logits=rng.normal(0, 1, (n, 5)))
    assert json_of("eval", folder / "full.npz")["counts"]["tied_answers"] == 0
    assert "same logit" not in succeed("eval", folder / "full.npz")
