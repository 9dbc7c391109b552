"""Pictures of odd sizes in the modes that files come in, in a folder for each class."""

import numpy as np
from PIL import Image


def waves(width, height, channels, seed):
    """Smooth colours under noise: JPEG and both directions of resizing change it visibly."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    period, phase = random.uniform(5, 60, channels), random.uniform(0, 6, channels)
    values = 127 + 90 * np.sin((x + 2 * y)[..., None] / period + phase)
    noisy = values + random.normal(0, 15, values.shape)
    return noisy.clip(0, 255).astype(np.uint8)


def rgb(width, height, seed):
    return Image.fromarray(waves(width, height, 3, seed))


def write_pictures(folder):
    """Six in four classes. One is smaller than the input of any model; the last, with an alpha
    channel, is as wide as that of the published ones and centred at half a pixel."""
    pictures = {
        "a/wide.png": rgb(331, 227, 1),
        "a/tall.jpg": rgb(239, 417, 2),
        "b/grey.jpg": Image.fromarray(waves(301, 225, 1, 3)[..., 0]),
        "c/palette.png": rgb(257, 255, 4).quantize(37),
        "c/tiny.png": rgb(19, 31, 5),
        "7/fits.png": Image.fromarray(waves(224, 225, 4, 6)),
    }
    for name, picture in pictures.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path)
    return folder
