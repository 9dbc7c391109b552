"""openworld.openset beside the definition in NumPy."""

import numpy as np
import openworld
import pytest

metrics = pytest.importorskip("sklearn.metrics")


def make(n=300, classes=10, negatives=0, seed=0):
    random = np.random.default_rng(seed)
    label = random.integers(0, classes, n)
    logits = random.normal(20, 3, (n, classes + negatives))
    logits[np.arange(n), label] += random.normal(4, 3, n)
    return logits, label


def without_truth(logits, label):
    keep = np.ones(logits.shape, bool)
    keep[np.arange(len(label)), label] = False
    return logits[keep].reshape(len(label), -1)


def softmax_and_entropy(z):
    z = z - z.max(axis=1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return p.max(axis=1), (p * log_p).sum(axis=1)


@pytest.mark.parametrize("negatives", [0, 6])
def test_scores_are_those_of_two_passes(negatives):
    logits, label = make(negatives=negatives)
    logits[0, label[0]] = 500  # holds all of the mass
    result = openworld.openset(logits, label, negatives=negatives, ci=None)
    open_ = without_truth(logits, label)
    answer, open_answer = logits.argmax(axis=1), open_.argmax(axis=1)
    right, error = answer == label, open_answer < 9
    np.testing.assert_array_equal(result.right, right)
    np.testing.assert_array_equal(result.error, error)
    np.testing.assert_array_equal(result.closed_answer, answer)
    np.testing.assert_array_equal(result.open_answer, open_answer + (open_answer >= label))
    for name, k in (("softmax", 0), ("entropy", 1)):
        of_all, of_others = softmax_and_entropy(logits)[k], softmax_and_entropy(open_)[k]
        np.testing.assert_allclose(result.closed_score[name][right], of_all[right], rtol=0, atol=1e-12)
        np.testing.assert_allclose(result.open_score[name][error], of_others[error], rtol=1e-12)
        truth = np.r_[np.ones(right.sum()), np.zeros(error.sum())]
        scores = np.r_[of_all[right], of_others[error]]
        assert float(result.measures[name]["auroc"]) == pytest.approx(
            metrics.roc_auc_score(truth, scores), abs=1e-12)
        precision, recall, _ = metrics.precision_recall_curve(truth, scores)
        assert float(result.measures[name]["aupr"]) == pytest.approx(metrics.auc(recall, precision))
    assert result.tp == right.sum() and result.ose == error.sum()
    assert result.accuracy == pytest.approx(right.mean())


def test_features(tmp_path):
    random = np.random.default_rng(1)
    texts, negatives = random.normal(0, 1, (8, 16)), random.normal(0, 1, (30, 16))
    label = random.integers(0, 8, 200)
    images = texts[label] + random.normal(0, 1, (200, 16))
    result = openworld.openset(images=images, texts=texts, negatives=negatives, label=label,
                               counts=[5, 10], sizes=[2, 8], seeds=2, ci=None)

    def unit(x):
        return x / np.linalg.norm(x, axis=1, keepdims=True)

    logits = 100 * unit(images) @ unit(np.r_[texts, negatives]).T
    same = openworld.openset(logits, label, negatives=30, counts=[5, 10], sizes=[2, 8], seeds=2,
                             ci=None)
    assert result.tp == same.tp and result.ose == same.ose
    a, b = result.to_dict(), same.to_dict()
    assert [e["count"] for e in a["by_extra"]] == [0, 5, 10, 30]
    assert a["efficacy"] == b["efficacy"]
    assert [e["tp_by_seed"] for e in a["growth"]] == [e["tp_by_seed"] for e in b["growth"]]
    np.testing.assert_allclose(result.closed_score["energy"], same.closed_score["energy"], atol=1e-9)
    extra = openworld.openset(images=images, texts=texts, extra=negatives, label=label, ci=None)
    assert extra.ose == 200 and extra.to_dict()["extra_classes"] == 30


def test_intervals_and_pairs():
    logits, label = make()
    noisy = logits + np.random.default_rng(5).normal(0, 5, logits.shape)
    good = openworld.openset(logits, label, measures="published", resamples=100)
    bad = openworld.openset(noisy, label, measures=["softmax", "entropy"], resamples=100)
    metric = good.measures["softmax"]["aupr"]
    assert metric.value in metric.interval and metric.interval.method == "bootstrap_bca"
    pair = good.compare("softmax", other=bad, resamples=100)["auroc"]
    assert pair.difference < 0 and pair.p_value < 0.05 and pair.difference in pair.interval
    same = good.compare("softmax", "softmax", resamples=20)["auroc"]
    assert same.difference == 0 and same.p_value == 1
    with pytest.raises(ValueError, match="no measure 'cosine'"):
        bad.compare("cosine")
    assert "softmax" in repr(good)


def test_queries():
    assert openworld.random_words(3) == ["pvaddh", "lmijlfp", "pn"]
    texts = np.random.default_rng(0).normal(1, 1, (20, 8))
    drawn = openworld.random_embeddings(texts, 50, seed=3)
    assert drawn.shape == (50, 8) and drawn.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(drawn[:10], openworld.random_embeddings(texts, 10, seed=3))
    with pytest.raises(ValueError, match=r"\[random_embeddings\] texts is None; expected an array"):
        openworld.random_embeddings(None, 10)


L, Y = make(n=20, classes=4)


@pytest.mark.parametrize("kwargs, says", [
    ({}, "no label"),
    ({"label": Y}, "no input"),
    ({"logits": L}, "no label"),
    ({"logits": L[0], "label": Y}, r"logits has shape \(4,\)"),
    ({"logits": L, "label": Y[:3]}, "label has 3 rows; expected 20"),
    ({"logits": L, "label": Y + 1}, "expected 0 to 3"),
    ({"logits": L, "label": Y, "negatives": 4}, "negatives is 4"),
    ({"logits": L, "label": Y, "negatives": L}, "not a number"),
    ({"logits": L * np.nan, "label": Y}, r"logits\[0, 0\] is NaN"),
    ({"logits": L, "label": Y, "images": L}, "logits and features"),
    ({"logits": L, "label": Y, "activation": "relu"}, "activation is 'relu'"),
    ({"logits": L, "label": Y, "measures": "entropi"}, "did you mean entropy"),
    ({"logits": L, "label": Y, "ci": "delong"}, "ci is 'delong'"),
    ({"logits": L, "label": Y, "level": 1.5}, "level is 1.5"),
    ({"logits": L, "label": Y, "sizes": "all"}, "sizes is 'all'"),
    ({"logits": L, "label": Y, "sizes": [5]}, "is 5; expected 1 to 4"),
    ({"logits": L, "label": Y, "logit_scale": 0}, "logit_scale is 0"),
    ({"images": L, "texts": L[:, :3], "label": Y}, "texts has 3 columns; expected 4"),
])
def test_refusals(kwargs, says):
    with pytest.raises(ValueError, match=says):
        openworld.openset(**{"ci": None, **kwargs})
