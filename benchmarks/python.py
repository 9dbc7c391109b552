"""What the Python package costs beside the command. Run through `scripts/bench python [ROUNDS]`.

The same run, GMoP on doodles:animals, is tuned by the command and by openworld.tune(), each in a process of its own, in
turn, with the features in a cache. Measured is processor time, which a busy machine disturbs less than wall time: of
the whole process, of the interpreter's start with `import openworld`, and their difference over the command's. Also the
time of `import openworld` beside `import numpy`.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3
TARGET = 1.02

TUNE = """
import openworld
openworld.tune("gmop", "pocket", "doodles:animals", out={out!r}, cache={cache!r}, epochs={epochs})
"""
EPOCHS = 10


def seconds(*command):
    """User and system time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    build, rounds = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    os.environ["PYTHONPATH"] = str(build / "python")
    program = str(build / "bin" / "openworld")
    times = {"command": [], "python": [], "import": [], "numpy": []}
    with tempfile.TemporaryDirectory() as folder:
        cache = f"{folder}/cache"
        flags = ["--method", "gmop", "--model", "pocket", "--data", "doodles:animals", "--cache", cache]
        flags += ["--epochs", str(EPOCHS)]
        subprocess.run([program, "tune", *flags, "--out", f"{folder}/first"], check=True,
                       stdout=subprocess.DEVNULL)
        for i in range(rounds):
            times["command"].append(seconds(program, "tune", *flags, "--out", f"{folder}/command-{i}"))
            code = TUNE.format(out=f"{folder}/python-{i}", cache=cache, epochs=EPOCHS)
            times["python"].append(seconds(sys.executable, "-c", code))
            times["import"].append(seconds(sys.executable, "-c", "import openworld"))
            times["numpy"].append(seconds(sys.executable, "-c", "import numpy"))
        for name in ("run.json", "prompts.safetensors", "predictions.npz"):
            files = [Path(folder, f"{face}-0", name).read_bytes() for face in ("command", "python")]
            assert files[0] == files[1], name
    best = {name: min(values) for name, values in times.items()}
    for name, values in times.items():
        print(f"{name:8} {best[name]:7.3f} s of processor time, best of {rounds}; "
              f"median {statistics.median(values):.3f}")
    print(f"python / command               {best['python'] / best['command']:.4f}")
    ratio = (best["python"] - best["import"]) / best["command"]
    print(f"the same without the import    {ratio:.4f}  target: under {TARGET}")
    print(f"import openworld - numpy       {1e3 * (best['import'] - best['numpy']):.0f} ms")
    return 0 if ratio < TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
