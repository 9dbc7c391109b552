"""Accumulator: batches, shards, threads, processes."""

import multiprocessing
import pickle
import threading

import numpy as np
import openworld
import pytest
from util import classes, outcomes

SIDE, SCORE, _ = outcomes(400, 6, 50)
LABEL, PREDICTED, CORRECT = classes(SIDE)
EXPECTED = openworld.evaluate(SIDE, SCORE, CORRECT).to_json()


def batches(size=37):
    for begin in range(0, SIDE.size, size):
        rows = slice(begin, begin + size)
        yield SIDE[rows], SCORE[rows], CORRECT[rows]


def accumulate(parts):
    accumulator = openworld.Accumulator()
    for part in parts:
        accumulator.update(*part)
    return accumulator


def test_batches_equal_one_shot():
    accumulator = accumulate(batches())
    assert len(accumulator) == 400 and "400 samples" in repr(accumulator)
    assert accumulator.compute().to_json() == EXPECTED


def test_merging_shards_in_any_order_equals_one_shot():
    shards = [accumulate([part]) for part in batches(90)]
    merged = openworld.Accumulator().merge(*reversed(shards))
    assert merged.compute().to_json() == EXPECTED


def test_merging_itself_doubles_it():
    accumulator = accumulate(batches())
    accumulator.merge(accumulator)
    assert len(accumulator) == 800
    values = openworld.evaluate(SIDE, SCORE, CORRECT, ci=None).values_dict()
    assert accumulator.compute(ci=None).values_dict() == pytest.approx(values)


def test_all_arrays_travel():
    arrays = dict(label=LABEL, predicted=PREDICTED, overall_correct=CORRECT, base_classes=5)
    accumulator = openworld.Accumulator().update(SIDE, SCORE, CORRECT, **arrays)
    expected = openworld.evaluate(SIDE, SCORE, CORRECT, metrics="all", **arrays).to_json()
    assert accumulator.compute("all").to_json() == expected
    again = pickle.loads(pickle.dumps(accumulator))
    assert again.compute("all").to_json() == expected


def test_logits_in_batches():
    rng = np.random.default_rng(0)
    base, new = rng.normal(size=(400, 5)), rng.normal(size=(400, 6))
    accumulator = openworld.Accumulator()
    for rows in (slice(0, 150), slice(150, 400)):
        accumulator.update(
            SIDE[rows], base_logits=base[rows], new_logits=new[rows], label=LABEL[rows]
        )
    whole = openworld.evaluate(SIDE, base_logits=base, new_logits=new, label=LABEL)
    assert accumulator.compute().to_json() == whole.to_json()


def test_reset_and_empty():
    accumulator = accumulate(batches()).reset()
    assert len(accumulator) == 0
    with pytest.raises(ValueError, match=r"\[accumulator\] no samples yet; call update first"):
        accumulator.compute()
    assert len(pickle.loads(pickle.dumps(accumulator))) == 0
    assert len(accumulator.update([], [], [])) == 0


def test_a_bad_batch_leaves_nothing_behind():
    accumulator = accumulate([(SIDE, SCORE, CORRECT)])
    with pytest.raises(ValueError, match=r"\[update\] score\[0\] is NaN"):
        accumulator.update([0, 1], [np.nan, 0.0], [1, 1])
    with pytest.raises(ValueError, match="label is given in this batch but was not before"):
        accumulator.update([0, 1], [1.0, 0.0], [1, 1], label=[0, 0])
    with pytest.raises(ValueError, match="correct is missing in this batch but was given before"):
        accumulator.update([0, 1], [1.0, 0.0])
    assert accumulator.compute().to_json() == EXPECTED


def test_without_correct():
    accumulator = openworld.Accumulator().update(SIDE, SCORE)
    assert accumulator.compute("auroc")["auroc"].value == openworld.metrics.auroc(SIDE, SCORE)
    for one in (accumulator, pickle.loads(pickle.dumps(accumulator))):
        with pytest.raises(ValueError, match=r"\[accumulator\] hm needs correct"):
            one.compute("auroc,hm")
    with pytest.raises(ValueError, match="correct is given in this batch but was not before"):
        accumulator.update(SIDE, SCORE, CORRECT)


def test_options_are_those_of_evaluate():
    options = dict(ci="bootstrap", resamples=30, seed=5, ties="half")
    accumulated = accumulate(batches()).compute("auroc,hm", **options)
    direct = openworld.evaluate(SIDE, SCORE, CORRECT, metrics="auroc,hm", **options)
    assert accumulated.to_json() == direct.to_json()
    # evaluate() repeats the defaults of the C++ options, which compute() takes as they are.
    assert accumulate(batches()).compute("auroc", ci="bootstrap").to_json() == openworld.evaluate(
        SIDE, SCORE, CORRECT, metrics="auroc", ci="bootstrap"
    ).to_json()
    with pytest.raises(ValueError, match=r"\[compute\] ties is 3"):
        accumulate(batches()).compute(ties=3)


def test_processes_send_accumulators_back():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        shards = pool.map(accumulate, [[part] for part in batches(200)])
    assert openworld.Accumulator().merge(*shards).compute().to_json() == EXPECTED


def test_threads_may_update_while_another_computes():
    accumulator = accumulate([next(batches())])
    errors = []

    def update():
        try:
            for part in list(batches())[1:]:
                accumulator.update(*part)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    def compute():
        try:
            for _ in range(20):
                accumulator.compute("openworld_auc", ci=None)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=update)] + [
        threading.Thread(target=compute) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert accumulator.compute().to_json() == EXPECTED
