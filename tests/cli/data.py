"""Prediction files to test with, written by NumPy and the csv module."""

import csv

import numpy as np


def compact(n=40, seed=0):
    """The smallest form that is enough: side, score, correct. Many scores are equal."""
    random = np.random.default_rng(seed)
    side = np.arange(n) % 2
    score = np.round(random.normal(0.6 - 0.2 * side, 0.2), 1)
    return {"side": side, "score": score, "correct": random.random(n) < 0.75}


def full(n=60, base=5, new=4, seed=0):
    """Logits and labels, from which the rest is derived. Every third sample is unknown."""
    random = np.random.default_rng(seed)
    side = np.array([0, 1, -1])[np.arange(n) % 3]
    label = random.integers(0, min(base, new), n)
    base_logits = random.normal(0, 1, (n, base))
    new_logits = random.normal(0, 1, (n, new))
    for i in range(n):
        if side[i] == 0:
            base_logits[i, label[i]] += 2
        if side[i] == 1:
            new_logits[i, label[i]] += 2
    return {"side": side, "label": label, "base_logits": base_logits, "new_logits": new_logits}


def put(values, row, value):
    """A copy of `values` with one entry replaced."""
    values = np.array(values)
    values[row] = value
    return values


def write_npz(path, arrays):
    np.savez(path, **arrays)
    return path


def write_compressed(path, arrays):
    np.savez_compressed(path, **arrays)
    return path


def write_folder(path, arrays):
    path = path.with_suffix("")
    path.mkdir()
    for name, array in arrays.items():
        np.save(path / f"{name}.npy", array)
    return path


def write_csv(path, arrays):
    """One row a sample; a matrix as columns name_0, name_1, ..."""
    columns = {}
    for name, array in arrays.items():
        array = np.asarray(array)
        if array.ndim == 1:
            columns[name] = array
        else:
            columns.update({f"{name}_{i}": array[:, i] for i in range(array.shape[1])})
    path = path.with_suffix(".csv")
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values())))
    return path


WRITERS = {"npz": write_npz, "npz_compressed": write_compressed, "folder": write_folder,
           "csv": write_csv}
