"""Makes the files of this folder with NumPy, as users do. Run: python3 make.py, in this folder.

The arrays named expected_* are NumPy's own answers; the tests compare ours with them.
"""

import json
import os
import zipfile

import numpy as np

rng = np.random.default_rng(2024)
N, CB, CN = 40, 5, 3


def dtypes():
    """Every dtype in both byte orders and both memory orders; values 0..5, and 0/1 for bool."""
    arrays = {}
    for code in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        values = np.arange(6).reshape(2, 3) % (2 if code == "b1" else 6)
        for order, name in [("<", "little"), (">", "big")]:
            array = values.astype(order + code)
            arrays[f"{code}_{name}_c"] = np.ascontiguousarray(array)
            arrays[f"{code}_{name}_f"] = np.asfortranarray(array)
    np.savez_compressed("dtypes.npz", **arrays)


def halves():
    """All 65536 halves would be 128 KB; every 37th covers all exponents and both signs."""
    bits = np.arange(0, 65536, 37, dtype=np.uint16)
    values = bits.view(np.float16)
    np.savez_compressed("halves.npz", half=values, expected=values.astype(np.float32))


def compact():
    side = rng.integers(-1, 2, N)
    arrays = dict(
        side=side,
        score=rng.normal(size=N).astype(np.float32),
        correct=rng.random(N) < 0.7,
        label=rng.integers(0, 3, N),
        embeddings=rng.normal(size=(N, 2)),
    )
    np.savez("compact.npz", **arrays)
    np.savez_compressed("compact_deflated.npz", **arrays)
    os.makedirs("folder", exist_ok=True)
    for name in ["side", "score", "correct", "label"]:
        array = arrays[name]
        np.save(f"folder/{name}.npy", array.astype(array.dtype.newbyteorder(">")))
    with open("compact.csv", "w", newline="") as f:
        f.write("side,score,correct,label\r\n")
        for row in zip(side, arrays["score"].astype(float), arrays["correct"], arrays["label"]):
            f.write(",".join(str(x) for x in row) + "\r\n")


def softmax_score(base, new):
    logits = np.concatenate([base, new], axis=1).astype(np.float64)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (p / p.sum(axis=1, keepdims=True))[:, : base.shape[1]].max(axis=1)


def logits():
    side = rng.integers(-1, 2, N)
    base = np.round(rng.normal(scale=3, size=(N, CB)) * 2).astype(np.float32) / 2  # with ties
    new = np.asfortranarray(rng.normal(scale=3, size=(N, CN)))
    base_label, new_label = rng.integers(0, CB, N), rng.integers(0, CN, N)
    label = np.where(side == 0, base_label, np.where(side == 1, new_label, -1))
    truth = np.where(side == 1, label + CB, label)
    right = np.where(side == 0, base.argmax(1), new.argmax(1))
    overall = np.concatenate([base, new], axis=1).argmax(1)
    np.savez(
        "logits.npz",
        side=side.astype(np.int8),
        label=label,
        base_logits=base,
        new_logits=new,
        classes=np.array(["cat", "dog", "épée", "日本", "🦊 fox", "a", "b", "c"]),
        meta=json.dumps({"method": "clip", "seed": 1}),
        expected_score=softmax_score(base, new),
        expected_correct=(side != -1) & (right == label),
        expected_overall_correct=(side != -1) & (overall == truth),
        expected_predicted=base.argmax(1),
    )


def versions():
    array = np.arange(4, dtype=np.int32)
    for version in [(1, 0), (2, 0), (3, 0)]:
        with open(f"version{version[0]}.npy", "wb") as f:
            np.lib.format.write_array(f, array, version=version)


def refused():
    """Arrays that hold what predictions cannot."""
    np.savez_compressed(
        "refused.npz",
        object=np.array([1, "a"], dtype=object),
        structured=np.zeros(2, dtype=[("a", "<f4"), ("b", "<i8")]),
        complex=np.zeros(2, dtype=np.complex64),
        datetime=np.zeros(2, dtype="datetime64[s]"),
        timedelta=np.zeros(2, dtype="timedelta64[ms]"),
        longdouble=np.zeros(2, dtype=np.longdouble),
        void=np.zeros(2, dtype="V3"),
    )


class Pipe:
    """A stream without seek: sizes follow the data."""

    def __init__(self, f):
        self.f = f

    def write(self, data):
        return self.f.write(data)

    def flush(self):
        self.f.flush()


def streamed():
    with open("streamed.npz", "wb") as f, zipfile.ZipFile(Pipe(f), "w", zipfile.ZIP_DEFLATED) as z:
        for name, array in dict(side=[0, 1], score=[0.5, 0.25], correct=[True, False]).items():
            with z.open(zipfile.ZipInfo(name + ".npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.array(array))


for make in [dtypes, halves, compact, logits, versions, refused, streamed]:
    make()
