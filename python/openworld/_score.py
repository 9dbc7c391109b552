"""Predictions from features of images and of class names, of any model."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Predictions
from ._keywords import checked

Features = Union[npt.ArrayLike, "os.PathLike[str]", str]
Classes = Union[str, int, Sequence[str]]


def _path_or_array(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else value


def _classes(value: Classes) -> Union[str, list[str]]:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    return [str(name) for name in value]  # type: ignore[union-attr]


def _names(names: Any) -> Union[str, List[str], None]:
    if names is None or isinstance(names, (str, os.PathLike)):
        return None if names is None else os.fspath(names)
    return [str(name) for name in names]


@checked
def score(
    images: Features,
    texts: Features,
    label: Union[npt.ArrayLike, "os.PathLike[str]", str, None] = None,
    *,
    names: Union[Sequence[str], "os.PathLike[str]", str, None] = None,
    text_label: Union[npt.ArrayLike, "os.PathLike[str]", str, None] = None,
    base: Classes = "half",
    new: Optional[Classes] = None,
    unknown: Optional[Features] = None,
    score: Union[str, Iterable[str]] = "",
    logit_scale: float = 100.0,
    logit_bias: float = 0.0,
    activation: str = "softmax",
    ensemble: str = "features",
    normalize: bool = True,
    mcm_temperature: float = 1.0,
    threads: int = 0,
) -> Any:
    """Predictions of a model by its features, for evaluate(), compare(), threshold() and save().

    images: features [N, D], or a file of them and of labels (docs/files.md).
    texts: features of class names [K, D], or of T prompts of each class [K, T, D], or of prompts
        [R, D] with the class of each in ``text_label``; or a file.
    label: the class of each image, an index or a name; -1 or "unknown" for images of none; or a
        .npy file of them.
    names: the names of the classes, or a file with a name on each line.
    base: "half" (the first half of the classes), "all", how many of the first ones, their names, or
        a file with a name on each line. ``new`` are names too, by default all others; images of
        classes that are neither base nor new are unknown.
    unknown: features of further images, all of them unknown.
    score: the detection score r by name; "" is "msp", or "base_sigmoid" for sigmoid models. With
        several names, or "all", the result is a dict of Predictions by score.

    ``logit = logit_scale * cosine + logit_bias``; ``normalize=False`` takes features as they are.
    ``ensemble`` says how prompts of a class are averaged, by "features" or by "logits".
    ``activation="sigmoid"`` is for models such as SigLIP.
    """
    several = not isinstance(score, str) or score == "all" or "," in score
    pairs = _core.score(
        images=_path_or_array(images),
        texts=_path_or_array(texts),
        label=_path_or_array(label),
        text_label=_path_or_array(text_label),
        names=_names(names),
        base=_classes(base),
        new=None if new is None else _classes(new),
        unknown=_path_or_array(unknown),
        scores=score if isinstance(score, str) else ",".join(score),
        logit_scale=logit_scale,
        logit_bias=logit_bias,
        activation=activation,
        ensemble=ensemble,
        normalize=normalize,
        mcm_temperature=mcm_temperature,
        threads=threads,
    )
    results: Dict[str, Predictions] = dict(pairs)
    return results if several else pairs[0][1]
