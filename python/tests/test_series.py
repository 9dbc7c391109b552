"""Series of results: robustness curves, ranks over settings, seeds."""

import numpy as np
import openworld
import pytest

stats = pytest.importorskip("scipy.stats")


def test_drc():
    levels, accuracies, zero_shot = [0, 0.5, 1], [0.8, 0.6, 0.7], [0.7, 0.7, 0.7]
    result = openworld.drc(levels, accuracies, zero_shot)
    assert result.acc0 == 0.8 and result.wa == 0.6
    assert result.auc == pytest.approx(0.675)
    assert result.evm == pytest.approx((0.4 + 0.2) / 2)
    assert result.vs == pytest.approx(((-0.4 + 0.1) ** 2 + (0.2 + 0.1) ** 2) / 2)
    assert result.pa - result.na == pytest.approx(0.675 - 0.7)
    alone = openworld.drc(np.array([0.2, 1.0]), np.array([0.5, 0.5]))
    assert alone.acc0 is None and alone.pa is None and alone.na is None
    for wrong in ([0.5, 0.5], [1, 0], [0, 2]):
        with pytest.raises(ValueError):
            openworld.drc(wrong, [0.5, 0.5])
    with pytest.raises(ValueError):
        openworld.drc([0, 1], [0.5, 50])
    with pytest.raises(ValueError):
        openworld.drc([0, 1], [0.5, 0.5], [0.5])


def test_rcc_and_ea():
    """Against NumPy on a fine grid, where the curve is interpolated."""
    rng = np.random.default_rng(1)
    for levels in ([0, 0.2, 0.4, 0.6, 0.8, 1], [0.1, 0.15, 0.9]):
        accuracies = rng.random(len(levels))
        density = [(0, 0.5), (0.3, 2), (1, 0.1)]
        result = openworld.drc(levels, accuracies, density=density)
        t = np.linspace(levels[0], levels[-1], 200001)
        acc = np.interp(t, levels, accuracies)
        weight = np.interp(t, *zip(*density))
        assert result.rcc == pytest.approx(np.corrcoef(t, acc)[0, 1], abs=1e-4)
        assert result.ea == pytest.approx(np.trapz(weight * acc, t) / np.trapz(weight, t), abs=1e-8)
    assert openworld.drc([0, 1], [0.5, 0.5]).rcc is None
    assert openworld.drc([0, 1], [0.5, 0.4]).ea is None
    assert openworld.drc([0, 1], [0.5, 0.4], density=[(0, 1), (1, 1)]).ea == pytest.approx(0.45)
    with pytest.raises(ValueError, match="density is 0"):
        openworld.drc([0, 0.5], [0.5, 0.4], density=[(0.5, 1), (1, 1)])
    with pytest.raises(ValueError, match=r"weight\[1\] of the density is -1"):
        openworld.drc([0, 1], [0.5, 0.4], density=[(0, 1), (1, -1)])


def test_friedman_is_scipys():
    table = np.random.default_rng(0).random((12, 4))
    table[:, 2] += 0.5
    result = openworld.friedman(table)
    statistic, p_value = stats.friedmanchisquare(*table.T)
    assert result.chi_squared == pytest.approx(statistic)
    assert result.p_value == pytest.approx(p_value)
    ranks = stats.rankdata(-table, axis=1).mean(0)
    np.testing.assert_allclose(result.average_ranks, ranks)
    assert np.argmin(result.average_ranks) == 2 and result.final_ranks[2] == 1
    q = stats.studentized_range.ppf(0.95, 4, np.inf) / np.sqrt(2)
    assert result.critical_distance == pytest.approx(q * np.sqrt(4 * 5 / (6 * 12)), rel=1e-6)
    assert result.pairwise_p_values.shape == (4, 4)
    lower = openworld.friedman(-table, higher_is_better=False)
    assert lower.average_ranks == result.average_ranks
    assert openworld.friedman(table[:1]).chi_squared is None
    assert openworld.friedman(table[:1]).why


def test_wrong_friedman():
    with pytest.raises(ValueError, match=r"\[friedman\] table has 1 dimension; expected 2"):
        openworld.friedman([1.0, 2.0])
    with pytest.raises(ValueError):
        openworld.friedman([[1.0, np.nan]])
    with pytest.raises(ValueError):
        openworld.friedman([[1.0, 2.0]], alpha=2)


def test_seeds_use_student_and_n_minus_one():
    values = [0.71, 0.74, 0.69]
    summary = openworld.aggregate_seeds(values)
    assert (summary.seeds, summary.why) == (3, "")
    assert summary.mean == pytest.approx(np.mean(values))
    assert summary.sd == pytest.approx(np.std(values, ddof=1))
    low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    assert tuple(summary.interval) == pytest.approx((low, high))
    assert summary.interval.method == "t"
    one = openworld.aggregate_seeds([0.5])
    assert one.sd is None and one.interval is None and one.why
    for wrong in ([], [0.5, float("nan")]):
        with pytest.raises(ValueError):
            openworld.aggregate_seeds(wrong)
    with pytest.raises(ValueError):
        openworld.aggregate_seeds(values, level=95)
