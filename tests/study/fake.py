"""Runs `openworld study` with cells that need no model (fake_study.cc)."""

import json
import os
import subprocess

PROGRAM = os.environ["OPENWORLD_FAKE_STUDY"]

PLAN = """models = ["m"]
data = ["d", "e"]
seeds = "1-{seeds}"
learners = [{{name = "coop", options = {{steps = {steps}, millis = {millis}}}}}]
"""


def write_plan(folder, seeds=3, steps=1, millis=0, more=""):
    path = folder / "plan.toml"
    path.write_text(PLAN.format(seeds=seeds, steps=steps, millis=millis) + more)
    return path


def words(*args):
    return [PROGRAM, "study", *map(str, args)]


def study(*args, code=0, cwd=None, environment=None):
    """The finished process; its exit code must be `code`, unless that is None."""
    done = subprocess.run(words(*args), cwd=cwd, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(environment or {})})
    assert code is None or done.returncode == code, done
    return done


def status(folder, code=0, *flags):
    return json.loads(study("status", folder, "--json", *flags, code=code).stdout)


def contents(folder):
    """Every file below a study's cells, results without their cost."""
    files = {}
    for path in sorted((folder / "cells").rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        if path.name == "cell.json":
            result = json.loads(data)
            assert result.pop("cost")["seconds"] >= 0
            data = json.dumps(result)
        files[str(path.relative_to(folder))] = data
    return files


def leases(folder):
    """Names of leases that are held, or that nobody released."""
    return sorted(path.name for path in (folder / "leases").iterdir() if path.name != ".clock")
