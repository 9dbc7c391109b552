"""Sample sizes: the variance components by NumPy, and what they predict by drawing."""

import numpy as np
import openworld
import pytest
from util import outcomes

stats = pytest.importorskip("scipy.stats")
Z = stats.norm.ppf(0.975)


def draw(rng, base, new, seeds=1):
    """Runs on the same samples. Right and wrong follow the score, as they do in real models."""
    side = np.repeat([0, 1], [base, new])
    common = rng.normal(size=side.size)
    runs = []
    for _ in range(seeds):
        lift = 1.2 + (0.2 * rng.normal() if seeds > 1 else 0)
        score = common + (0.5 * rng.normal(size=side.size) if seeds > 1 else 0) + lift * (side == 0)
        luck = rng.normal(size=side.size)
        correct = np.where(side == 0, score + luck > 0, score - luck < 1)
        runs.append({"side": side, "score": score, "correct": correct})
    return runs


def table(run, metric, strict=True):
    """phi of every pair of a base and a new sample; its mean is the metric."""
    base, new = run["side"] == 0, run["side"] == 1
    gap = run["score"][base][:, None] - run["score"][new][None, :]
    phi = (gap > 0) + (0 if strict else 0.5) * (gap == 0)
    if metric != "auroc":
        phi = phi * run["correct"][base][:, None]
    if metric == "openworld_auc":
        phi = phi * run["correct"][new][None, :]
    return phi


def definition(runs, metric):
    """Components of a pair metric from the whole table of pairs of every run."""
    tables = np.array([table(run, metric, strict=metric != "auroc") for run in runs], float)
    seeds, n, m = tables.shape
    rows, columns = tables.mean(2), tables.mean(1)
    values = tables.mean((1, 2))
    residual = tables - rows[:, :, None] - columns[:, None, :] + values[:, None, None]
    pairs = (residual**2).sum((1, 2)).mean() / ((n - 1) * (m - 1))
    parts = {"pairs": pairs}
    for name, means, partners in (("base", rows, m), ("open", columns, n)):
        covariance = np.atleast_2d(np.cov(means))
        single = covariance.diagonal().mean()
        shared = single if seeds == 1 else (
            (covariance.sum() - covariance.trace()) / (seeds * (seeds - 1)))
        own = single - shared - (pairs / partners if seeds > 1 else 0)
        parts[name] = max(0, shared - (pairs / partners if seeds == 1 else 0))
        parts[name + "_own"] = max(0, own)
    if seeds > 1:
        parts["between_seeds"] = values.var(ddof=1)
        own = parts["base_own"] / n + parts["open_own"] / m + pairs / (n * m)
        parts["seed"] = max(0, parts["between_seeds"] - own)
    return values.mean(), parts


@pytest.mark.parametrize("metric", ["auroc", "open_auc", "openworld_auc"])
@pytest.mark.parametrize("seeds", [1, 2, 5])
def test_components_of_pair_metrics(metric, seeds):
    runs = draw(np.random.default_rng(seeds), 60, 45, seeds)
    for run in runs:
        run["score"] = np.round(run["score"], 1)  # ties
    result = openworld.samplesize(runs, half_width=0.1, metric=metric)
    value, parts = definition(runs, metric)
    assert result.value == pytest.approx(value, abs=1e-14)
    for name, expected in parts.items():
        assert getattr(result.components, name) == pytest.approx(expected, abs=1e-13), name
    if seeds == 1:
        assert result.components.seed is None


@pytest.mark.parametrize("metric", ["base_acc", "new_acc", "hm"])
def test_components_of_accuracies(metric):
    runs = draw(np.random.default_rng(3), 80, 50, 3)
    result = openworld.samplesize(runs, half_width=0.1, metric=metric)
    influence = {0: [], 1: []}
    for run in runs:
        b, n = (run["correct"][run["side"] == s].mean() for s in (0, 1))
        slopes = {"base_acc": (1, 0), "new_acc": (0, 1),
                  "hm": (2 * n**2 / (b + n) ** 2, 2 * b**2 / (b + n) ** 2)}[metric]
        for side in (0, 1):
            influence[side].append(slopes[side] * run["correct"][run["side"] == side])
    for side, name in ((0, "base"), (1, "open")):
        covariance = np.cov(influence[side])
        shared = (covariance.sum() - covariance.trace()) / 6
        own = covariance.trace() / 3 - shared
        assert getattr(result.components, name) == pytest.approx(shared, abs=1e-14)
        assert getattr(result.components, name + "_own") == pytest.approx(own, abs=1e-14)


