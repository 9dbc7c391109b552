"""Which arrays are accepted, copied or rejected."""

import numpy as np
import openworld
import pytest
from openworld import metrics
from util import outcomes

SIDE, SCORE, CORRECT = outcomes(300, 1, 20)
VALUE = metrics.openworld_auc(SIDE, SCORE, CORRECT)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", ">i2", ">i4", ">i8", "<i8"])
def test_side_dtypes(dtype):
    assert metrics.openworld_auc(SIDE.astype(dtype), SCORE, CORRECT) == VALUE


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4", ">f8"])
def test_score_dtypes(dtype):
    assert metrics.openworld_auc(SIDE, SCORE.astype(dtype), CORRECT) == VALUE


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i8", ">u4", "u8"])
def test_correct_dtypes(dtype):
    assert metrics.openworld_auc(SIDE, SCORE, CORRECT.astype(dtype)) == VALUE


def test_sides_by_name():
    names = np.array(["unknown", "base", "new"])[SIDE + 1]
    for side in (names, names.tolist(), names.astype(object), names.astype("S")):
        assert metrics.openworld_auc(side, SCORE, CORRECT) == VALUE
    predictions = openworld.Predictions(names, SCORE, CORRECT)
    np.testing.assert_array_equal(predictions.side, SIDE)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", object])
def test_floats_and_objects_that_are_exact(dtype):
    """As pandas has flags in a column that once had a missing value."""
    assert metrics.openworld_auc(SIDE.astype(dtype), SCORE, CORRECT.astype(dtype)) == VALUE
    mixed = np.array([np.bool_(flag) if i % 2 else float(flag) for i, flag in enumerate(CORRECT)], object)
    assert metrics.openworld_auc(SIDE, SCORE, mixed) == VALUE


def to_bfloat16(values):
    """The upper halves of float32, rounded towards zero, and those as float32."""
    bits = np.asarray(values, np.float32).view(np.uint32) >> 16
    return bits.astype(np.uint16), (bits << 16).view(np.float32)


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    _, exact = to_bfloat16(SCORE)
    assert metrics.auroc(SIDE, exact.astype(ml_dtypes.bfloat16)) == metrics.auroc(SIDE, exact)
    logits = np.stack([exact, exact[::-1]], 1)
    given = dict(side=SIDE, label=np.zeros(300, int), new_logits=logits)
    assert (
        openworld.evaluate(**given, base_logits=logits.astype(ml_dtypes.bfloat16)).values_dict()
        == openworld.evaluate(**given, base_logits=logits).values_dict()
    )


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    _, exact = to_bfloat16(SCORE)
    score = torch.tensor(exact).to(torch.bfloat16).requires_grad_()
    got = openworld.Predictions(torch.tensor(SIDE), score, torch.tensor(CORRECT).bool())
    np.testing.assert_array_equal(got.score, exact)
    np.testing.assert_array_equal(got.side, SIDE)
    np.testing.assert_array_equal(got.correct, CORRECT)
    assert metrics.auroc(torch.tensor(SIDE).float(), torch.tensor(exact)) == metrics.auroc(SIDE, exact)
    half = torch.tensor(SCORE).half()
    assert metrics.auroc(SIDE, half) == metrics.auroc(SIDE, half.numpy())


def test_float16_and_integer_scores_are_widened_exactly():
    half = SCORE.astype(np.float16)
    assert metrics.auroc(SIDE, half) == metrics.auroc(SIDE, half.astype(np.float64))
    whole = np.round(SCORE * 10).astype(np.int64)
    assert metrics.auroc(SIDE, whole) == metrics.auroc(SIDE, whole.astype(np.float64))


def test_double_scores_are_not_narrowed():
    score = np.array([1.0 + 1e-12, 1.0])
    assert metrics.auroc([0, 1], score) == 1.0
    assert metrics.auroc([0, 1], score.astype(np.float32)) == 0.5


def test_lists_and_strided_arrays():
    assert metrics.openworld_auc(SIDE.tolist(), SCORE.tolist(), CORRECT.tolist()) == VALUE
    wide = np.zeros((300, 3), np.float32)
    wide[:, 1] = SCORE
    assert metrics.openworld_auc(SIDE[::-1][::-1], wide[:, 1], CORRECT) == VALUE
    assert metrics.openworld_auc(SIDE[::-1], SCORE[::-1], CORRECT[::-1]) == VALUE


def test_unaligned_scores():
    buffer = np.zeros(SCORE.nbytes + 1, np.uint8)
    shifted = buffer[1:].view(np.float32)
    shifted[:] = SCORE
    assert not shifted.flags.aligned
    assert metrics.openworld_auc(SIDE, shifted, CORRECT) == VALUE


def test_nothing_is_copied():
    predictions = openworld.Predictions(SIDE, SCORE, CORRECT)
    assert np.shares_memory(predictions.side, SIDE)
    assert np.shares_memory(predictions.score, SCORE)
    assert np.shares_memory(predictions.correct, CORRECT)
    double = SCORE.astype(np.float64)
    assert np.shares_memory(openworld.Predictions(SIDE, double, CORRECT).score, double)
    label = np.zeros(300, np.int32)
    assert np.shares_memory(openworld.Predictions(SIDE, SCORE, CORRECT, label=label).label, label)


