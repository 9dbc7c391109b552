"""Drop-in functions equal the originals."""

import numpy as np
import pytest
from openworld.compat import openood
from openworld.compat import sklearn as ours

theirs = pytest.importorskip("sklearn.metrics")


def data(n, seed, distinct, dtype=np.float64):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    score = rng.normal(size=n) + truth
    if distinct:
        score = np.round(score * distinct)
    return truth, score.astype(dtype)


CASES = [
    (n, seed, distinct, dtype)
    for seed, n in enumerate((2, 3, 10, 100, 5000))
    for distinct in (0, 1, 3)
    for dtype in (np.float64, np.float32, np.float16)
]


@pytest.mark.parametrize("n, seed, distinct, dtype", CASES)
def test_equal_to_scikit_learn(n, seed, distinct, dtype):
    truth, score = data(n, seed, distinct, dtype)
    truth[:2] = [0, 1]
    assert ours.roc_auc_score(truth, score) == pytest.approx(
        theirs.roc_auc_score(truth, score), abs=1e-12
    )
    assert ours.average_precision_score(truth, score) == pytest.approx(
        theirs.average_precision_score(truth, score), abs=1e-12
    )
    for drop in (True, False):
        mine = ours.roc_curve(truth, score, drop_intermediate=drop)
        reference = theirs.roc_curve(truth, score, drop_intermediate=drop)
        for a, b in zip(mine[:2], reference[:2]):
            np.testing.assert_allclose(a, b, atol=1e-12)
        assert mine[2][0] == np.inf
        np.testing.assert_array_equal(mine[2][1:], reference[2][1:])
        assert ours.auc(*mine[:2]) == pytest.approx(theirs.auc(*reference[:2]), abs=1e-12)
    for a, b in zip(
        ours.precision_recall_curve(truth, score), theirs.precision_recall_curve(truth, score)
    ):
        np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize(
    "labels", [(0, 1), (-1, 1), (False, True), (0.0, 1.0), (3, 8), ("a", "b")]
)
def test_labels(labels):
    truth, score = data(200, 1, 2)
    named = np.array(labels)[truth]
    assert ours.roc_auc_score(named, score) == pytest.approx(
        theirs.roc_auc_score(named, score), abs=1e-12
    )
    assert ours.average_precision_score(named, score, pos_label=labels[1]) == pytest.approx(
        theirs.average_precision_score(named, score, pos_label=labels[1]), abs=1e-12
    )
    for positive in labels:
        for name in ("roc_curve", "precision_recall_curve"):
            mine = getattr(ours, name)(named, score, pos_label=positive)
            reference = getattr(theirs, name)(named, score, pos_label=positive)
            np.testing.assert_allclose(mine[1], reference[1], atol=1e-12)


def test_multiclass_labels_with_a_positive_one():
    truth = np.random.default_rng(0).integers(0, 3, 200)
    score = data(200, 2, 2)[1]
    np.testing.assert_allclose(
        ours.roc_curve(truth, score, pos_label=2)[1], theirs.roc_curve(truth, score, pos_label=2)[1]
    )


