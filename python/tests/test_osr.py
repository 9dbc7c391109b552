"""Losses of open-set training against PyTorch's autograd, on values drawn here."""

import numpy as np
import pytest

import openworld
from openworld import osr

torch = pytest.importorskip("torch")
F = torch.nn.functional


@pytest.fixture
def batch():
    random = np.random.default_rng(20)
    labels = random.integers(0, 4, 16)
    features = random.normal(0, 1, (16, 6)) + np.eye(4, 6)[labels] * 2
    return features, labels, random.normal(0, 1, (4, 6))


def test_arpl_equals_autograd(batch):
    features, labels, points = batch
    x = torch.tensor(features, requires_grad=True)
    p = torch.tensor(points, requires_grad=True)
    r = torch.tensor([0.7], dtype=torch.double, requires_grad=True)
    distance = torch.cdist(x, p) ** 2 / 6
    logits = distance - x @ p.T
    own = ((x - p[labels]) ** 2).mean(1)
    margin = torch.nn.MarginRankingLoss(margin=1.0)(r.expand(16), own, torch.ones(16))
    expected = F.cross_entropy(logits / 1.5, torch.tensor(labels)) + 0.1 * margin
    expected.backward()
    got = osr.loss("arpl", features, labels, centers=points, radius=0.7, temperature=1.5)
    assert got.value == pytest.approx(expected.item(), rel=1e-9)
    for name, tensor in (("features", x), ("centers", p), ("radius", r)):
        np.testing.assert_allclose(got.gradients[name], tensor.grad.numpy(), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(got.scores, logits.detach().numpy(), rtol=1e-9)


def test_openauc_equals_its_pairs(batch):
    features, labels, weight = batch
    order, share = [3, 0, 2, 1, 7, 6, 5, 4], 0.25
    got = osr.loss("openauc", features, labels, weight=weight, order=order, share=share, open_weight=0.5)
    closed = osr.loss("ce-plus", features, labels, weight=weight)
    logits = features @ weight.T
    terms = []
    for i, j in enumerate(order):
        fake = share * features[8 + i] + (1 - share) * features[8 + j]
        if labels[8 + i] != labels[8 + j] and logits[i].argmax() == labels[i]:
            terms.append((1 + (weight @ fake).max() - logits[i].max()) ** 2)
    assert terms
    assert got.value == pytest.approx(closed.value + 0.5 * np.mean(terms), rel=1e-12)


def test_scores_of_softmax_are_probabilities(batch):
    features, labels, weight = batch
    got = osr.loss("softmax", features.astype("f4"), labels.astype("u1"), weight=weight)
    np.testing.assert_allclose(got.scores.sum(1), 1)
    logit = osr.loss("softmax", features, labels, weight=weight, score="logit")
    np.testing.assert_array_equal(logit.scores, logit.logits)


def test_the_table_lists_every_method():
    table = osr.methods()
    assert list(table) == ["softmax", "gcpl", "rpl", "arpl", "arpl-cs", "ce-plus", "arpl-plus", "openauc"]
    assert table["openauc"].options["open_weight"].default == 0.1
    assert "lambda" in str(table["openauc"])
    assert openworld.osr is osr


@pytest.mark.parametrize(
    "change, says",
    [
        ({"radius": None}, "radius is missing"),
        ({"centers": np.zeros((4, 5))}, "expected as many columns"),
        ({"labels": np.full(16, 4)}, r"labels\[0\] is 4; expected 0 to 3"),
        ({"labels": np.zeros(16)}, "labels are no integers"),
        ({"features": [["a"] * 6] * 16}, "features is no array of numbers"),
        ({"momentum": 2}, "momentum"),
    ],
)
def test_what_does_not_fit_is_refused(batch, change, says):
    features, labels, points = batch
    arguments = {"features": features, "labels": labels, "centers": points, "radius": [0.0], **change}
    with pytest.raises(ValueError, match=says):
        osr.loss("arpl", **arguments)
