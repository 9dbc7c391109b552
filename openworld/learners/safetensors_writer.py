"""Arrays of NumPy as a file of safetensors: int64 as I64, everything else as F32."""

import json

import numpy as np


def write_safetensors(path, arrays):
    header, parts, end = {}, [], 0
    for name, array in arrays.items():
        code, dtype = ("I64", "<i8") if array.dtype == np.int64 else ("F32", "<f4")
        part = array.astype(dtype).tobytes()
        begin, end = end, end + len(part)
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [begin, end]}
        parts.append(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))
