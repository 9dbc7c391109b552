"""Which pictures are worth keeping: not empty, not solid, not twice the same. Integer arithmetic throughout."""

import numpy as np

# Thousandths of the paper that are covered with ink; a solid square has more.
LEAST_INK, MOST_INK = 12, 800
SIGNATURE = 12  # cells a side


def ink_of(pictures):
    """(N, side, side) from 0, paper, to 255."""
    return 255 - (pictures if pictures.ndim == 3 else pictures.min(axis=3))


def is_usable(pictures):
    ink = ink_of(pictures).sum(axis=(1, 2), dtype=np.int64)
    thousandths = 1000 * ink // (255 * pictures.shape[1] * pictures.shape[2])
    return (thousandths >= LEAST_INK) & (thousandths <= MOST_INK)


def edges_of(pictures):
    """The sum of differences to the pixels on the right and below, of greys."""
    if pictures.ndim == 4:
        red, green, blue = np.moveaxis(pictures.astype(np.int32), 3, 0)
        grey = (77 * red + 150 * green + 29 * blue + 128) >> 8
    else:
        grey = pictures.astype(np.int32)
    edges = np.zeros_like(grey)
    edges[:, :, :-1] += np.abs(np.diff(grey, axis=2))
    edges[:, :-1] += np.abs(np.diff(grey, axis=1))
    return edges


def signatures(pictures, chunk=4096):
    """The edges in SIGNATURE x SIGNATURE cells, a row for each picture. Of areas instead of edges, all
    round yellow faces would be alike."""
    rows = [np.zeros((0, SIGNATURE * SIGNATURE), np.int32)]
    for begin in range(0, len(pictures), chunk):
        edges = edges_of(pictures[begin:begin + chunk])
        cell = edges.shape[1] // SIGNATURE
        blocks = edges.reshape(len(edges), SIGNATURE, cell, SIGNATURE, cell)
        rows.append(blocks.sum(axis=(2, 4), dtype=np.int32).reshape(len(edges), -1))
    return np.concatenate(rows)


def is_near(row, others, percent):
    """Whether less than `percent` of the edges differ, for each of `others`."""
    both = np.maximum(row, others).sum(axis=1, dtype=np.int64)
    differing = np.abs(row - others).sum(axis=1, dtype=np.int64)
    return 100 * differing < percent * both


def near_copies(rows, percent):
    """Whether each row is near to an earlier one that is kept."""
    copy = np.zeros(len(rows), bool)
    kept = np.zeros_like(rows)
    count = 0
    for i, row in enumerate(rows):
        copy[i] = is_near(row, kept[:count], percent).any()
        if not copy[i]:
            kept[count] = row
            count += 1
    return copy


def quantised(pictures, levels=16):
    """Each channel rounded to one of so many levels from 0 to 255."""
    values = np.arange(256)
    level = (values * (levels - 1) + 127) // 255
    return ((level * 255 + (levels - 1) // 2) // (levels - 1)).astype(np.uint8)[pictures]
