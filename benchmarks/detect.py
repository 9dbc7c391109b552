"""Detections beside their rival, in one run, as ratios. Run through `scripts/bench detect [N]`.

Generated at the size of COCO val2017: 5,000 images, 80 classes, 36,781 objects and 500,000
detections, or an N-th of it. The rival is pycocotools' algorithm in NumPy
(openworld/detection/coco_oracle.py), because Debian has no pycocotools; both run on one thread, and
have to give the same twelve numbers. Reading the JSON is timed apart, beside json.load.
"""

import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "openworld/detection"))
import coco_oracle

REPEATS = 5


def timed(f):
    start = time.perf_counter()
    value = f()
    return value, 1e3 * (time.perf_counter() - start)


def main():
    build = pathlib.Path(sys.argv[1])
    part = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    sizes = dict(images=5000 // part, categories=80, objects=36781 // part,
                 detections=500000 // part)
    annotations, results = coco_oracle.synthetic(**sizes)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("annotations.json", "results.json")]
        for path, value in zip(paths, (annotations, results)):
            with open(path, "w") as file:
                json.dump(value, file)
        megabytes = os.path.getsize(paths[1]) / 1e6
        output = subprocess.run([build / "bin/detect_bench", str(REPEATS), *paths], check=True,
                                stdout=subprocess.PIPE, text=True).stdout
        lines = dict(line.split(" ", 1) for line in output.splitlines())
        stats = np.array(lines.pop("stats").split(), float)
        ours = {what: float(ms) for what, ms in lines.items()}
        theirs = {}
        for what, path in zip(("read_annotations", "read_results"), paths):
            with open(path) as file:
                theirs[what] = timed(lambda: json.load(file))[1]
    (expected, *_), theirs["evaluate"] = timed(lambda: coco_oracle.evaluate(annotations, results))
    assert (stats == expected).all(), (stats, expected)

    print(f"{platform.machine()}, NumPy {np.__version__}, {sizes['images']} images, "
          f"{sizes['objects']} objects, {sizes['detections']} detections, "
          f"results of {megabytes:.0f} MB")
    print(f"one thread, ms; ours best of {REPEATS}, the rival once; the same twelve numbers\n")
    print(f"{'':20}{'openworld':>12}{'Python':>12}{'ratio':>10}")
    for what, ms in ours.items():
        rival = f"{theirs[what]:12.1f}{theirs[what] / ms:9.0f}x" if what in theirs else ""
        print(f"{what:20}{ms:12.1f}{rival}")
    print(f"\n{1e6 * ours['evaluate'] / sizes['detections']:.0f} ns a detection")


main()
