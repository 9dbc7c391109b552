"""The files that the oracles write."""

import json
import struct

import numpy as np
import torch

TYPES = {np.dtype("f8"): "F64", np.dtype("f4"): "F32", np.dtype("i8"): "I64"}


def write(path, tensors):
    """A safetensors file."""
    header, parts, at = {}, [], 0
    for name, value in tensors.items():
        array = np.asarray(value.detach().numpy() if torch.is_tensor(value) else value)
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": TYPES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
