"""Runs the program on a checkpoint, computes the same with the reference, and compares."""

from typing import NamedTuple

import numpy as np
import reference_clip
import torch
from command import succeed

LIMIT = 1e-5
errors = []  # (what was compared, its error), for the summary


def relative_error(got, expected):
    """The largest difference relative to the largest value."""
    assert got.shape == expected.shape
    return float(np.abs(got - expected).max() / np.abs(expected).max())


def check(case, got, expected):
    error = relative_error(got, expected)
    errors.append((case, error))
    assert error <= LIMIT, case


class Expected(NamedTuple):
    tensors: dict  # in double
    paths: list  # relative, sorted: the order of rows
    images: np.ndarray
    texts: np.ndarray


def expected_features(clip, folder, text_ids):
    tensors = {name: torch.from_numpy(np.array(value)).double()
               for name, value in clip.tensors.items()}
    paths = sorted(str(path.relative_to(folder)) for path in folder.glob("*/*"))
    pixels = torch.stack([reference_clip.load_pixels(folder / path, clip.sizes) for path in paths])
    images = reference_clip.encode_images(tensors, clip.sizes, pixels)
    texts = reference_clip.encode_texts(tensors, clip.sizes, text_ids)
    return Expected(tensors, paths, images.numpy(), texts.numpy())


def image_features(file, expected):
    with np.load(file) as arrays:
        assert arrays["paths"].tolist() == expected.paths
        return arrays["features"]


def check_features(case, checkpoint, flags, expected, pictures, texts, vocabulary, out):
    """Images and texts through `openworld encode`."""
    encode = ("encode", "--model", checkpoint, "--threads", 1, "--quiet", "--out", out, *flags)
    succeed(*encode, "--data", pictures, "--no-cache", timeout=300)
    check(f"{case}, images", image_features(out, expected), expected.images)
    if vocabulary is None:
        return
    lines = out.with_suffix(".txt")
    lines.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    succeed(*encode, "--texts", lines, "--vocabulary", vocabulary, timeout=300)
    with np.load(out) as arrays:
        assert arrays["texts"].tolist() == list(texts)
        check(f"{case}, texts", arrays["features"], expected.texts)
