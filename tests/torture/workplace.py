"""What the torture tests share: inputs for commands, and comparison of what they leave."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "checkpoints")]

from command import BIN  # noqa: E402
from data import compact, full, write_csv, write_folder, write_npz  # noqa: E402
from tuning import call, write_place  # noqa: E402

CACHE = "cache"  # of features, in the folder of a trial
# One thread of everything: the order of calls into the system must not vary.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
RESUMED_EPOCHS = 400  # a second or less
OSR_EPOCHS = 1000  # likewise


def run(words, cwd, timeout=120, **environment):
    """Runs `openworld words`; the finished process, or TimeoutExpired."""
    return subprocess.run([BIN, *map(str, words)], cwd=cwd, timeout=timeout, capture_output=True,
                          env={**ENVIRONMENT, "XDG_CACHE_HOME": str(cwd / "trial" / CACHE),
                               **environment})


def expect(words, cwd, **environment):
    done = run(words, cwd, **environment)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.returncode} {done.stderr.decode()}")
    return done


def logits(folder):
    """Logits of a classifier, for `openworld openset`."""
    import numpy as np
    random = np.random.default_rng(5)
    label = np.arange(60) % 6
    values = random.normal(0, 1, (60, 6)).astype("f4")
    values[np.arange(60), label] += 2
    return write_npz(folder / "logits.npz", {"logits": values, "label": label})


def features(path, seed):
    """Features of four classes around points of their own, for `openworld osr`."""
    import numpy as np
    random = np.random.default_rng(seed)
    label = np.arange(48) % 4
    points = np.random.default_rng(5).normal(0, 1, (4, 6))
    values = (points[label] + random.normal(0, 0.4, (48, 6))).astype("f4")
    return write_npz(path, {"features": values, "label": label, "names": np.array(["ant", "bee", "cat", "dog"])})


def osr_call(out, epochs=3):
    """Trains a small network on three of the four classes."""
    return ["osr", "train", "--method", "softmax", "--net", "mlp", "--data", "osr-train.npz", "--test-data",
            "osr-test.npz", "--known", "0,1,2", "--epochs", epochs, "--set", "lr=0.01", "--set", "batch=12",
            "--threads", 1, "--out", out]


def stopped_run(cwd, out, words):
    """Leaves an unfinished run in cwd/out: training was stopped at a step."""
    for _ in range(5):
        process = subprocess.Popen([BIN, *map(str, words)], cwd=cwd, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        log = cwd / out / "log.jsonl"
        while process.poll() is None and not (log.exists() and log.read_text().count("\n") > 9):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        if process.wait() == 2:
            return
        shutil.rmtree(cwd / out)
    raise AssertionError("training ended five times before it could be stopped")


def resumed_call(out):
    return call("coop", out, epochs=RESUMED_EPOCHS)


def write_inputs(folder):
    """Everything that the commands read."""
    write_place(folder)
    write_npz(folder / "compact.npz", compact())
    write_csv(folder / "table.csv", compact(seed=1))
    write_folder(folder / "arrays", full())
    logits(folder)
    (folder / "names.txt").write_text("dog\ncat\nhen\n")
    expect(call("coop", "tuned"), folder)
    expect(call("kgcoop", "other"), folder)
    stopped_run(folder, "stopped", resumed_call("stopped"))
    features(folder / "osr-train.npz", 1)
    features(folder / "osr-test.npz", 2)
    expect(osr_call("osr-trained"), folder)
    stopped_run(folder, "osr-stopped", osr_call("osr-stopped", OSR_EPOCHS))
    return folder


def comparable(path):
    """The bytes of a file without what two equal runs may differ in: times, memory, and where they are."""
    if path.suffix == ".json":
        return json.dumps(without_costs(json.loads(path.read_text()))).encode()
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return json.dumps([{**line, "seconds": 0, "images_per_second": 0} for line in lines]).encode()
    return path.read_bytes()


def files_in(folder):
    """Paths below a folder, relative to it, without the cache."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*")
                  if path.is_file() and path.relative_to(folder).parts[0] != CACHE)


def contents(folder):
    return {path: comparable(folder / path) for path in files_in(folder) if not is_temporary(path)}


def without_costs(value):
    """The same JSON without what depends on time, memory, place and the cache, however deep."""
    if isinstance(value, dict):
        return {key: without_costs(part) for key, part in value.items()
                if key not in ("cost", "encoded", "found", "out")}
    return [without_costs(part) for part in value] if isinstance(value, list) else value


def printed(done):
    """Standard output, its JSON without the cost."""
    return without_costs(json.loads(done.stdout))


def temporary_files(folder):
    return [path for path in folder.rglob("*") if is_temporary(path)]


def is_temporary(path):
    return ".tmp." in path.name
