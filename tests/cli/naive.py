"""The definitions, pair by pair and sample by sample, as the papers write them."""

import numpy as np
from sklearn.metrics import roc_curve


def sides(arrays, open_side=1):
    """(score, correct) of the base samples and of the open ones, in double."""
    score, correct = (np.asarray(arrays[name], float) for name in ("score", "correct"))
    side = np.asarray(arrays["side"])
    return [(score[side == s], correct[side == s]) for s in (0, open_side)]


def ranked_right(base, new, ties):
    """base x new: 1 where the base score is larger, `ties` where they are equal."""
    return np.where(base[:, None] == new[None, :], ties, base[:, None] > new[None, :])


def openworld_auc(arrays, ties):
    """Mean over pairs of 1[g right] 1[h right] 1[r_i > r_j]; Hua et al. 2025, Prop. 4.2."""
    (base, g), (new, h) = sides(arrays)
    return (g[:, None] * h[None, :] * ranked_right(base, new, ties)).mean()


def open_auc(arrays, ties, open_side=1):
    """Mean over pairs of 1[g right] 1[r_i > r_j]; Wang et al. 2022, Prop. 4."""
    (base, g), (opened, _) = sides(arrays, open_side)
    return (g[:, None] * ranked_right(base, opened, ties)).mean()


def fpr_at_tpr(arrays, tpr):
    """The smallest false positive rate whose true positive rate is enough."""
    side = np.asarray(arrays["side"])
    known = side >= 0
    fpr, reached, _ = roc_curve(side[known] == 0, np.asarray(arrays["score"], float)[known],
                                drop_intermediate=False)
    return fpr[reached >= tpr].min()


def derived(arrays):
    """score, correct and overall_correct of a file that has logits and labels alone."""
    side, label = arrays["side"], arrays["label"]
    base, new = (np.asarray(arrays[name], float) for name in ("base_logits", "new_logits"))
    both = np.hstack([base, new])
    exps = np.exp(both - both.max(1, keepdims=True))
    probabilities = exps / exps.sum(1, keepdims=True)
    right = np.where(side == 0, base.argmax(1) == label, new.argmax(1) == label)
    truth = np.where(side == 0, label, label + base.shape[1])
    return {"side": side, "score": probabilities[:, :base.shape[1]].max(1),
            "correct": right & (side >= 0),
            "overall_correct": (both.argmax(1) == truth) & (side >= 0)}
