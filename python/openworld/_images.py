"""Images as callers have them: paths, PIL images, arrays."""

from __future__ import annotations

import os
from typing import Any, List, Union

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def _is_path(image: Any) -> bool:
    return isinstance(image, (str, os.PathLike))


def _is_pil(image: Any) -> bool:
    return hasattr(image, "convert") and hasattr(image, "mode")


def _is_array(image: Any) -> bool:
    return hasattr(image, "__array__") or hasattr(image, "__dlpack__")


def _to_array(image: Any) -> npt.NDArray[Any]:
    if hasattr(image, "__array__"):
        return np.asarray(image)
    array: npt.NDArray[Any] = np.from_dlpack(image)
    return array


def _to_pixels(array: npt.NDArray[Any], name: str, function: str) -> Pixels:
    if array.dtype != np.uint8:
        raise ValueError(f"[{function}] {name} has dtype {array.dtype}; expected uint8, 0 to 255")
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    if array.ndim != 3 or array.shape[2] != 3 or array.size == 0:
        hint = "; its channels come first" if array.ndim == 3 and array.shape[0] == 3 else ""
        raise ValueError(
            f"[{function}] {name} has shape {array.shape}; "
            f"expected (height, width, 3) or (height, width){hint}"
        )
    return np.ascontiguousarray(array)


def as_images(images: Any, function: str) -> List[Union[str, Pixels]]:
    """A list of paths and arrays [height, width, 3], of one image or many."""
    if _is_path(images) or _is_pil(images):
        images = [images]
    elif _is_array(images):
        array = _to_array(images)
        images = array if array.ndim == 4 else [array]
    result: List[Union[str, Pixels]] = []
    try:
        items = list(images)
    except TypeError:
        items = []
    if not items:
        raise ValueError(
            f"[{function}] images is {images!r}; expected one or more paths, PIL images or arrays"
        )
    for place, image in enumerate(items):
        name = f"image[{place}]"
        if _is_path(image):
            result.append(os.fspath(image))
        elif _is_pil(image):
            result.append(_to_pixels(np.asarray(image.convert("RGB")), name, function))
        elif _is_array(image):
            result.append(_to_pixels(_to_array(image), name, function))
        else:
            raise ValueError(
                f"[{function}] {name} is a {type(image).__name__}; "
                "expected a path, a PIL image or an array"
            )
    return result
