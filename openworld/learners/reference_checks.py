"""What holds for the learners of reference_learners.py whatever their formulas are."""

import types

import torch

from reference_learners import GMoP, ProGrad


def close(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1, abs(a), abs(b))


def slope(f, parameters, direction, step=1e-5):
    """The derivative of f along a direction by central differences."""
    there, back = (float(f({name: value + sign * step * direction[name]
                            for name, value in parameters.items()})) for sign in (1, -1))
    return (there - back) / (2 * step)


def along(gradients, direction):
    return float(sum((gradients[name] * direction[name]).sum() for name in gradients))


def check_gradient(learner, parameters, batch):
    """Autograd's gradient against differences of the loss, along a direction with a part in every
    number that the stage trains. Gates that are not differentiated are held fixed."""
    generator = torch.Generator().manual_seed(1)
    loss, gradients = learner.gradients(parameters, batch)
    direction = {name: torch.randn(value.shape, generator=generator, dtype=value.dtype)
                 for name, value in parameters.items()}
    if isinstance(learner, ProGrad):
        _, g, q = learner.both_gradients(parameters, batch)
        check_projection(learner, g, q, gradients["context"])
        found = slope(lambda p: learner.general_loss(p, batch), parameters, direction)
        assert close(found, along({"context": q}, direction), 1e-6)
        gradients = {"context": g}
    for name in parameters:
        if name.startswith("detector.") and learner.stage == 1:
            direction[name].zero_()
    if isinstance(learner, GMoP):
        check_pairs(learner, parameters, batch, loss)
        learner = with_fixed_gates(learner, parameters, batch)
    found = slope(lambda p: learner.loss(p, batch), parameters, direction)
    assert close(found, along(gradients, direction), 1e-6), (found, along(gradients, direction))


def check_projection(learner, g, q, projected):
    """What is left of <g, q> is 1 - lambda of it; orthogonal to q nothing changed."""
    before, after = float((g * q).sum()), float((projected * q).sum())
    assert close(after, before if before >= 0 else (1 - learner.options["lambda"]) * before, 1e-12)
    rest = projected - g
    assert close(float((rest * q).sum())**2, float((rest * rest).sum() * (q * q).sum()), 1e-12)


def with_fixed_gates(learner, parameters, batch):
    g = learner.base_classifier(parameters, batch.features)
    h = learner.new_classifier(parameters, batch.features, learner.base)
    g_fixed, h_fixed = (gate.detach() for gate in learner.gates(g, h, batch.labels))
    fixed = GMoP(learner.tower, learner.base, learner.new, learner.templates, learner.options)

    def gates(self, g, h, labels):
        return g_fixed if self.options["detach"] else self.gate(g, labels), h_fixed

    fixed.gates = types.MethodType(gates, fixed)
    return fixed


def check_pairs(learner, parameters, batch, loss):
    """The loss over pairs, one pair at a time."""
    slow = GMoP(learner.tower, learner.base, learner.new, learner.templates, learner.options)

    def pair_loss(self, logits, inside, g_gate, h_gate):
        rho = [float(row.exp().max() / row.exp().sum()) for row in logits]
        rows = range(len(rho))
        terms = [float(g_gate[i]) * float(h_gate[j]) * (1 - (rho[i] - rho[j]))**2
                 for i in rows if inside[i] for j in rows if not inside[j]]
        return sum(terms) / len(terms)

    slow.pair_loss = types.MethodType(pair_loss, slow)
    assert close(float(slow.loss(parameters, batch)), float(loss), 1e-12)
