"""Curves, comparisons, diagnosis, sensitivity, thresholds, per class."""

import numpy as np
import openworld
import pytest
from openworld import metrics
from util import classes, outcomes

SIDE, SCORE, CORRECT = outcomes(600, 11, 80)


@pytest.mark.parametrize("kind", ["miss-hit", "roc", "cotpr-ofpr"])
def test_the_area_below_a_curve_is_its_metric(kind):
    curve = openworld.curve(SIDE, SCORE, CORRECT, kind=kind)
    names = {"miss-hit": "openworld_auc", "roc": "auroc", "cotpr-ofpr": "open_auc"}
    assert curve.name == kind and curve.area_name in names.values()
    trapezoids = np.sum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2)
    assert curve.area == pytest.approx(trapezoids, abs=1e-12)
    metric = getattr(metrics, curve.area_name)
    assert curve.area == pytest.approx(metric(SIDE, SCORE, CORRECT, ties="half"), abs=1e-12)
    assert curve.max_error == 0 and (np.diff(curve.x) >= 0).all()


def test_curve_points_are_rates_at_their_thresholds():
    curve = openworld.curve(SIDE, SCORE, kind="roc", open="unknown")  # does not read correct
    for x, y, t in list(zip(curve.x, curve.y, curve.threshold))[::20]:
        assert x == pytest.approx(np.mean(SCORE[SIDE == -1] > t), abs=1e-12)
        assert y == pytest.approx(np.mean(SCORE[SIDE == 0] > t), abs=1e-12)


def test_thinned_curves_keep_the_area():
    side, score, correct = outcomes(5000, 12)
    whole = openworld.curve(side, score, correct)
    thin = openworld.curve(side, score, correct, max_points=50)
    assert thin.x.size <= 50 < whole.x.size
    assert thin.area == whole.area and 0 < thin.max_error < 0.05
    drawn = np.interp(whole.x, thin.x, thin.y)
    assert np.abs(drawn - whole.y).max() <= thin.max_error + 1e-9 or thin.x.size < whole.x.size


def test_wrong_curves():
    with pytest.raises(ValueError, match="bad"):
        openworld.curve(SIDE, SCORE, CORRECT, kind="bad")
    with pytest.raises(ValueError, match=r"\[curve\] max_points is -1"):
        openworld.curve(SIDE, SCORE, CORRECT, max_points=-1)
    with pytest.raises(ValueError, match=r"\[curve\] no correct"):
        openworld.curve(SIDE, SCORE)
    with pytest.raises(ValueError, match=r"\[curve\] roc is undefined: no base samples"):
        openworld.curve([1, 1], [0.0, 1.0], kind="roc")


def better(seed=1):
    rng = np.random.default_rng(seed)
    score = SCORE + np.where(SIDE == 0, 0.5, 0) + rng.normal(size=SIDE.size) / 10
    return dict(side=SIDE, score=score, correct=CORRECT | (rng.random(SIDE.size) < 0.3))


def test_compare_finds_a_real_difference(tmp_path):
    a, b = dict(side=SIDE, score=SCORE, correct=CORRECT), better()
    comparison = openworld.compare(a, b, metrics="openworld_auc,base_acc,fpr95", resamples=200)
    assert list(comparison) == ["openworld_auc", "base_acc", "fpr_at_95tpr"]
    entry = comparison["openworld_auc"]
    assert entry.a == metrics.openworld_auc(**a) and entry.b == metrics.openworld_auc(**b)
    assert entry.difference == pytest.approx(entry.b - entry.a)
    assert entry.difference in entry.interval
    assert entry.test == "delong" and entry.p_value < 0.01
    assert comparison["base_acc"].test == "mcnemar"
    assert comparison["fpr_at_95tpr"].test == "bootstrap"
    tested = [m for m in comparison.values() if m.p_value is not None]
    smallest = min(tested, key=lambda m: m.p_value)
    assert smallest.p_adjusted == pytest.approx(min(1, smallest.p_value * len(tested)))
    assert all(m.p_adjusted >= m.p_value for m in tested)
    assert len(repr(comparison).splitlines()) == 4

    openworld.save(tmp_path / "a.npz", **a)
    again = openworld.compare(
        tmp_path / "a.npz", openworld.Predictions(**b), metrics="openworld_auc"
    )
    assert again["openworld_auc"].p_value == entry.p_value


def test_comparing_a_model_with_itself():
    a = openworld.Predictions(SIDE, SCORE, CORRECT)
    for entry in openworld.compare(a, a, metrics="auroc,hm,base_acc,overall_acc", ci=None).values():
        assert entry.difference in (0, None) and entry.p_value is None


