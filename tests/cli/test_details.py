"""What eval adds when asked: the cost of each stage, and every class."""

import naive
import pytest
from command import json_of, refused, succeed
from data import full, write_npz

NAMES = [f"base {i}" for i in range(5)] + [f"new {i}" for i in range(4)]


def test_per_class_counts_each_class(folder):
    arrays = full(n=300)
    derived = naive.derived(arrays)
    file = write_npz(folder / "named.npz", {**arrays, "classes": NAMES})
    classes = json_of("eval", file, "--per-class")["per_class"]
    assert len(classes) == len({(s, y) for s, y in zip(arrays["side"], arrays["label"]) if s >= 0})
    for entry in classes:
        side = {"base": 0, "new": 1}[entry["side"]]
        mine = (arrays["side"] == side) & (arrays["label"] == entry["label"])
        assert entry["total"] == mine.sum()
        assert entry["right"] == derived["correct"][mine].sum()
        assert entry["accuracy"] == pytest.approx(derived["correct"][mine].mean())
        assert entry["interval"]["low"] <= entry["accuracy"] <= entry["interval"]["high"]
        assert entry["name"] == f"{entry['side']} {entry['label']}"
    text = succeed("eval", file, "--per-class")
    assert all(entry["name"] in text for entry in classes)


def test_per_class_needs_labels(good):
    refused("eval", good, "--per-class", says=["good.npz", "label", "--per-class"])


def test_diagnosis_multiplies_and_adds_up(examples):
    file = examples / "gmop.npz"
    result = json_of("eval", file, "--diagnose")
    diagnosis, value = result["diagnosis"], result["metrics"]["openworld_auc"]["value"]
    product = 1
    for factor in diagnosis["factors"].values():
        product *= factor
    assert product == pytest.approx(value, abs=1e-12)
    assert sum(diagnosis["cost"].values()) == pytest.approx(1 - value, abs=1e-12)
    assert "ranking (r)" in succeed("eval", file, "--diagnose")
