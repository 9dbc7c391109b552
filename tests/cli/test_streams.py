"""Output that cannot be written is an error, never a success or a crash."""

import os
import subprocess

import pytest
from command import BIN, run

CALLS = {
    "eval": ["eval", "gmop.npz"],
    "eval_json": ["eval", "gmop.npz", "--json"],
    "curve_beyond_a_buffer": ["curve", "gmop.npz", "--points", "0", "--csv"],
    "curve_json_beyond_a_buffer": ["curve", "gmop.npz", "--points", "0", "--json"],
    "ls": ["ls", "metrics"],
    "rank": ["rank", "results.csv"],
    "inspect_beyond_a_buffer": ["inspect", "clip", "--tensors"],
    "help": ["--help"],
    "eval_help": ["eval", "--help"],
    "version": ["--version"],
}

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")


def check(done):
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"cannot write to standard output" in done.stderr


@needs_full
@pytest.mark.parametrize("name", CALLS)
def test_full_disk(examples, name):
    with open("/dev/full", "wb") as full:
        check(subprocess.run([BIN, *CALLS[name]], stdout=full, stderr=subprocess.PIPE,
                             cwd=examples, timeout=60))


@pytest.mark.parametrize("name", CALLS)
def test_closed_stdout(examples, name):
    command = ["sh", "-c", 'exec "$@" >&-', "sh", BIN, *CALLS[name]]
    check(subprocess.run(command, stderr=subprocess.PIPE, cwd=examples, timeout=60))


@pytest.mark.parametrize("redirect", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
@pytest.mark.parametrize("args", [["evil"], ["eval", "none.npz"]])
def test_nowhere_to_complain(redirect, args):
    """A refusal is still a refusal."""
    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", BIN, *args]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, timeout=60).returncode == 2


def test_no_progress_without_a_terminal(examples):
    ran = run("eval", examples / "gmop.npz", "--ci", "bootstrap", "--resamples", 300)
    assert (ran.code, ran.err) == (0, "")
