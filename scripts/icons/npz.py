"""Writes .npz files with the same bytes each time: numpy.savez_compressed stamps them with the time."""

import io
import zipfile

import numpy as np


def npy_bytes(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), version=(1, 0))
    return out.getvalue()


def write_npz(path, arrays, level=9):
    """With zlib 1.2.13; another zlib may deflate to other bytes of the same arrays."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, npy_bytes(array), compresslevel=level)
