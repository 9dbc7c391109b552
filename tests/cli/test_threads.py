"""Results have the same bits for 1, 2 and 7 threads. Commands without --threads take as many as there are cores, of
which a shim shows them any number."""

import os
from pathlib import Path

import numpy as np
import pytest
from command import json_of, without_cost
from data import write_npz

SHIM = Path(os.environ.get("OPENWORLD_SHIMS", "")) / "cores_shim.so"
NUMBERS = (1, 2, 7)
CALLS = {
    "curve": ["curve", "large.npz", "--points", 0],
    "curve_roc": ["curve", "large.npz", "--kind", "roc"],
    "curve_pr": ["curve", "large.npz", "--kind", "pr"],
    "sensitivity": ["sensitivity", "large.npz", "--repeats", 4],
    "sensitivity_relative": ["sensitivity", "large.npz", "--relative", "--seed", 3],
}
BCA = {
    "eval": ["eval", "large.npz", "--metrics", "all"],
    "eval_strict": ["eval", "large.npz", "--ties", "strict", "--per-class"],
    "compare": ["compare", "large.npz", "other.npz"],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Logits of 60,000 samples: more pieces than seven threads take at once."""
    folder = tmp_path_factory.mktemp("threads")
    random = np.random.default_rng(3)
    rows, base, new = 60_000, 5, 4
    side = np.array([0, 1, -1, 0], "i1")[np.arange(rows) % 4]
    label = random.integers(0, new, rows)
    for name, skill in [("large", 1.5), ("other", 1.2)]:
        base_logits = random.normal(0, 1, (rows, base)).astype("f4")
        new_logits = random.normal(0, 1, (rows, new)).astype("f4")
        base_logits[np.arange(rows), label] += np.where(side == 0, skill, 0)
        new_logits[np.arange(rows), label] += np.where(side == 1, skill, 0)
        write_npz(folder / f"{name}.npz", {"side": side, "label": label, "base_logits": base_logits,
                                           "new_logits": new_logits})
    return folder


@pytest.mark.parametrize("name", CALLS)
def test_as_many_threads_as_cores(place, folder, monkeypatch, name):
    monkeypatch.setenv("LD_PRELOAD", str(SHIM))
    monkeypatch.setenv("OPENWORLD_THREADS_REPORT", str(folder / "started"))
    results = []
    for cores in NUMBERS:
        monkeypatch.setenv("OPENWORLD_CORES", str(cores))
        results.append(without_cost(json_of(*CALLS[name], cwd=place)))
        assert int((folder / "started").read_text()) == cores - 1
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", BCA)
def test_bca_intervals(place, name):
    call = [*BCA[name], "--ci", "bootstrap", "--bootstrap", "bca", "--resamples", 25]
    one, two, seven = (without_cost(json_of(*call, "--threads", n, cwd=place)) for n in NUMBERS)
    assert "bca" in one
    assert one == two == seven
