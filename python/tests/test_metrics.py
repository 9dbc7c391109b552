"""openworld.metrics: definitions, parameters, signatures, errors."""

import inspect
import re

import numpy as np
import openworld
import pytest
from openworld import metrics
from util import classes, fpr_at_tpr, outcomes, pair_mean


@pytest.mark.parametrize("ties", ["strict", "half"])
@pytest.mark.parametrize("distinct", [None, 7])
def test_pair_metrics_are_the_definition(ties, distinct):
    side, score, correct = outcomes(120, 3, distinct)
    args = dict(ties=ties)
    assert metrics.openworld_auc(side, score, correct, **args) == pytest.approx(
        pair_mean(side, score, correct, base_right=True, other_right=True, ties=ties), abs=1e-12
    )
    assert metrics.auroc(side, score, **args) == pytest.approx(
        pair_mean(side, score, correct, base_right=False, other_right=False, ties=ties), abs=1e-12
    )
    assert metrics.open_auc(side, score, correct, open="unknown", **args) == pytest.approx(
        pair_mean(side, score, correct, base_right=True, other_right=False, ties=ties, other=-1),
        abs=1e-12,
    )


def test_default_ties_are_those_of_the_row():
    side, score, correct = outcomes(200, 4, 5)
    assert metrics.openworld_auc(side, score, correct) == metrics.openworld_auc(
        side, score, correct, ties="strict"
    )
    assert metrics.auroc(side, score) == metrics.auroc(side, score, ties="half")


@pytest.mark.parametrize("tpr", [0.5, 0.9, 0.95, 1.0])
def test_fpr_at_tpr_is_the_definition(tpr):
    side, score, _ = outcomes(150, 5, 11)
    assert metrics.fpr_at_tpr(side, score, tpr=tpr) == fpr_at_tpr(side, score, tpr)
    assert metrics.fpr95 is metrics.fpr_at_tpr


def test_accuracies():
    side, score, correct = outcomes()
    base, new = correct[side == 0].mean(), correct[side == 1].mean()
    assert metrics.base_acc(side, score, correct) == pytest.approx(base, abs=1e-15)
    assert metrics.new_acc(side, score, correct) == pytest.approx(new, abs=1e-15)
    assert metrics.hm(side, score, correct) == pytest.approx(2 * base * new / (base + new))


def test_metrics_of_classes():
    side, score, _ = outcomes(300, 6, 40)
    label, predicted, correct = classes(side)
    accuracy = [correct[(side == 0) & (label == c)].mean() for c in range(5)]
    assert metrics.mean_class_acc_base(side, score, correct, label=label) == pytest.approx(
        np.mean(accuracy), abs=1e-12
    )
    # Accepting everything, open_f_macro is the F of the means over classes.
    accepted_right = [np.sum((predicted == c) & (label == c) & (side == 0)) for c in range(5)]
    used = side != 1  # its open side is unknown where there are unknown samples
    precision = np.mean([t / np.sum((predicted == c) & used) for c, t in enumerate(accepted_right)])
    recall = np.mean([t / np.sum((label == c) & (side == 0)) for c, t in enumerate(accepted_right)])
    value = metrics.open_f_macro(
        side, score, correct, label=label, predicted=predicted, base_classes=5, threshold=-np.inf
    )
    assert value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-12)


def test_all_metrics_equal_their_entry_in_evaluate():
    side, score, _ = outcomes(300, 7, 30)
    label, predicted, correct = classes(side)
    overall = correct & (np.arange(300) % 5 > 0)
    arrays = dict(label=label, predicted=predicted, overall_correct=overall, base_classes=5)
    evaluation = openworld.evaluate(side, score, correct, metrics="all", ci=None, **arrays)
    assert len(evaluation) == len(metrics.table())
    for row, entry in zip(metrics.table(), evaluation.values()):
        function = getattr(metrics, row.function_name)
        accepted = inspect.signature(function).parameters
        extras = {name: value for name, value in arrays.items() if name in accepted}
        if entry.value is None:
            with pytest.raises(ValueError, match="undefined: "):
                function(side, score, correct, **extras)
        else:
            assert function(side, score, correct, **extras) == entry.value


