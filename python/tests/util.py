"""What the tests share: random outcomes with ties, and the definitions by brute force."""

import numpy as np


def outcomes(n=400, seed=0, distinct=None, unknown=True):
    """Random (side, score, correct); `distinct` score values, so that many tie."""
    rng = np.random.default_rng(seed)
    sides = [0, 1, -1] if unknown else [0, 1]
    side = rng.choice(sides, n).astype(np.int8)
    score = rng.normal(size=n) + (side == 0)
    if distinct:
        score = np.round(score * distinct / 6) / distinct
    return side, score.astype(np.float32), rng.random(n) < 0.7


def classes(side, seed=0, count=5):
    """Random label and predicted for these sides, and the `correct` that fits the base samples."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, count, side.size)
    right = rng.random(side.size) < 0.6
    predicted = np.where((side == 0) & right, label, rng.integers(0, count, side.size))
    correct = np.where(side == 0, predicted == label, right)
    return label, predicted, correct


def pair_mean(side, score, correct, *, base_right, other_right, ties, other=1):
    """The mean over all (base, other) pairs, as the papers write it."""
    total = 0.0
    base, others = np.flatnonzero(side == 0), np.flatnonzero(side == other)
    for i in base:
        for j in others:
            if (base_right and not correct[i]) or (other_right and not correct[j]):
                continue
            total += score[i] > score[j]
            total += 0.5 * (ties == "half" and score[i] == score[j])
    return total / (base.size * others.size)


def fpr_at_tpr(side, score, tpr, other=1):
    """min FPR(t) over TPR(t) >= tpr, accepting score > t."""
    base, others = score[side == 0], score[side == other]
    best = 1.0
    for t in np.append(np.unique(score), -np.inf):
        if np.mean(base > t) >= tpr:
            best = min(best, np.mean(others > t))
    return best
