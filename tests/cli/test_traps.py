"""Data on which published evaluation scripts report something other than they define."""

import naive
import numpy as np
import pytest
from command import json_of, metric
from data import write_npz
from sklearn.metrics import roc_auc_score


def test_float32_scores_far_from_zero(folder):
    """Scripts pass scores through exp or a sigmoid; at 20 to 35 those round to ties in float32."""
    random = np.random.default_rng(5)
    side = np.repeat([0, 1], 500)
    score = np.clip(random.normal(28.5 - 2 * side, 2.5), 20, 35).astype(np.float32)
    file = write_npz(folder / "p.npz", {"side": side, "score": score, "correct": side >= 0})
    want = roc_auc_score(side == 0, score.astype(float))
    assert metric(file, "auroc") == pytest.approx(want, abs=1e-12)
    squashed = 1 / (1 + np.exp(-score))
    assert abs(roc_auc_score(side == 0, squashed) - want) > 0.1


def test_doubles_that_differ_in_the_last_bit(folder):
    base = np.nextafter(0.5, 1)
    arrays = {"side": np.array([0, 1]), "score": np.array([base, 0.5]), "correct": np.ones(2, int)}
    assert metric(write_npz(folder / "p.npz", arrays), "openworld_auc") == 1.0


def test_inverted_and_all_wrong(folder):
    """Moving wrong samples past the ends of the scores counts these pairs as right: 1.0."""
    arrays = {"side": np.array([0, 0, 1, 1]), "score": np.array([0.1, 0.2, 0.8, 0.9]),
              "correct": np.zeros(4, int)}
    file = write_npz(folder / "p.npz", arrays)
    for ties in ("strict", "half", "definition"):
        assert metric(file, "openworld_auc", "--ties", ties) == 0.0
    assert metric(file, "hm") == 0.0


def test_every_score_equal(folder):
    """A detector that says nothing: 0 by the definition, a half by the code."""
    side = np.arange(40) % 2
    arrays = {"side": side, "score": np.full(40, 0.5), "correct": side >= 0}
    file = write_npz(folder / "p.npz", arrays)
    assert metric(file, "openworld_auc") == 0.0
    assert metric(file, "openworld_auc", "--ties", "half") == 0.5
    assert metric(file, "auroc") == 0.5
    assert metric(file, "fpr_at_95tpr") == 1.0


def test_minus_zero_is_zero(folder):
    arrays = {"side": np.array([0, 1]), "score": np.array([0.0, -0.0]), "correct": np.ones(2, int)}
    file = write_npz(folder / "p.npz", arrays)
    assert metric(file, "auroc") == 0.5
    assert json_of("eval", file)["counts"]["tied"] == 2


def test_monotone_map_changes_nothing(folder):
    """Only the order counts."""
    random = np.random.default_rng(6)
    arrays = {"side": np.arange(200) % 2, "score": np.round(random.normal(0, 3, 200)),
              "correct": random.random(200) < 0.7}
    mapped = {**arrays, "score": np.exp(arrays["score"] / 3) - 100}
    files = [write_npz(folder / f"{i}.npz", a) for i, a in enumerate([arrays, mapped])]
    for name in ("openworld_auc", "open_auc", "auroc", "aupr_base", "fpr_at_95tpr"):
        assert metric(files[0], name) == metric(files[1], name)


def test_the_definitions_own_example(folder):
    """docs/metrics/openworld_auc.md: 2/6 strict, 2.5/6 half."""
    arrays = {"side": np.array([0, 0, 0, 1, 1]), "score": np.array([0.9, 0.6, 0.4, 0.5, 0.4]),
              "correct": np.array([1, 0, 1, 1, 1])}
    file = write_npz(folder / "p.npz", arrays)
    assert metric(file, "openworld_auc") == pytest.approx(2 / 6, abs=1e-15)
    assert metric(file, "openworld_auc", "--ties", "half") == pytest.approx(2.5 / 6, abs=1e-15)
    assert naive.openworld_auc(arrays, 0.5) == pytest.approx(2.5 / 6, abs=1e-15)
