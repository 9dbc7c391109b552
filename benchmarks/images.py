"""Decoding and resizing beside Pillow, in one run, as ratios. Run through `scripts/bench images`.

The image is a JPEG of 1024 x 768, quality 90, 4:2:0. Times are milliseconds on one core, the
best of several.
"""

import io
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import numpy as np
import PIL
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "openworld/images"))
from pillow_oracle import picture, to_tensor

REPEATS = 50


def best(f):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main():
    build = pathlib.Path(sys.argv[1])
    original = Image.fromarray(picture(768, 1024, 3, np.random.default_rng(1)))
    with tempfile.NamedTemporaryFile(suffix=".jpg") as file:
        original.save(file, "JPEG", quality=90)
        file.flush()
        data = pathlib.Path(file.name).read_bytes()
        command = [build / "bin/images_bench", str(REPEATS), file.name]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    ours = {what: float(ms) for what, ms in map(str.split, output.splitlines())}

    image = Image.open(io.BytesIO(data)).convert("RGB")
    cubic, linear = Image.Resampling.BICUBIC, Image.Resampling.BILINEAR
    rivals = {
        "decode": lambda: Image.open(io.BytesIO(data)).convert("RGB"),
        "bicubic": lambda: image.resize((298, 224), cubic),
        "bilinear": lambda: image.resize((298, 224), linear),
        "enlarge": lambda: image.resize((2048, 1536), cubic),
        "transform": lambda: to_tensor(image.resize((298, 224), cubic).crop((37, 0, 261, 224))),
    }
    print(f"{platform.machine()}, Pillow {PIL.__version__}, best of {REPEATS}, ms")
    print(f"{'':12}{'openworld':>10}{'Pillow':>10}{'ratio':>8}")
    for what, f in rivals.items():
        theirs = best(f)
        print(f"{what:12}{ours[what]:10.2f}{theirs:10.2f}{theirs / ours[what]:8.1f}")


main()