def test_wrong_comparisons():
    a = dict(side=SIDE, score=SCORE, correct=CORRECT)
    with pytest.raises(ValueError, match="side"):
        openworld.compare(a, dict(side=SIDE[::-1], score=SCORE, correct=CORRECT))
    with pytest.raises(ValueError, match=r"\[compare\] no correct"):
        openworld.compare(a, dict(side=SIDE, score=SCORE))
    with pytest.raises(ValueError, match=r"\[compare\] ci is 'x'"):
        openworld.compare(a, a, ci="x")


def test_diagnosis_adds_up():
    d = openworld.diagnose(SIDE, SCORE, CORRECT)
    assert d.openworld_auc == metrics.openworld_auc(SIDE, SCORE, CORRECT)
    assert sum(d.cost.values()) == pytest.approx(1 - d.openworld_auc, abs=1e-12)
    assert d.openworld_auc == pytest.approx(d.base_acc * d.new_acc * d.ranked_given_right)
    perfect = np.where(SIDE == 0, True, CORRECT)
    assert d.if_perfect["base"] == pytest.approx(metrics.openworld_auc(SIDE, SCORE, perfect))
    with pytest.raises(ValueError, match=r"\[diagnose\] undefined: no new samples"):
        openworld.diagnose([0, 0], [0.0, 1.0], [1, 1])


def test_sensitivity():
    result = openworld.sensitivity(
        SIDE, SCORE, CORRECT, overall_correct=CORRECT, ratios=[2, 1, 0.5], seed=3
    )
    assert [row.ratio for row in result.rows] == [2, 1, 0.5]
    for row in result.rows:
        assert row.new / row.base == pytest.approx(row.ratio, rel=0.05)
    accuracy = [row.values["base_acc"] for row in result.rows]
    assert result.mean["base_acc"] == pytest.approx(np.mean(accuracy))
    assert result.variance["base_acc"] == pytest.approx(np.var(accuracy, ddof=1))
    assert len(openworld.sensitivity(SIDE, SCORE, CORRECT).rows) == 10
    with pytest.raises(ValueError, match="ratio"):
        openworld.sensitivity(SIDE, SCORE, CORRECT, ratios=[-1])
    with pytest.raises(ValueError, match="repeats"):
        openworld.sensitivity(SIDE, SCORE, CORRECT, repeats=0)
    with pytest.raises(ValueError, match=r"\[sensitivity\] seed is -1"):
        openworld.sensitivity(SIDE, SCORE, CORRECT, seed=-1)


def test_threshold_keeps_its_promise():
    side, score, correct = outcomes(3000, 13)
    correct |= side == 0
    found = openworld.threshold(side, score, correct, max_miss=0.1, confidence=0.9)
    assert found.refusal == "" and found.base == np.sum(side == 0) and found.wrong == 0
    missed = np.sum(score[side == 0] <= found.threshold)
    assert missed == found.miss.count <= found.allowed_misses
    # One more miss would be one too many, or the next score is a tie.
    higher = np.nextafter(np.float32(found.threshold), np.float32(np.inf))
    assert np.sum(score[side == 0] <= higher) > found.allowed_misses
    assert found.hit.count == np.sum((score[side == 1] <= found.threshold) & correct[side == 1])
    assert found.reject.count == np.sum(score[side == -1] <= found.threshold)
    assert found.hit.low < found.hit.value < found.hit.high
    assert float(found) == found.threshold


def test_threshold_refuses_what_it_cannot_promise():
    found = openworld.threshold([0] * 20, np.arange(20.0), [1] * 20)
    assert found.threshold is None and found.refusal and found.samples_needed == 59
    with pytest.raises(ValueError, match=r"\[threshold\] "):
        float(found)
    with pytest.raises(ValueError):
        openworld.threshold(SIDE, SCORE, CORRECT, max_miss=2)
    with pytest.raises(ValueError):
        openworld.threshold([1], [0.0], [1])


