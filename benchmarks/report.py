"""Size of the page of `openworld report`, and its speed in headless Chromium. Run through `scripts/bench report`.

Made-up runs on 5,000 samples of 50 classes, with losses, as `openworld tune` writes them: 100 runs of 20 methods with 5
seeds, and 100 runs of 100 methods. Printed are the bytes of the page and of its parts, the wall time from the request of
the page until all of it is interactive, and the time of one move of the threshold slider until its numbers are in the
page; best and median of several.
"""

import json
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SAMPLES, CLASSES = 5000, 50
LAYOUTS = {"20 methods x 5 seeds": (20, 5), "100 methods": (100, 1)}
ROUNDS, MOVES = 5, 50

# A slider's input event is handled at once; forcing the layout counts what the browser has to do before it can paint.
MOVE = """
const slider = document.querySelector('[data-view="threshold"] input[type=range]');
const times = [];
for (let i = 0; i < arguments[0]; ++i) {
  slider.value = String(Number(slider.min) + (Number(slider.max) - Number(slider.min)) * ((i * 37) % 100) / 100);
  const start = performance.now();
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  document.body.getBoundingClientRect();
  times.push(performance.now() - start);
}
return times;
"""


def arrays_of(method, seed):
    hard = np.random.default_rng(7)
    own = np.random.default_rng([method, seed])
    half = CLASSES // 2
    label = np.arange(SAMPLES) % CLASSES
    logits = (hard.normal(0, 1, (SAMPLES, CLASSES)) + own.normal(0, 0.5, (SAMPLES, CLASSES))).astype("f4")
    logits[np.arange(SAMPLES), label] += 1 + 0.02 * method
    side = (label >= half).astype("i1")
    score = hard.normal(0, 1, SAMPLES) + own.normal(0, 0.5, SAMPLES) + (0.3 + 0.01 * method) * (1 - side)
    return {"side": side, "label": (label % half).astype("i4"), "score": score, "base_logits": logits[:, :half],
            "new_logits": logits[:, half:], "classes": np.array([f"class {i}" for i in range(CLASSES)]), "meta": "{}"}


def write_runs(folder, methods, seeds, write_run):
    for method in range(methods):
        for seed in range(1, seeds + 1):
            changed = {"context": method} if method else {}
            path = write_run(folder / f"{method}-{seed}", "coop" if method else "zero-shot", data="photos", seed=seed,
                             arrays=arrays_of(method, seed), changed=changed)
            lines = [{"step": 10 * i, "loss": 2 / i} for i in range(1, 51)]
            (path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
            yield path


def parts(page):
    """Bytes of the page by kind of element."""
    sizes = {name: sum(map(len, re.findall(rf"<{name}[ >].*?</{name}>", page, re.S)))
             for name in ("script", "style", "svg", "table")}
    return {**sizes, "rest": len(page) - sum(sizes.values())}


def main():
    build = Path(sys.argv[1]).resolve()
    os.environ["OPENWORLD_BIN"] = str(build / "bin" / "openworld")
    sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests" / "browser")]
    from browser import Browser
    from command import json_of
    from runs import write_run
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        profile = folder / "browser"
        profile.mkdir()
        with Browser(profile) as browser:
            for name, (methods, seeds) in LAYOUTS.items():
                runs = list(write_runs(folder / name, methods, seeds, write_run))
                start = time.perf_counter()
                out = folder / name / "report.html"
                json_of("report", *runs, "--out", out, "--samples", 24)
                written = time.perf_counter() - start
                page = out.read_text()
                opened = []
                for _ in range(ROUNDS):
                    start = time.perf_counter()
                    browser.open(out.as_uri())
                    opened.append(time.perf_counter() - start)
                moves = browser.run(MOVE, MOVES)
                print(f"{name}, {SAMPLES} samples")
                print(f"  size       {len(page.encode()) / 1e6:.2f} MB: "
                      + ", ".join(f"{part} {size / 1e6:.2f}" for part, size in parts(page).items()))
                print(f"  written    {written:.1f} s")
                print(f"  opens in   {min(opened):.2f} s, median {statistics.median(opened):.2f}")
                print(f"  a move     {min(moves):.1f} ms, median {statistics.median(moves):.1f}, slowest {max(moves):.1f}")


main()
