"""Output that cannot be written is an error, never a success or a crash."""

import os
import subprocess

import pytest
from command import BIN, names_of, needs_models, run

CALLS = {
    "eval": ["eval", "gmop.npz"],
    "eval_json": ["eval", "gmop.npz", "--json"],
    "curve_beyond_a_buffer": ["curve", "gmop.npz", "--points", "0", "--csv"],
    "curve_json_beyond_a_buffer": ["curve", "gmop.npz", "--points", "0", "--json"],
    "ls": ["ls", "metrics"],
    "worlds": ["worlds"],
    "worlds_show": ["worlds", "show", "doodles:all"],
    "worlds_json": ["worlds", "--json"],
    "scenario": ["scenario", "show", "ratio", "--data", "doodles:body"],
    "rank": ["rank", "results.csv"],
    "inspect_beyond_a_buffer": ["inspect", "clip", "--tensors"],
    "encode": ["encode", "--model", "model", "--data", "pets", "--out", "features.npz"],
    "zeroshot": ["zeroshot", "--model", "model", "--data", "pets"],
    "zeroshot_json": ["zeroshot", "--model", "model", "--data", "pets", "--json"],
    "tune": ["tune", "--method", "coop", "--model", "model", "--data", "pets", "--test-data",
             "pets", "--shots", "1", "--epochs", "2", "--out", "streamed", "--restart"],
    "tune_json": ["tune", "--method", "zero-shot", "--model", "model", "--data", "pets",
                  "--test-data", "pets", "--shots", "1", "--out", "streamed-zero-shot", "--json"],
    "predict": ["predict", "--run", "tuned", "--model", "model", "pets"],
    "predict_json": ["predict", "--run", "tuned", "--model", "model", "pets", "--json"],
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
@pytest.mark.parametrize("name", names_of(CALLS))
def test_full_disk(examples, name):
    with open("/dev/full", "wb") as full:
        check(subprocess.run([BIN, *CALLS[name]], stdout=full, stderr=subprocess.PIPE,
                             cwd=examples, timeout=60))


@pytest.mark.parametrize("name", names_of(CALLS))
def test_closed_stdout(examples, name):
    command = ["sh", "-c", 'exec "$@" >&-', "sh", BIN, *CALLS[name]]
    check(subprocess.run(command, stderr=subprocess.PIPE, cwd=examples, timeout=60))


@pytest.mark.parametrize("redirect", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
@pytest.mark.parametrize("args", [["evil"], ["eval", "none.npz"]])
def test_nowhere_to_complain(redirect, args):
    """A refusal is still a refusal."""
    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", BIN, *args]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, timeout=60).returncode == 2


@pytest.mark.parametrize("call", [
    ["eval", "gmop.npz", "--ci", "bootstrap", "--resamples", 300],
    pytest.param([*CALLS["zeroshot"], "--no-cache"], marks=needs_models),
    pytest.param([*CALLS["tune"], "--no-cache"], marks=needs_models),
    pytest.param(CALLS["predict"], marks=needs_models),
], ids=lambda call: call[0])
def test_no_progress_without_a_terminal(examples, call):
    ran = run(*call, cwd=examples)
    assert (ran.code, ran.err) == (0, "")


@needs_models
def test_progress_on_a_terminal(examples):
    """Goes to stderr and is wiped out at the end."""
    terminal, end = os.openpty()
    done = subprocess.run([BIN, *CALLS["zeroshot"], "--no-cache"], stdout=subprocess.PIPE,
                          stderr=end, cwd=examples, timeout=60)
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert done.returncode == 0
    for words in ("encoding prompts 7/7", "reading images 21/21", "encoding images 21/21"):
        assert words in shown
        assert words.encode() not in done.stdout
    assert shown.endswith("\r\x1b[K") and "\n" not in shown