def test_threshold_for_unknown_samples():
    """Counted again; fit from an array, from logits, and of a file."""
    side, score, correct = outcomes(3000, 13)
    correct |= side == 0
    fit = np.random.default_rng(2).uniform(size=len(side)) - 0.5 * (side == -1)
    limits = {"max_miss": 0.1, "max_unknown": 0.05, "confidence": 0.9, "next": 500}
    found = openworld.threshold(side, score, correct, fit=fit, **limits)
    unknown = found.unknown
    listed = side >= 0
    assert unknown.listed == listed.sum() and unknown.refusal == ""
    assert unknown.unfit.count == np.sum(fit[listed] <= unknown.threshold) == unknown.allowed
    called = (score <= found.threshold) & (fit <= unknown.threshold)
    assert unknown.kept_out.count == called[side == -1].sum()
    assert unknown.kept_out.low < unknown.kept_out.value < unknown.kept_out.high
    for name, value in (("base", 0), ("new", 1), ("unknown", -1)):
        mine = side == value
        assert unknown.answers[name] == {
            "base": np.sum(score[mine] > found.threshold),
            "unknown": called[mine].sum(),
            "new": np.sum((score[mine] <= found.threshold) & ~called[mine]),
        }
    assert (found.next.samples, unknown.next.samples) == (500, 500)
    assert found.next.most / 500 > found.miss.value
    few = openworld.threshold(side[:40], score[:40], np.ones(40, bool), fit=fit[:40], max_miss=0.9, max_unknown=0.01)
    assert few.unknown.threshold is None and few.unknown.samples_needed == 299 and "40 listed" not in few.refusal


def test_fit_is_derived_from_logits(tmp_path):
    random = np.random.default_rng(3)
    n = 400
    side = np.repeat([0, 1], n // 2).astype("i1")
    g, h = random.normal(0, 3, (n, 5)), random.normal(0, 3, (n, 4))
    arrays = {"base_logits": g, "new_logits": h, "label": np.zeros(n, "i4")}
    limits = {"max_miss": 0.95, "max_unknown": 0.1}
    fit = np.concatenate([g, h], 1).max(1)
    found = openworld.threshold(side, **arrays, **limits)
    assert found.unknown.unfit.count == np.sum(fit <= found.unknown.threshold)
    np.savez(tmp_path / "a.npz", side=side, **arrays)
    assert openworld.threshold(openworld.load(tmp_path / "a.npz"), **limits) == found
    with pytest.raises(ValueError, match=r"^\[threshold\] max_unknown needs fit"):
        openworld.threshold(side, np.zeros(n), np.ones(n), **limits)
    with pytest.raises(ValueError, match=r"^\[threshold\] new_logits has 399 rows"):
        openworld.threshold(side, base_logits=g, new_logits=h[:399], label=arrays["label"], **limits)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: openworld.threshold(SIDE, SCORE, CORRECT, max_mis=0.1), "[threshold] no option \"max_mis\"; did you mean max_miss?"),
        (lambda: openworld.threshold(SIDE, SCORE, CORRECT, max_miss_rate=0.1), "did you mean max_miss?"),
        (lambda: openworld.curve(SIDE, SCORE, CORRECT, kinds="roc"), "[curve] no option \"kinds\"; did you mean kind?"),
        (lambda: openworld.diagnose(SIDE, SCORE, CORRECT, tie="half"), "did you mean ties?"),
        (lambda: openworld.sensitivity(SIDE, SCORE, CORRECT, ratio=[1]), "did you mean ratios?"),
        (lambda: openworld.per_class(SIDE, SCORE, CORRECT, labels=SIDE), "did you mean label?"),
        (lambda: openworld.save("x.npz", SIDE, SCORE, CORRECT, labels=SIDE), "did you mean label?"),
        (lambda: openworld.Accumulator().update(SIDE, SCORE, CORRECT, labels=SIDE), "did you mean label?"),
        (lambda: openworld.evaluate(SIDE, SCORE, CORRECT, metric="auroc"), "did you mean metrics?"),
        (lambda: openworld.Predictions(SIDE, SCORE, CORRECT, labels=SIDE), "[Predictions] no option \"labels\"; did you mean label?"),
    ],
)
def test_wrong_keywords_are_named(call, says):
    """One line, without the signature of a binding."""
    with pytest.raises(ValueError) as raised:
        call()
    message = str(raised.value)
    assert says in message and "\n" not in message and "Invoked with" not in message


def test_per_class():
    label, _, correct = classes(SIDE)
    rows = openworld.per_class(SIDE, SCORE, correct, label=label)
    assert [(row.side, row.label) for row in rows] == [
        (side, c) for side in ("base", "new") for c in range(5)
    ]
    for row in rows:
        mine = (SIDE == (0 if row.side == "base" else 1)) & (label == row.label)
        assert (row.right, row.total) == (correct[mine].sum(), mine.sum())
        assert row.accuracy in row.interval
    with pytest.raises(ValueError, match="label"):
        openworld.per_class(SIDE, SCORE, CORRECT)
