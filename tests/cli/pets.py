"""Small images: PNG files as large as the tiny model wants them, so that none is resampled."""

import struct
import zlib

import numpy as np
from tiny_model import SIZES

# The classes of `pets` and the numbers of their pictures: not as many in each class, and the tiny
# model is right about some and wrong about some.
PETS = {"big_dog": [0, 1, 60, 153], "cat": [2, 3, 4], "green frog": [5, 6],
        "horse": [7, 8, 9, 31, 41], "owl": [10], "phone": [11, 12], "tiger": [13, 16, 18, 22]}


def png(pixels):
    """The bytes of a PNG file with these [height, width, 3] bytes."""
    height, width, _ = pixels.shape

    def chunk(kind, data):
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels, np.uint8))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def pixels(number):
    """Noise of one colour or another."""
    random = np.random.default_rng(number)
    noise = random.integers(0, 120, (SIZES.image, SIZES.image, 3)) + random.integers(0, 130, 3)
    return noise.astype(np.uint8)


def picture(number):
    return png(pixels(number))


def samples(classes=PETS):
    """(path, label, name, number) of every picture, in the order of an image folder."""
    return [(f"{name}/{number:03}.png", label, name, number)
            for label, name in enumerate(sorted(classes)) for number in classes[name]]


def write_pets(folder, classes=PETS):
    """A folder for each class."""
    for path, _, _, number in samples(classes):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(picture(number))
    return folder