def test_arrays_live_as_long_as_the_predictions():
    score = SCORE.copy()
    predictions = openworld.Predictions(SIDE.copy(), score, CORRECT.copy())
    view = predictions.score
    expected = score.copy()
    del score, predictions
    np.testing.assert_array_equal(view, expected)
    assert not view.flags.writeable
    with pytest.raises(ValueError):
        view.setflags(write=True)


def test_read_only_mapped_arrays(tmp_path):
    np.save(tmp_path / "score.npy", SCORE)
    mapped = np.load(tmp_path / "score.npy", mmap_mode="r")
    assert metrics.openworld_auc(SIDE, mapped, CORRECT) == VALUE
    assert np.shares_memory(openworld.Predictions(SIDE, mapped, CORRECT).score, mapped)


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(side=SIDE + 0.5), r"side\[0\] is -?\d?\.5; expected a truth value or an integer"),
        (dict(side=np.where(np.arange(300) == 17, np.nan, SIDE)), r"side\[17\] is nan; expected a truth"),
        (dict(side=SIDE.astype("m8[s]")), "side has dtype timedelta64"),
        (dict(side=SIDE.astype(str)), r"side\[0\] is '-?\d'; expected base, new or unknown"),
        (dict(side=["base"] * 17 + ["Base"] * 283), r"side\[17\] is 'Base'; expected base, new or unknown"),
        (dict(side=["base"] * 17 + [None] * 283), r"side\[17\] is None; expected base, new or unknown"),
        (dict(correct=[True] * 17 + [None] * 283), r"correct\[17\] is None; expected a truth value"),
        (dict(correct=SCORE), r"correct\[0\] is [\d.e-]+; expected a truth value or an integer"),
        (dict(side=np.where(np.arange(300) == 17, 300, SIDE)), r"side\[17\] is 300; expected 0 "),
        (dict(side=np.where(np.arange(300) == 17, 2, SIDE)), r"side\[17\] is 2; expected 0 \(base"),
        (dict(side=SIDE.reshape(3, 100)), r"side has shape \(3, 100\); expected 1 dimension"),
        (dict(side=np.array(0)), r"side has shape \(\); expected 1 dimension"),
        (dict(side=None), "no side; expected side, 0"),
        (dict(side=[], score=[], correct=[]), "no samples"),
        (dict(side=SIDE[:0], score=SCORE[:0], correct=CORRECT[:0]), "no samples"),
        (dict(score=SCORE.astype(np.complex64)), "score has dtype complex64; expected float16"),
        (dict(score=SCORE.astype(np.longdouble)), "score has dtype float128; expected float16"),
        (dict(score=SCORE[:10]), "score has 10 rows; expected 300, one per row of side"),
        (dict(score=np.where(np.arange(300) == 4, np.nan, SCORE)), r"score\[4\] is NaN"),
        (dict(score=np.where(np.arange(300) == 4, np.inf, SCORE)), r"score\[4\] is inf"),
        (dict(score=np.full(300, 2**60)), r"score\[0\] is 1152921504606846976; expected at most"),
        (dict(score=None), "no score; expected score, or base_logits and new_logits"),
        (dict(correct=CORRECT * 2), r"correct\[\d+\] is 2; expected 0 or 1"),
        (dict(correct=CORRECT[:7]), "correct has 7 rows; expected 300"),
        (dict(correct=-CORRECT.astype(np.int16)), r"correct\[\d+\] is -1; expected 0 or 1"),
        (dict(correct=None), "no correct; expected correct, or base_logits, new_logits and label"),
        (dict(label=SCORE), r"label\[0\] is [\d.e-]+; expected a truth value or an integer"),
        (dict(label=np.full(300, 2**40)), r"label\[0\] is 1099511627776; expected an index"),
        (dict(label=-np.ones(300, int)), r"label\[\d+\] is -1; expected 0 or more"),
        (dict(predicted=np.full(300, 5), base_classes=5), r"predicted\[0\] is 5; expected 0 to 4"),
        (dict(base_classes=-1), "base_classes is -1; expected a number of names, 0 or more"),
        (dict(base_classes=1.5), "base_classes is 1.5; expected a number of names, 0 or more"),
        (dict(base_classes=2**40), "base_classes is 1099511627776; expected a number of names"),
        (dict(overall_correct=CORRECT[:3]), "overall_correct has 3 rows; expected 300"),
        (dict(base_logits=SCORE), r"base_logits has shape \(300,\); expected 2 dimensions"),
        (dict(base_logits=np.zeros((300, 0))), r"base_logits has shape \(300, 0\); expected at"),
        (dict(base_logits=np.full((300, 2), np.nan)), "base_logits"),
    ],
)
def test_refusals_name_function_argument_and_expectation(change, message):
    arrays = {"side": SIDE, "score": SCORE, "correct": CORRECT, **change}
    with pytest.raises(ValueError, match=r"^\[evaluate\] [^:].*") as caught:
        openworld.evaluate(**arrays)
    caught.match(message)


def test_bad_labels_are_refused_in_every_order():
    # On the labels of unknown samples nothing depends.
    label = np.where(SIDE == -1, -7, 0)
    openworld.evaluate(SIDE, SCORE, CORRECT, label=label)