def test_one_class_raises():
    for truth in ([0, 0, 0], [1, 1, 1]):
        for library in (ours, theirs):
            with pytest.raises(ValueError, match="Only one class present in y_true"):
                library.roc_auc_score(truth, [0.1, 0.2, 0.3])
        with pytest.raises(ValueError, match=r"\[roc_curve\] no (negative|positive) samples"):
            ours.roc_curve(truth, [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="no positive samples"):
        ours.average_precision_score([0, 0], [0.1, 0.2])
    with pytest.raises(ValueError, match="no positive samples"):
        ours.precision_recall_curve([0, 0], [0.1, 0.2])
    only = [1, 1, 1], [0.1, 0.2, 0.3]
    assert ours.average_precision_score(*only) == theirs.average_precision_score(*only) == 1


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ours.roc_auc_score([0, 1], [0, 1], sample_weight=[1, 2]), "sample_weight is"),
        (lambda: ours.roc_auc_score([0, 1], [0, 1], max_fpr=0.1), "max_fpr is given"),
        (lambda: ours.roc_auc_score([0, 1, 2], [0, 1, 2]), "y_true has 3 labels; expected two"),
        (lambda: ours.roc_auc_score([[0, 1]], [0, 1]), r"y_true has shape \(1, 2\)"),
        (lambda: ours.roc_auc_score([0, 1], [0, 1, 2]), r"\[roc_auc_score\] score has 3 rows"),
        (lambda: ours.roc_auc_score([0, 1], [0, np.nan]), r"score\[1\] is NaN"),
        (lambda: ours.roc_auc_score([], []), "no samples"),
        (lambda: ours.roc_curve([1, 2], [0, 1]), r"labels \[1, 2\]; expected 0 and 1"),
        (lambda: ours.roc_curve([0, 1], [0, 1], pos_label=7), "pos_label is 7; expected one of"),
        (lambda: ours.roc_curve([0, 1], [0, 1], sample_weight=[1, 1]), "sample_weight is given"),
        (lambda: ours.average_precision_score([0, 2], [0, 1]), "pos_label is 1; expected one of"),
        (lambda: ours.average_precision_score([0, 1, 2], [0, 1, 2]), "more than two labels"),
        (lambda: ours.auc([0, 1, 0], [1, 1, 1]), "x rises and falls"),
        (lambda: ours.auc([0], [1]), "at least 2"),
        (lambda: ours.auc([0, 1], [1]), "expected the same length"),
        (lambda: openood.compute_all_metrics([0.1, 0.2], [0, 1], [0, 1]), "no OOD samples"),
        (lambda: openood.compute_all_metrics([0.1, 0.2], [-1, -1], [0, 1]), "no ID samples"),
        (lambda: openood.compute_all_metrics([0.1, 0.2], [-1, 1], [0]), "pred has shape"),
        (lambda: openood.compute_all_metrics([0.1, 0.2], [-1.0, 1.0], [0, 1]), "label has dtype"),
        (lambda: openood.ood_metrics(["a", "b"], [-1, 1]), "scores has dtype"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def openood_definition(conf, label, pred):
    """The definition in the docstring of openworld.compat.openood, with scikit-learn."""
    ood = (label == -1).astype(int)
    fpr, tpr, _ = theirs.roc_curve(ood, -conf)
    precision_in, recall_in, _ = theirs.precision_recall_curve(1 - ood, conf)
    precision_out, recall_out, _ = theirs.precision_recall_curve(ood, -conf)
    return [
        fpr[np.argmax(tpr >= 0.95)],
        theirs.auc(fpr, tpr),
        theirs.auc(recall_in, precision_in),
        theirs.auc(recall_out, precision_out),
        np.mean(pred[label != -1] == label[label != -1]),
    ]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("distinct", [0, 2, 20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_openood(seed, distinct, dtype):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 400))
    label = rng.integers(-1, 4, n)
    label[:2] = [-1, 0]
    pred = np.where(rng.random(n) < 0.5, label, rng.integers(0, 4, n))
    conf = rng.normal(size=n) + (label != -1)
    conf = (np.round(conf * distinct) if distinct else conf).astype(dtype)
    expected = openood_definition(conf, label, pred)
    values = openood.compute_all_metrics(conf, label, pred)
    assert values == pytest.approx(expected, abs=1e-12)
    named = openood.metrics_dict(conf, label, pred)
    assert list(named) == ["FPR@95", "AUROC", "AUPR_IN", "AUPR_OUT", "ACC"]
    assert list(named.values()) == values

    other = openood.ood_metrics(-conf, label)
    assert [other["AUROC"], other["AUPR-IN"], other["AUPR-OUT"]] == values[1:4]
    full = theirs.roc_curve(label == -1, -conf, drop_intermediate=False)
    assert other["FPR95TPR"] == pytest.approx(full[0][np.argmax(full[1] >= 0.95)], abs=1e-12)
    assert other["FPR95TPR"] <= named["FPR@95"]


def test_unsigned_outlier_scores_do_not_wrap():
    values = openood.ood_metrics(np.array([0, 1, 2], np.uint8), [0, 0, -1])
    assert values["AUROC"] == 1
