"""evaluate() and its result."""

import json
import pickle
import threading
import time

import numpy as np
import openworld
import pytest
from openworld import metrics
from util import outcomes

SIDE, SCORE, CORRECT = outcomes(500, 2, 60)


def test_values_intervals_and_counts():
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT)
    assert list(evaluation) == [
        row.function_name.replace("_at_tpr", "_at_95tpr") for row in metrics.table() if row.standard
    ]
    entry = evaluation["openworld_auc"]
    assert entry.value == metrics.openworld_auc(SIDE, SCORE, CORRECT) == float(entry)
    low, high = entry.interval
    assert low < entry.value < high and entry.value in entry.interval
    assert entry.interval.method == "delong" and entry.interval.level == 0.95
    assert (entry.open, entry.ties, entry.why) == ("new", "strict", "")
    assert evaluation.counts == {
        "base": np.sum(SIDE == 0),
        "new": np.sum(SIDE == 1),
        "unknown": np.sum(SIDE == -1),
        "tied": sum(c for c in np.unique(SCORE, return_counts=True)[1] if c > 1),
        "tied_answers": 0,
    }


def test_undefined_metrics_say_why():
    entry = openworld.evaluate(SIDE, SCORE, CORRECT)["overall_acc"]
    assert entry.value is None and entry.why and entry.interval is None
    with pytest.raises(ValueError, match=r"\[overall_acc\] undefined: "):
        float(entry)


def test_to_dict_is_the_result_json():
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT, ci="bootstrap", resamples=50, seed=7)
    result = evaluation.to_dict()
    assert result == json.loads(evaluation.to_json())
    assert result["schema"] == "openworld.result/2"
    assert result["version"] == openworld.__version__
    assert result["counts"] == evaluation.counts
    for name, entry in evaluation.items():
        assert result["metrics"][name]["value"] == entry.value
        if entry.interval is not None:
            assert result["metrics"][name]["interval"]["low"] == entry.interval.low
    assert result["options"]["resamples"] == 50 and result["options"]["seed"] == 7
    assert "source" not in result


def test_threads_do_not_change_a_bit():
    runs = [
        openworld.evaluate(SIDE, SCORE, CORRECT, ci="bootstrap", resamples=64, threads=threads)
        for threads in (1, 2, 3)
    ]
    assert runs[0].to_json() == runs[1].to_json() == runs[2].to_json()
    other = openworld.evaluate(SIDE, SCORE, CORRECT, ci="bootstrap", resamples=64, seed=1)
    assert other.to_json() != runs[0].to_json()


def test_percentile_and_level():
    narrow, wide = (
        openworld.evaluate(
            SIDE, SCORE, CORRECT, ci="bootstrap", bootstrap="percentile", resamples=200, level=level
        )["auroc"].interval
        for level in (0.5, 0.99)
    )
    assert narrow.method == "bootstrap_percentile"
    assert wide.low < narrow.low < narrow.high < wide.high


def test_to_latex():
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT, metrics="auroc,base_acc,tp_count", level=0.9)
    lines = evaluation.to_latex().splitlines()
    assert lines[:2] == [r"\begin{tabular}{lrr}", r"\toprule"]
    assert lines[2] == r"metric & \% & 90 \% interval " + 2 * "\\"
    auroc = evaluation["auroc"]
    low, high = (100 * bound for bound in auroc.interval)
    assert lines[4] == rf"AUROC & {100 * auroc.value:.2f} & [{low:.2f}, {high:.2f}] " + 2 * "\\"
    assert lines[6].startswith(f"TP & {evaluation['tp_count'].value:.0f} & ")
    undefined = openworld.evaluate(SIDE[SIDE == 0], SCORE[SIDE == 0], CORRECT[SIDE == 0], metrics="auroc")
    assert "AUROC & - &  \\\\" in undefined.to_latex()


class Axes:
    """What plot() asks of matplotlib's."""

    def __init__(self):
        self.drawn, self.calls = [], {}

    def errorbar(self, x, y, xerr, **style):
        self.drawn.append((x[0], y[0], xerr[0][0], xerr[1][0]))

    def __getattr__(self, name):
        return lambda *args: self.calls.update({name: args})


