"""Programs built against the installed package, beside the installed command and NumPy.

usage: check.py WORK_DIR, as run.sh leaves it
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

WORK = Path(sys.argv[1]).resolve()
PREFIX = WORK / "prefix"
COMMAND = PREFIX / "bin" / "openworld"
# One thread for products, as in the tests of vlm: two pools on the same cores spin against each other.
# Programs that are not installed beside the data are told where it is; the command finds it.
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": str(WORK / "cache"), "OMP_NUM_THREADS": "1",
               "OPENBLAS_NUM_THREADS": "1"}
DATA = {"OPENWORLD_DATA": str(PREFIX / "share" / "openworld")}


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=WORK,
                          env={**ENVIRONMENT, **more})
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def command(*words):
    return json.loads(run(COMMAND, *words, "--json"))


def lines_of(text):
    """{name: number} of lines "name number ..."."""
    return {name: float(value) for name, value in re.findall(r"^(\S+) (-?[0-9.e-]+)", text, re.M)}


def check_headers():
    """Installed headers include only installed ones, none is of a test, and each public one was compiled as the first
    include of a file."""
    headers = sorted((PREFIX / "include").rglob("*.h"))
    assert len(headers) > 50
    for header in headers:
        assert not header.name.startswith("test_") and "test_util" not in header.name, header
        for name in re.findall(r'^#include "(.+)"', header.read_text(), re.M):
            assert (PREFIX / "include" / name).is_file(), f"{header} includes {name}, which is not installed"
    programs = [path for project in ("evaluation", "models") if (WORK / project).is_dir()
                for folder in (WORK / project, Path(__file__).parent / project) for path in folder.glob("*.cc")]
    first = {re.search(r"^#include (.+)$", path.read_text(), re.M)[1] for path in programs}
    public = {f'"openworld/{path.name}"' for path in (PREFIX / "include" / "openworld").glob("*.h")}
    assert first == public


def check_evaluation():
    run(COMMAND, "worlds", "show", "doodles:shapes", "--png", "shapes.png")  # the drawings are found
    run(COMMAND, "example", "data")
    said = lines_of(run(WORK / "evaluation" / "evaluate", "data/gmop.npz"))
    metrics = command("eval", "data/gmop.npz", "--metrics", "openworld_auc,auroc,base_acc,new_acc")["metrics"]
    for name, metric in metrics.items():
        assert said.pop(name) == round(metric["value"], 6), name
    assert said == {"threshold": command("threshold", "data/gmop.npz", "--max-miss", "0.3")["threshold"]}
    linked = run("ldd", WORK / "evaluation" / "evaluate")
    assert "libtorch" not in linked and "libc10" not in linked  # whole names: addresses are hexadecimal


def check_own_metric():
    """By its definition, over every threshold, with many ties."""
    rng = np.random.default_rng(7)
    side = rng.integers(-1, 2, 500)
    score = np.round(rng.normal(size=side.size) + (side == 0), 1)
    correct = rng.random(side.size) < 0.8
    np.savez(WORK / "scores.npz", side=side, score=score, correct=correct)
    said = lines_of(run(WORK / "evaluation" / "own_metric", "scores.npz"))["miss_at_50hit"]
    base, new = side == 0, side == 1
    misses = [((score <= t) | ~correct)[base].mean() for t in np.unique(score)
              if ((score <= t) & correct)[new].mean() >= 0.5]
    assert said == round(min(misses), 6)


def check_encode():
    said = run(WORK / "models" / "encode", "pocket", "doodles:shapes", **DATA)
    top1 = command("zeroshot", "--model", "pocket", "--data", "doodles:shapes", "--split", "test")["accuracy"]["top1"]
    assert said == f"{top1['right']} of {top1['images']} right\n"


def check_tune():
    """The program's run and the command's have the same bits."""
    said = lines_of(run(WORK / "models" / "tune", "gmop", "pocket", "doodles:shapes", 2, "program", **DATA))
    result = command("tune", "--method", "gmop", "--model", "pocket", "--data", "doodles:shapes", "--epochs", 2,
                     "--out", "command")
    for name, metric in result["metrics"].items():
        assert said[name] == round(metric["value"], 6), name
    for name in ("prompts.safetensors", "run.json"):
        assert (WORK / "program" / name).read_bytes() == (WORK / "command" / name).read_bytes(), name


def check_own_learner():
    """Without its penalty it is CoOp, and with it another."""
    program, settings = WORK / "models" / "own_learner", ["tokens=4", "epochs=2"]
    said = lines_of(run(program, "pocket", "doodles:shapes", "weight=0", *settings, **DATA))
    flags = [word for setting in settings for word in ("--set", setting)]
    metrics = command("tune", "--method", "coop", "--model", "pocket", "--data", "doodles:shapes", *flags,
                      "--out", "coop")["metrics"]
    assert said == {name: round(metrics[name]["value"], 6) for name in said} and len(said) == 3
    prompts = (WORK / "calm.safetensors").read_bytes()
    run(program, "pocket", "doodles:shapes", "weight=5", *settings, **DATA)
    assert (WORK / "calm.safetensors").read_bytes() != prompts


def check_without_models():
    """A package that was built without libtorch says so."""
    for path in PREFIX.rglob("openworld_modelsTargets.cmake"):
        path.unlink()
    done = subprocess.run(["cmake", "-S", Path(__file__).parent / "models", "-B", WORK / "without",
                           f"-DCMAKE_PREFIX_PATH={PREFIX}"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "openworld was built without libtorch (OPENWORLD_TORCH=OFF)" in " ".join(done.stderr.split()), done.stderr


check_headers()
check_evaluation()
check_own_metric()
if (WORK / "models").is_dir():
    check_encode()
    check_tune()
    check_own_learner()
check_without_models()
