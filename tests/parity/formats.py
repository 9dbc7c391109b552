"""A model in each format: functions of a folder, a Clip and the type its values fit, which return
the checkpoint and the flags without which it would be another model."""

import make_clip
import numpy as np


def hugging_face(folder, clip, dtype):
    return make_clip.write_hugging_face(folder, clip, dtype=dtype), []


def hugging_face_bin(folder, clip, dtype):
    assert dtype == "F32"
    return make_clip.write_hugging_face(folder, clip, weights="pytorch_model.bin"), []


def open_clip(folder, clip, dtype):
    return make_clip.write_open_clip(folder, clip, dtype), []


def openai(folder, clip, dtype):
    return make_clip.write_openai(folder / "clip.pt", clip, mixed=dtype == "F16"), []


def state_dict(folder, clip, dtype):
    stored = {"F32": np.float32, "F16": np.float16}[dtype]
    tensors = {name: value.astype(stored, copy=False) for name, value in clip.tensors.items()}
    path = make_clip.save(folder / "state_dict.pt", tensors)
    return path, ["--activation", clip.sizes.activation]


def state_dict_without_flags(folder, clip, dtype):
    """Which is taken to have GELU."""
    return state_dict(folder, clip, dtype)[0], []
