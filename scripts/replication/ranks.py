"""Friedman ranks of methods over datasets, and how well two rankings agree."""

import numpy as np
import scipy.stats


def ranks(values):
    """Ranks of the methods, 1 the largest, ties sharing ranks; values[dataset][method]."""
    return scipy.stats.rankdata(-np.asarray(values, dtype=float), axis=1)


def mean_ranks(ranked):
    return np.asarray(ranked).mean(0)


def rank_intervals(ranked, resamples=2000, seed=0):
    """95 % percentile intervals of the mean ranks when the datasets are a sample; None with fewer than three."""
    ranked = np.asarray(ranked)
    if len(ranked) < 3:
        return None
    draws = np.random.default_rng(seed).integers(len(ranked), size=(resamples, len(ranked)))
    means = ranked[draws].mean(1)
    return list(zip(*np.percentile(means, (2.5, 97.5), axis=0)))


def friedman(ranked):
    """(chi squared with the correction for ties, p), or None where it is undefined."""
    ranked = np.asarray(ranked)
    blocks, methods = ranked.shape
    spread = ((ranked - (methods + 1) / 2) ** 2).sum()
    if blocks < 2 or spread == 0:
        return None
    chi = (methods - 1) * ((ranked.sum(0) - blocks * (methods + 1) / 2) ** 2).sum() / spread
    return float(chi), float(scipy.stats.chi2.sf(chi, methods - 1))


def critical_distance(methods, blocks, alpha=0.05):
    """Nemenyi's: two methods differ where their mean ranks are so far apart."""
    q = scipy.stats.studentized_range.ppf(1 - alpha, methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(methods * (methods + 1) / (6 * blocks)))


def spearman(a, b):
    """(rho, p) of two lists of ranks; None where one of them is constant or shorter than three."""
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    result = scipy.stats.spearmanr(a, b)
    return float(result[0]), float(result[1])


def order(values):
    """1 for the smallest; ties share ranks."""
    return scipy.stats.rankdata(values)


def student_interval(values, level=0.95):
    """(mean, half of its interval) by Student's t; the half is None for one value."""
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return float(values.mean()), None
    half = scipy.stats.t.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(half)