def test_correct_is_optional_exactly_where_it_is_not_read():
    blind = {row.function_name for row in metrics.table() if not row.needs_correct}
    assert {"auroc", "aupr_base", "aupr_new", "fpr_at_tpr", "fpr_at_tpr_new", "p_at_r"} <= blind
    judged = {"openworld_auc", "open_auc", "oscr", "base_acc", "new_acc", "hm", "open_f_micro"}
    judged |= {"openworld_auc_at_miss", "openworld_auc_at_miss_hit", "hit_at_miss", "tp_count"}
    assert not judged & blind
    # Metrics move with the flags exactly if they are said to.
    side, score, _ = outcomes(200, 8, 9)
    label, predicted, correct = classes(side)
    moved = set()
    for seed in range(20):
        flags = np.random.default_rng(seed).random(200) < (0.5, 0.97)[seed % 2]
        values = [
            openworld.evaluate(
                *(side, score, judged),
                **dict(label=label, predicted=predicted, overall_correct=correct, base_classes=5),
                **dict(metrics="all", ci=None),
            ).values_dict()
            for judged in (correct, flags)
        ]
        moved |= {name for name in values[0] if values[0][name] != values[1][name]}
    said = {row.function_name for row in metrics.table() if row.needs_correct}
    assert {re.sub("[0-9.]", "", name) for name in moved} == said


def test_parameters_are_fractions():
    side, score, _ = outcomes()
    message = r"\[fpr_at_tpr\] tpr is 95; expected a fraction from 0 to 1"
    with pytest.raises(ValueError, match=message):
        metrics.fpr_at_tpr(side, score, tpr=95)
    with pytest.raises(ValueError, match="tpr is nan"):
        metrics.fpr_at_tpr(side, score, tpr=float("nan"))
    names = openworld.evaluate(side, score, metrics="fpr_at_90tpr", ci=None)
    assert names["fpr_at_90tpr"].value == metrics.fpr_at_tpr(side, score, tpr=0.9)


def test_undefined_says_why():
    with pytest.raises(ValueError, match=r"\[auroc\] undefined: no base samples"):
        metrics.auroc([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match=r"\[fpr_at_95tpr\] undefined: no base samples"):
        metrics.fpr_at_tpr([1, 1], [0.1, 0.2])


def test_arguments_are_checked_by_name():
    side, score, correct = outcomes()
    with pytest.raises(TypeError, match="correct"):
        metrics.openworld_auc(side, score)
    with pytest.raises(ValueError, match="did you mean ties"):
        metrics.auroc(side, score, tie="half")
    with pytest.raises(ValueError, match=r"\[auroc\] ties is 'maybe'; expected 'half', 'strict'"):
        metrics.auroc(side, score, ties="maybe")
    with pytest.raises(ValueError, match=r"\[auroc\] open is 'base'; expected 'new', 'unknown'"):
        metrics.auroc(side, score, open="base")
    assert metrics.auroc(side, score, open=-1) == metrics.auroc(side, score, open="unknown")


def test_docstrings_come_from_the_table():
    for row in metrics.table():
        function = getattr(metrics, row.function_name)
        assert function.__doc__.startswith(f"{row.title}: {row.brief}.")
        assert row.citation in function.__doc__
        for alias in row.aliases:
            assert hasattr(metrics, alias)


def test_logits_at_twenty_to_thirty_five_keep_their_auroc():
    """A float32 sigmoid of such scores is 1.0 everywhere; some libraries then report 0.5."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 2000).astype(np.int8)
    score = np.where(side == 0, rng.normal(30, 2, 4000), rng.normal(26, 2, 4000)).astype(np.float32)
    expected = pair_mean(
        side[::10], score[::10], None, base_right=False, other_right=False, ties="half"
    )
    assert metrics.auroc(side[::10], score[::10]) == pytest.approx(expected, abs=1e-12)
    assert metrics.auroc(side, score) == pytest.approx(0.92, abs=0.01)
    saturated = 1 / (1 + np.exp(-score))
    assert metrics.auroc(side, saturated) == pytest.approx(0.5, abs=0.02)
