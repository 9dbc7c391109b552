"""`openworld score` as a process beside the NumPy way, as ratios. Run through `scripts/bench score`.

Both read features of images and names from .npz files, and write sides, whether the answer is right and the
maximum softmax probability over base names. The bare product multiplies the same matrices in blocks, in memory.
Everything runs on one thread, and times are processor time of the process without the start of Python, so that
they mean the same on a busy machine; rounds are interleaved, and the best of each counts.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile

import numpy as np

RIVAL = """
import json, resource, sys, time
import numpy as np
what, images, texts, out = sys.argv[1:]
start = time.process_time()
with np.load(images) as file:
    a, label = file["features"], file["label"]
with np.load(texts) as file:
    b = file["features"]
if what == "product":
    block = np.empty((512, len(b)), np.float32)
    start = time.process_time()
    for i in range(0, len(a), 512):
        rows = a[i:i + 512]
        np.matmul(rows, b.T, out=block[:len(rows)])
else:
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    base = len(b) // 2
    z = 100 * a @ b.T
    side = (label >= base).astype("i1")
    correct = np.where(side == 0, z[:, :base].argmax(1) == label, z[:, base:].argmax(1) + base == label)
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    np.savez(out, side=side, correct=correct, score=p[:, :base].max(1), label=label)
print(json.dumps([time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def rival(what, folder):
    words = [sys.executable, "-c", RIVAL, what, *(os.path.join(folder, name) for name in
                                                  ("images.npz", "texts.npz", "rival.npz"))]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout)


def ours(build, folder, scores):
    out = os.path.join(folder, "ours.npz" if scores == "msp" else "ours")
    words = [os.path.join(build, "bin", "openworld"), "score", "--images", os.path.join(folder, "images.npz"), "--texts",
             os.path.join(folder, "texts.npz"), "--score", scores, "--threads", "1", "--quiet", "--out", out]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(words)} failed")
    return [usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]


def write_features(folder, images, classes, width):
    """In a process of its own: the peak memory of a program counts what its parent held when it was started."""
    writer = os.fork()
    if writer != 0:
        if os.waitpid(writer, 0)[1] != 0:
            sys.exit("the features could not be written")
        return
    rng = np.random.default_rng(0)
    texts = rng.standard_normal((classes, width), dtype=np.float32)
    label = np.arange(images, dtype=np.int32) % classes
    features = rng.standard_normal((images, width), dtype=np.float32) + 0.1 * texts[label]
    np.savez(os.path.join(folder, "images.npz"), features=features, label=label)
    np.savez(os.path.join(folder, "texts.npz"), features=texts)
    os._exit(0)


def check_same(folder):
    """What the two write is the same, but for rounding."""
    with np.load(os.path.join(folder, "ours.npz")) as one, np.load(os.path.join(folder, "rival.npz")) as other:
        differ = int((one["correct"].astype(bool) != other["correct"]).sum())
        apart = float(np.abs(one["score"] - other["score"]).max())
        if differ > len(one["correct"]) // 1000 or apart > 1e-3 or not (one["side"] == other["side"]).all():
            sys.exit(f"the results differ: {differ} answers, r by up to {apart:g}")


def main(build, images=50000, classes=1000, width=512, rounds=5):
    print(f"{platform.processor() or platform.machine()}, NumPy {np.__version__}; {images} images x {classes} names at "
          f"{width} dimensions, one thread, processor time, best of {rounds}\n")
    with tempfile.TemporaryDirectory() as folder:
        write_features(folder, images, classes, width)
        runs = {"bare product": lambda: rival("product", folder), "NumPy": lambda: rival("all", folder),
                "openworld score": lambda: ours(build, folder, "msp"),
                "openworld score --score all": lambda: ours(build, folder, "all")}
        best = {name: [float("inf")] * 2 for name in runs}
        for _ in range(rounds):
            for name, run in runs.items():
                best[name] = [min(pair) for pair in zip(best[name], run())]
        check_same(folder)
    print(f"{'':<30}{'s':>8}{'peak MiB':>10}{'/ product':>11}{'NumPy /':>9}")
    for name, (seconds, peak) in best.items():
        print(f"{name:<30}{seconds:8.2f}{peak:10.0f}{seconds / best['bare product'][0]:11.2f}"
              f"{best['NumPy'][0] / seconds:9.2f}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
