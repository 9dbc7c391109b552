"""RCC and EA of robustness curves, against NumPy on a fine grid."""

import csv

import numpy as np
import pytest
from command import json_of, succeed


def curves(file):
    """Levels and mean accuracies by (method, world)."""
    found = {}
    with open(file) as rows:
        for row in csv.DictReader(rows):
            by_level = found.setdefault((row["method"], row["world"]), {})
            by_level.setdefault(float(row["t"]), []).append(float(row["acc"]))
    return {key: (sorted(by_level), [np.mean(by_level[t]) for t in sorted(by_level)])
            for key, by_level in found.items()}


def test_rcc_and_ea(examples):
    file = examples / "curves.csv"
    result = json_of("drc", file, "--zero-shot", "zero-shot", "--density", "0:2,0.3:1,1:0.5")
    assert result["density"] == {"levels": [0, 0.3, 1], "weights": [2, 1, 0.5]}
    expected = curves(file)
    for method in result["methods"]:
        for world, metrics in method["worlds"].items():
            levels, accuracies = expected[method["method"], world]
            t = np.linspace(levels[0], levels[-1], 100001)
            acc, weight = np.interp(t, levels, accuracies), np.interp(t, [0, 0.3, 1], [2, 1, 0.5])
            assert metrics["rcc"] == pytest.approx(np.corrcoef(t, acc)[0, 1], abs=1e-4)
            assert metrics["ea"] == pytest.approx(np.trapz(weight * acc, t) / np.trapz(weight, t),
                                                  abs=1e-7)


def test_without_a_density_and_without_a_slope(examples, folder):
    result = json_of("drc", examples / "curves.csv", "--zero-shot", "zero-shot")
    assert result["density"] is None
    for method in result["methods"]:
        assert all(metrics["ea"] is None for metrics in method["worlds"].values())
    file = folder / "flat.csv"
    file.write_text("method,world,t,acc\na,w,0,0.5\na,w,1,0.5\nb,w,0,0.6\nb,w,1,0.5\n")
    flat, falling = json_of("drc", file, "--zero-shot", "a")["methods"]
    assert flat["worlds"]["w"]["rcc"] is None
    assert falling["worlds"]["w"]["rcc"] == pytest.approx(-1)
    header, row = succeed("drc", file, "--zero-shot", "a").splitlines()[2:4]
    cells = dict(zip(header.split(), row.split()[1:]))
    assert cells["RCC"] == "-" and cells["EA"] == "-"