def test_half_width():
    runs = draw(np.random.default_rng(4), 200, 150, 4)
    result = openworld.samplesize(runs, half_width=0.2, metric="auroc", level=0.9)
    c, z, t = result.components, stats.norm.ppf(0.95), stats.t.ppf(0.95, 3)
    own = c.seed + c.base_own / 200 + c.open_own / 150 + c.pairs / (200 * 150)
    expected = np.sqrt(z**2 * (c.base / 200 + c.open / 150) + t**2 * own / 4)
    assert result.pilot.half_width == pytest.approx(expected, rel=1e-12)
    low, high = result.pilot.range
    assert low < result.pilot.half_width < high
    assert (result.pilot.base, result.pilot.open, result.pilot.seeds) == (200, 150, 4)
    assert result.plan.half_width <= 0.2


def test_predicts_the_spread():
    """A pilot of 2000 samples, and 3000 test sets of 150: the spread is predicted within 6 %. Its own
    standard error is 1.3 %, that of the pilot's estimate about 2 %."""
    rng = np.random.default_rng(5)
    pilot = draw(rng, 1200, 800)
    for metric in ("openworld_auc", "auroc"):
        values = [table(draw(rng, 100, 50)[0], metric).mean() for _ in range(3000)]
        plan = openworld.samplesize(pilot, half_width=0.01, metric=metric, base=100, new=50).plan
        assert (plan.base, plan.open, plan.seeds) == (100, 50, 1)
        assert plan.half_width == pytest.approx(Z * np.std(values, ddof=1), rel=0.06)


def test_as_wide_as_evaluate_reports():
    """evaluate() on sets of the size of the plan gives intervals of the half-width asked for."""
    rng = np.random.default_rng(6)
    plan = openworld.samplesize(draw(rng, 900, 700), half_width=0.03).plan
    widths = []
    for _ in range(20):
        run = draw(rng, plan.base, plan.open)[0]
        low, high = openworld.evaluate(**run, metrics="openworld_auc")["openworld_auc"].interval
        widths.append((high - low) / 2)
    assert np.mean(widths) == pytest.approx(0.03, rel=0.05)


def test_every_form_of_a_pilot(tmp_path):
    run, = draw(np.random.default_rng(7), 50, 50)
    openworld.save(tmp_path / "p.npz", **run)
    forms = (run, [run], openworld.Predictions(**run), tmp_path / "p.npz", str(tmp_path / "p.npz"))
    results = [openworld.samplesize(form, half_width=0.05) for form in forms]
    assert all(result == results[0] for result in results)
    scores = {"side": run["side"], "score": run["score"]}
    assert openworld.samplesize(scores, half_width=0.05, metric="auroc").plan.base > 50


def test_unknown_samples():
    side, score, correct = outcomes(600, 1)
    result = openworld.samplesize(dict(side=side, score=score, correct=correct), half_width=0.02,
                                  metric="auroc", open="unknown")
    assert result.open == "unknown" and result.pilot.open == np.sum(side == -1)


def test_wrong_requests():
    one, = draw(np.random.default_rng(8), 30, 30)
    ask = lambda run=one, half_width=0.05, **options: openworld.samplesize(
        run, half_width=half_width, **options)
    for half_width in (0, -1, 0.5, float("nan")):
        with pytest.raises(ValueError, match=r"\[samplesize\] half-width is .* between 0 and 0.5"):
            ask(half_width=half_width)
    with pytest.raises(ValueError, match="no variance components; expected one of openworld_auc"):
        ask(metric="aupr_base")
    with pytest.raises(ValueError, match="did you mean auroc"):
        ask(metric="auroc1")
    with pytest.raises(ValueError, match="a pilot of one, which has no variance over seeds"):
        ask(seeds=3)
    with pytest.raises(ValueError, match="undefined: no new samples"):
        ask({**one, "side": 0 * one["side"]})
    with pytest.raises(ValueError, match=r"pilot\[0\] and 1 in pilot\[1\]"):
        ask([one, {**one, "side": 1 - one["side"]}])
    with pytest.raises(ValueError, match="no pilot"):
        ask([])
    with pytest.raises(ValueError, match=r"\[samplesize\] base is -1"):
        ask(base=-1)
    with pytest.raises(ValueError, match="both a ratio and a number"):
        ask(base=10, ratio=1)
    with pytest.raises(ValueError, match=r"\[samplesize\] no correct"):
        ask({"side": one["side"], "score": one["score"]})
