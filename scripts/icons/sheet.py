"""Contact sheets: random pictures side by side, to look at."""

import numpy as np
from PIL import Image

from icons.dice import Dice

GAP = 2


def sheet(pictures, columns):
    """An RGB array of pictures (N, side, side) or (N, side, side, 3) in rows."""
    side = pictures.shape[1]
    rows = -(-len(pictures) // columns)
    out = np.full((rows * (side + GAP), columns * (side + GAP), 3), 200, np.uint8)
    for i, picture in enumerate(pictures):
        y, x = i // columns * (side + GAP), i % columns * (side + GAP)
        out[y:y + side, x:x + side] = picture if picture.ndim == 3 else picture[..., None]
    return out


def write_sheet(path, pictures, count=512, columns=32):
    chosen = sorted(Dice("sheet").some(range(len(pictures)), count))
    Image.fromarray(sheet(pictures[chosen], columns)).save(path)
