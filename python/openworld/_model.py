"""Models that encode images and texts."""

from __future__ import annotations

import warnings
from typing import Any, List, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._images import as_images
from ._keywords import Path, checked, to_keywords, to_path
from ._library import models
from ._progress import Progress, Reporter

Features = npt.NDArray[np.float32]


class Model:
    """A CLIP model that is ready to run; load_model() makes one.

    ``format`` is that of its checkpoint and ``sha256`` that of its weights; ``width`` is the length
    of features, ``image_size`` the side of the square that it sees, ``context`` the tokens of its
    longest text, ``logit_scale`` what cosines are multiplied by. ``assumptions`` are sentences about
    what its files do not say; load_model() warns of each.
    """

    def __init__(self, path: str, options: "dict[str, Any]") -> None:
        library = models()
        self._spec = library.ModelSpec(path, to_keywords(options, "load_model"))
        self._encoder = library.Encoder(self._spec)
        self.path: str = self._spec.path
        self.device: str = self._spec.device
        self.threads: int = self._spec.threads
        self.batch: int = self._spec.batch
        self.format: str = self._encoder.format
        self.sha256: str = self._encoder.sha256
        self.activation: str = self._encoder.activation
        self.assumptions: List[str] = self._encoder.assumptions
        for assumption in self.assumptions:
            warnings.warn(f"{path}: {assumption}", RuntimeWarning, stacklevel=3)
        self.width: int = self._encoder.width
        self.image_size: int = self._encoder.image_size
        self.context: int = self._encoder.context
        self.logit_scale: float = self._encoder.logit_scale

    @checked
    def encode_images(
        self, images: Any, *, cache: Union[bool, Path] = False, progress: Progress = None
    ) -> Features:
        """Features of images, a row each, not normalised: the bits that ``openworld encode`` writes.

        images: paths of files or folders, PIL images, or arrays [height, width, 3] of uint8, one or
            a list; an array [n, height, width, 3] is a list. Tensors of other libraries are taken
            through __array__ or DLPack, without a copy where they allow it.
        cache: True keeps features in the user's cache folder, a path in that folder.
        progress: see tune().

        An image that cannot be read raises ValueError.
        """
        folder = "" if isinstance(cache, bool) else to_path(cache, "encode_images", "cache")
        taken = as_images(images, "encode_images")
        with Reporter(progress) as reporter:
            features: Features = self._encoder.encode_images(taken, folder, cache is False, reporter)
        return features

    @checked
    def encode_texts(
        self, texts: Union[str, Sequence[str]], *, memory: int = 1024, progress: Progress = None
    ) -> Features:
        """Features of texts, a row each, not normalised: the bits that ``openworld encode`` writes.

        A text with more than ``context`` tokens raises ValueError. memory is that of the encoder's
        work, in MiB.
        """
        items = [texts] if isinstance(texts, str) else list(texts)
        for place, text in enumerate(items):
            if not isinstance(text, str):
                raise ValueError(f"[encode_texts] text[{place}] is {text!r}; expected a string")
        if not 1 <= memory <= 1 << 20:
            raise ValueError(f"[encode_texts] memory is {memory}; expected 1 to {1 << 20} MiB")
        with Reporter(progress) as reporter:
            features: Features = self._encoder.encode_texts(items, memory, reporter)
        return features

    def __repr__(self) -> str:
        return (
            f"<openworld.Model: {self.path}, {self.format}, {self.width} dimensions, "
            f"{self.image_size} pixels, on {self.device}>"
        )
