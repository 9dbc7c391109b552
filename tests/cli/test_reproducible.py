"""Same seed and options, same bits; threads change nothing; another seed changes the resamples."""

import pytest
from command import json_of, without_cost

BOOTSTRAP = ["--ci", "bootstrap", "--resamples", 60]
CALLS = {
    "eval": ["eval", "gmop.npz", "coop.npz"],
    "eval_bootstrap": ["eval", "gmop.npz", "--metrics", "all", *BOOTSTRAP],
    "eval_percentile": ["eval", "gmop.npz", "--bootstrap", "percentile", *BOOTSTRAP],
    "compare": ["compare", "coop.npz", "gmop.npz", "--resamples", 60],
    "compare_bootstrap": ["compare", "coop.npz", "gmop.npz", *BOOTSTRAP],
    "curve": ["curve", "gmop.npz", "--points", 50],
    "threshold": ["threshold", "gmop.npz", "--max-miss", 0.4],
    "sensitivity": ["sensitivity", "gmop.npz", "--repeats", 3],
    "samplesize": ["samplesize", "gmop.npz", "--half-width", 0.01],
    "drc": ["drc", "curves.csv", "--zero-shot", "zero-shot"],
    "rank": ["rank", "results.csv"],
}
THREADED = [name for name in CALLS if name.startswith(("eval", "compare"))]


@pytest.mark.parametrize("name", CALLS)
def test_twice(examples, name):
    first, second = (json_of(*CALLS[name], cwd=examples) for _ in range(2))
    assert "cost" in first
    assert without_cost(first) == without_cost(second)


@pytest.mark.parametrize("name", THREADED)
def test_threads(examples, name):
    one, two = (json_of(*CALLS[name], "--threads", n, cwd=examples) for n in (1, 2))
    assert without_cost(one) == without_cost(two)


def test_seed_of_eval(examples):
    def intervals(seed):
        metrics = json_of("eval", "gmop.npz", "--seed", seed, *BOOTSTRAP, cwd=examples)["metrics"]
        return [(m["interval"]["low"], m["interval"]["high"]) for m in metrics.values()]

    first, other = intervals(1), intervals(2)
    assert all(a != b for a, b in zip(first, other))
    assert intervals(1) == first


def test_seed_leaves_values_and_closed_forms_alone(examples):
    one, two = (json_of("eval", "gmop.npz", "--seed", seed, cwd=examples) for seed in (1, 2))
    assert without_cost(one) == without_cost(two)


def test_seed_of_compare(examples):
    def interval(seed):
        return json_of("compare", "coop.npz", "gmop.npz", "--metrics", "hm", "--resamples", 60,
                       "--seed", seed, cwd=examples)["comparisons"][0]["metrics"]["hm"]["interval"]

    assert interval(1) == interval(1)
    assert interval(1) != interval(2)


def test_seed_of_sensitivity(examples):
    one, same, other = (json_of("sensitivity", "gmop.npz", "--seed", seed, cwd=examples)["rows"]
                        for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_example(folder):
    """The examples are drawn from a seed: documents quote their numbers."""
    files = [json_of("example", folder / name)["files"] for name in "ab"]
    for a, b in zip(*files):
        assert open(a, "rb").read() == open(b, "rb").read()