def test_plot(monkeypatch):
    import sys
    import types

    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT, metrics="auroc,hm,tp_count,base_acc")
    axes = Axes()
    pyplot = types.ModuleType("matplotlib.pyplot")
    pyplot.subplots = lambda **options: (None, axes)
    monkeypatch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    assert evaluation.plot() is axes
    assert axes.calls["set_yticks"] == (range(3), ["AUROC", "HM", "BaseAcc"])
    for (x, row, below, above), metric in zip(axes.drawn, (evaluation[n] for n in ("auroc", "hm", "base_acc"))):
        assert x == pytest.approx(100 * metric.value)
        assert x - below == pytest.approx(100 * metric.interval.low)
        assert x + above == pytest.approx(100 * metric.interval.high)
    assert [row for _, row, _, _ in axes.drawn] == [0, 1, 2]
    given = Axes()
    assert evaluation.plot(given) is given and len(given.drawn) == 3


def test_plot_with_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = openworld.evaluate(SIDE, SCORE, CORRECT).plot()
    assert axes.get_xlabel() == "%" and len(axes.get_yticklabels()) > 5


@pytest.mark.parametrize("method, library", [("plot", "matplotlib"), ("to_frame", "pandas")])
def test_missing_libraries_are_named(monkeypatch, method, library):
    import sys

    for name in (library, f"{library}.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT)
    with pytest.raises(ImportError, match=rf"^{method}\(\) needs {library}, which is not installed$"):
        getattr(evaluation, method)()


def test_a_monotone_map_changes_nothing():
    def values(score):
        return openworld.evaluate(SIDE, score, CORRECT, ci=None).values_dict()

    double = SCORE.astype(np.float64)
    assert values(double) == values(np.exp(double)) == values(3 * double - 40)


def test_swapping_the_sides_mirrors_auroc():
    sides = outcomes(200, 9, 8, unknown=False)[0]
    score = outcomes(200, 9, 8, unknown=False)[1]
    assert metrics.auroc(1 - sides, score) == pytest.approx(1 - metrics.auroc(sides, score))


def test_logits_give_what_files_get(tmp_path):
    rng = np.random.default_rng(0)
    side = rng.choice([0, 1, -1], 200).astype(np.int8)
    base, new = rng.normal(size=(200, 4)).astype(np.float32), rng.normal(size=(200, 3))
    label = rng.integers(0, 3, 200)
    np.savez(tmp_path / "p.npz", side=side, base_logits=base, new_logits=new, label=label)
    from_file = openworld.load(tmp_path / "p.npz")
    arrays = dict(base_logits=base, new_logits=np.asfortranarray(new), label=label)
    from_arrays = openworld.Predictions(side, **arrays)
    for name in ("side", "score", "correct", "overall_correct", "label", "predicted"):
        np.testing.assert_array_equal(getattr(from_file, name), getattr(from_arrays, name))
    assert (from_arrays.base_classes, from_arrays.new_classes) == (4, 3)

    # The derivation, written out.
    both = np.hstack([base, new])
    p = np.exp(both - both.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    np.testing.assert_allclose(from_arrays.score, p[:, :4].max(1), rtol=1e-12)
    correct = np.where(side == 0, base.argmax(1) == label, new.argmax(1) == label) & (side != -1)
    np.testing.assert_array_equal(from_arrays.correct, correct)

    first = openworld.evaluate(side, metrics="all", **arrays).to_dict()
    second = openworld.evaluate_file(tmp_path / "p.npz", metrics="all").to_dict()
    assert second.pop("source") == str(tmp_path / "p.npz")
    assert first == second


def test_predictions_stand_for_their_arrays():
    predictions = openworld.Predictions(SIDE, SCORE, CORRECT)
    assert openworld.evaluate(predictions).to_json() == openworld.evaluate(
        SIDE, SCORE, CORRECT
    ).to_json()
    with pytest.raises(ValueError, match=r"\[evaluate\] got Predictions and score; expected one"):
        openworld.evaluate(predictions, SCORE)


def test_correct_may_be_absent_when_no_metric_reads_it():
    evaluation = openworld.evaluate(SIDE, SCORE, metrics=["auroc", "fpr95"])
    assert evaluation["auroc"].value == metrics.auroc(SIDE, SCORE)
    assert list(evaluation) == ["auroc", "fpr_at_95tpr"]
    with pytest.raises(ValueError, match=r"\[evaluate\] no correct"):
        openworld.evaluate(SIDE, SCORE, metrics=["auroc", "hm"])


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(metrics="auro"), "unknown metric 'auro'; did you mean auroc"),
        (dict(metrics=[]), "no metric named"),
        (dict(metrics=[3]), "got 3; expected names"),
        (dict(metrics=["a\ud800b"]), "not valid Unicode"),
        (dict(metrics="a\ud800b"), "not valid Unicode"),
        (dict(ties="x"), r"\[evaluate\] ties is 'x'; expected 'half', 'strict' or None"),
        (dict(open=0), r"\[evaluate\] open is 0; expected 'new', 'unknown' or None"),
        (dict(ci="wald"), r"\[evaluate\] ci is 'wald'; expected 'delong', 'bootstrap' or None"),
        (dict(bootstrap="x"), r"\[evaluate\] bootstrap is 'x'; expected 'bca' or 'percentile'"),
        (dict(level=1.0), r"\[evaluate\] level is 1; expected a number between 0 and 1"),
        (dict(ci="bootstrap", resamples=1), r"\[bootstrap\] 1 resamples; expected at least 2"),
        (dict(seed=-1), r"\[evaluate\] seed is -1; expected 0 or more"),
        (dict(threads=-2), r"\[evaluate\] threads is -2; expected 0 \(every core\) or more"),
        (dict(threshold=float("nan")), r"\[evaluate\] threshold is NaN; expected a score"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        openworld.evaluate(SIDE, SCORE, CORRECT, **options)


def test_unknown_names_in_the_result():
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT, metrics="auroc")
    with pytest.raises(KeyError, match="no metric 'hm' in this evaluation; it has auroc"):
        evaluation["hm"]
    assert "hm" not in evaluation and "auroc" in evaluation


def test_repr_and_html():
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT)
    lines = repr(evaluation).splitlines()
    assert len(lines) == len(evaluation) + 1 + len(evaluation.notes)
    value = evaluation["openworld_auc"].value
    assert lines[1].split()[:2] == ["openworld_auc", f"{value:.4f}"]
    page = evaluation._repr_html_()
    assert page.count("<tr>") == len(evaluation) + 1 and f"{value:.4f}" in page


