"""Numbers have a point in every locale, in what is printed, written and read."""

import os
import subprocess

import pytest
from command import BIN, json_of, without_cost
from data import full, write_csv
from decimal_comma import SHIM, make_locale

# `flags` marks calls with fractions among their arguments. CLI11 reads those by the locale of the process, which
# openworld never sets; only the shim does.
CALLS = {
    "eval": ["eval", "gmop.npz", "logits.csv", "--ci", "bootstrap", "--resamples", 20],
    "eval_flags": ["eval", "gmop.npz", "--level", 0.9],
    "curve": ["curve", "gmop.npz", "--csv"],
    "sensitivity": ["sensitivity", "gmop.npz"],
    "sensitivity_flags": ["sensitivity", "gmop.npz", "--ratios", 0.5, 2.5],
    "threshold_flags": ["threshold", "gmop.npz", "--max-miss", 0.4],
    "samplesize_flags": ["samplesize", "gmop.npz", "--half-width", 0.01],
    "drc": ["drc", "curves.csv", "--zero-shot", "zero-shot"],
    "rank": ["rank", "results.csv"],
    "compare": ["compare", "coop.npz", "gmop.npz", "--resamples", 20],
    "detect": ["detect", "--annotations", "detections/truth.json", "--results", "detections/results.json"],
    "ls": ["ls", "metrics"],
}


@pytest.fixture(scope="module")
def comma(tmp_path_factory):
    """The environment; a program that uses its locale shows that it is there."""
    variables = {**os.environ, **make_locale(tmp_path_factory.mktemp("locale"))}
    done = subprocess.run(["/usr/bin/env", "printf", "%.1f", "1,5"], env=variables, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"1,5"), done
    return variables


@pytest.fixture(scope="module")
def place(examples):
    write_csv(examples / "logits", full())
    return examples


def bytes_of(call, cwd, **options):
    done = subprocess.run([BIN, *map(str, call)], cwd=cwd, capture_output=True, **options)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout


@pytest.mark.parametrize("name", CALLS)
def test_the_environment_changes_nothing(place, comma, name):
    assert bytes_of(CALLS[name], place, env=comma) == bytes_of(CALLS[name], place)


@pytest.mark.parametrize("name", [name for name in CALLS if "flags" not in name])
def test_a_process_in_that_locale_prints_the_same(place, comma, name):
    """The shim ends a process in which the locale is not in force."""
    inside = {**comma, "LD_PRELOAD": str(SHIM)}
    assert bytes_of(CALLS[name], place, env=inside) == bytes_of(CALLS[name], place)


def test_json_is_the_same(place, comma, monkeypatch):
    expected = without_cost(json_of(*CALLS["eval"], cwd=place))
    for name in ("LOCPATH", "LC_ALL"):
        monkeypatch.setenv(name, comma[name])
    monkeypatch.setenv("LD_PRELOAD", str(SHIM))
    assert without_cost(json_of(*CALLS["eval"], cwd=place)) == expected


def test_files_are_the_same(place, comma, folder):
    """A plot has hundreds of numbers."""
    inside = {**comma, "LD_PRELOAD": str(SHIM)}
    for name, variables in [("point", None), ("comma", inside)]:
        bytes_of(["curve", "gmop.npz", "--svg", folder / f"{name}.svg"], place, env=variables)
    assert (folder / "comma.svg").read_bytes() == (folder / "point.svg").read_bytes()


def test_without_the_locale_the_shim_refuses(place):
    done = subprocess.run([BIN, "ls", "metrics"], capture_output=True,
                          env={**os.environ, "LD_PRELOAD": str(SHIM), "LC_ALL": "C"})
    assert done.returncode == 99
    assert b"expected a decimal comma" in done.stderr
