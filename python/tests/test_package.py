"""Names, stubs and types of the package."""

import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import openworld
import pytest

PYTHON = Path(__file__).resolve().parents[1]


def test_version_is_that_of_the_project():
    text = (PYTHON.parent / "CMakeLists.txt").read_text()
    (version,) = re.findall(r"project\(openworld VERSION ([0-9.]+)", text)
    assert openworld.__version__ == version


def test_public_names():
    for name in openworld.__all__:
        assert getattr(openworld, name) is not None
        if name[0].islower():
            assert getattr(openworld, name).__doc__, name
    assert openworld.__all__ == sorted(openworld.__all__)


def test_the_committed_stubs_are_up_to_date():
    spec = importlib.util.spec_from_file_location("make_stubs", PYTHON / "make_stubs.py")
    make_stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_stubs)
    for path, stub in make_stubs.STUBS.items():
        assert path.read_text() == stub(), "run python/make_stubs.py"


@pytest.mark.parametrize("module", ["_core", "_models"])
def test_the_stub_has_the_names_of_the_extension(module):
    if importlib.util.find_spec(f"openworld.{module}") is None:
        pytest.skip("built without models")
    extension = importlib.import_module(f"openworld.{module}")
    stub = (PYTHON / "openworld" / f"{module}.pyi").read_text()
    declared = set(re.findall(r"^(?:def|class) (\w+)", stub, re.M))
    declared |= set(re.findall(r"^([A-Za-z]\w*|__version__):", stub, re.M))
    actual = {name for name in dir(extension) if not name.startswith("__")}
    assert declared - {"__version__"} == actual
    for name in re.findall(r"^class (\w+)", stub, re.M):
        body = re.search(rf"^class {name}:\n((?:    .*\n|\n)+)", stub, re.M).group(1)
        members = {m for m in dir(getattr(extension, name)) if not m.startswith("_")}
        declared_members = {m for m in re.findall(r"def (\w+)", body) if not m.startswith("_")}
        assert declared_members == members, name


def test_types(tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed; the types were not checked")
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\n"
        "import openworld\n"
        "from openworld import metrics\n"
        "from openworld.compat.openood import metrics_dict\n"
        "side, score = np.zeros(3, np.int8), np.zeros(3)\n"
        "value: float = metrics.fpr_at_tpr(side, score, tpr=0.9)\n"
        "entry: openworld.Metric = openworld.evaluate(side, score, side)['auroc']\n"
        "named: dict[str, float] = metrics_dict(score, side, side)\n"
        "metrics.openworld_auc(side, score)  # error\n"
        "model = openworld.load_model('pocket', threads=2)\n"
        "run: openworld.Run = openworld.tune('coop', model, 'x', out='y', shots=2, lr=0.1)\n"
        "runs: list[openworld.Run] = openworld.tune('coop', 'pocket', 'x', out='y', seeds=[1, 2])\n"
        "side_of: str = run.predict(['x.png'])[0].side\n"
        "openworld.zeroshot(model, 'x', ensembel='logits')  # error\n"
    )
    # A sanitizer's runtime is for our code, not for mypy's.
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    environment["MYPYPATH"] = str(PYTHON)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir"]
        + [str(tmp_path / "cache"), str(PYTHON / "openworld"), str(user)],
        capture_output=True,
        text=True,
        env=environment,
    )
    lines = [line for line in run.stdout.splitlines() if ": note:" not in line]
    assert len(lines) == 2, run
    assert f"{user}:9: error: Missing positional argument" in lines[0], run
    assert f"{user}:14: error: Unexpected keyword argument \"ensembel\"" in lines[1], run