def test_evaluations_can_be_pickled():
    evaluation = openworld.evaluate(SIDE, SCORE, CORRECT)
    again = pickle.loads(pickle.dumps(evaluation))
    assert again.to_json() == evaluation.to_json() and dict(again) == dict(evaluation)


def test_other_threads_run_while_it_computes():
    side, score, correct = outcomes(200_000, 3)
    ends = []

    def compute():
        ends.append(time.perf_counter())
        openworld.evaluate(
            side, score, correct, metrics="auroc", ci="bootstrap", resamples=300, threads=1
        )
        ends.append(time.perf_counter())

    worker = threading.Thread(target=compute)
    worker.start()
    beats = []
    while worker.is_alive():
        time.sleep(0.001)
        beats.append(time.perf_counter())
    # A computation that held the GIL would not let other threads run.
    quarter = (ends[1] - ends[0]) / 4
    assert any(ends[0] + quarter < beat < ends[1] - quarter for beat in beats)


def test_notes():
    """What the command prints below its tables."""
    side = np.repeat([0, 1, -1], 40)
    score = np.arange(120.0)
    evaluation = openworld.evaluate(side, score, side >= 0, metrics="auroc,open_auc")
    sides = "base against new samples: AUROC; base against unknown samples: OpenAUC"
    wrong = "AUROC is below 50 %: the score may be reversed; larger must mean more base-like"
    assert evaluation.notes == [sides, wrong]
    assert repr(evaluation).endswith(f"- {sides}\n- {wrong}")
    assert evaluation.to_dict()["warnings"] == [wrong]
    healthy = openworld.evaluate(side[:80], -score[:80], side[:80] >= 0)
    assert healthy.notes == [] and "warnings" not in healthy.to_dict()
    both = {"side": side, "score": score, "correct": side >= 0}
    compared = openworld.compare(both, both, metrics="auroc,open_auc,base_acc")
    assert [metric.open for metric in compared.values()] == ["new", "unknown", None]
    assert repr(compared).endswith("- base against new samples: auroc; base against unknown samples: open_auc")
