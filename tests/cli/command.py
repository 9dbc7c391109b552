"""Runs the command as a user would, and checks its output and errors."""

import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

BIN = os.environ["OPENWORLD_BIN"]
ROOT = Path(__file__).resolve().parents[2]  # of the source tree
MODELS = Path(BIN).resolve().parents[1] / "lib" / "openworld" / "libopenworld_models.so"
needs_models = pytest.mark.skipif(not MODELS.exists(), reason="a build without libtorch")
COMMANDS = ("eval", "score", "compare", "curve", "report", "threshold", "openset", "sensitivity",
            "samplesize", "drc", "rank", "detect", "doctor", "inspect", "encode", "zeroshot", "tune", "osr", "study",
            "predict", "pretrain", "worlds", "data", "scenario", "ls", "example", "completion")


def names_of(calls):
    """The keys of `calls`, for parametrize; those that run a model are skipped where none can."""
    return [pytest.param(name, marks=needs_models if "--model" in call else ())
            for name, call in calls.items()]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(*args, cwd=None, timeout=60):
    """Runs `openworld args` and returns its exit code and output."""
    done = subprocess.run([BIN, *map(str, args)], capture_output=True, cwd=cwd, timeout=timeout)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def succeed(*args, cwd=None, timeout=60):
    """The standard output of a command that must succeed without output on stderr."""
    ran = run(*args, cwd=cwd, timeout=timeout)
    assert ran.err == ""
    assert ran.code == 0
    return ran.out


def json_of(*args, cwd=None):
    """The one JSON object that `openworld args --json` prints. Refuses NaN, which is not JSON."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    result = json.loads(succeed(*args, "--json", cwd=cwd), parse_constant=refuse)
    assert isinstance(result, dict)
    return result


def without_cost(result):
    """What has to be the same in every run, as text: everything but time and memory."""
    return json.dumps({key: value for key, value in result.items() if key != "cost"})


def metric(file, name, *flags):
    """The value of one metric of one file."""
    metrics = json_of("eval", file, "--metrics", name, "--ci", "none", *flags)["metrics"]
    return metrics[name]["value"]


def refused(*args, says, cwd=None):
    """Exit code 2, nothing on stdout, one line on stderr, and in it each fragment of `says`."""
    ran = run(*args, cwd=cwd)
    assert ran.code == 2, ran
    assert ran.out == "", ran
    assert ran.err.count("\n") == 1 and ran.err.endswith("\n"), ran.err
    for fragment in says:
        assert fragment in ran.err
    return ran.err
