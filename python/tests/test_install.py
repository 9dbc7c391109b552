"""What pip installs works: source archive, offline build, new environment, import, smoke test.

The build stays in the build tree, so that a second run compiles only what changed.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SMOKE = """
import numpy as np, openworld
from openworld.compat.sklearn import roc_auc_score
side = np.array([0, 0, 1, 1], np.int8)
score = np.array([0.9, 0.4, 0.5, 0.1], np.float32)
evaluation = openworld.evaluate(side, score, np.ones(4, bool))
assert evaluation["openworld_auc"].value == 0.75, evaluation
assert roc_auc_score(side == 0, score) == 0.75
print(openworld.__version__, openworld.__file__)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def unpack_sources(work):
    """The files of the source archive, in a folder that keeps its build."""
    dist = work / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    run(
        *(sys.executable, "setup.py", "-q", "egg_info", "--egg-base", str(dist)),
        *("sdist", "--formats=gztar", "--dist-dir", str(dist)),
        cwd=ROOT,
    )
    (archive,) = dist.glob("openworld-*.tar.gz")
    sources = work / "sources"
    if sources.exists():
        for old in sources.iterdir():
            if old.name != "build":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
    with tarfile.open(archive) as files:
        files.extractall(dist)
    shutil.copytree(archive.with_name(archive.name[: -len(".tar.gz")]), sources, dirs_exist_ok=True)
    return sources


def test_pip_install_offline(tmp_path):
    build = os.environ.get("OPENWORLD_BUILD_DIR")
    if build is None:
        pytest.skip("OPENWORLD_BUILD_DIR is not set; run it as ctest -R python.install")
    sources = unpack_sources(Path(build) / "python_install")
    # Debian's environment is externally managed; a new one can see its packages.
    venv.create(tmp_path / "venv", system_site_packages=True, with_pip=False, symlinks=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}
    environment.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", "2")
    environment["CMAKE_BUILD_TYPE"] = "None"  # what is installed matters here, not how fast it is
    run(
        *(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps"),
        *("--disable-pip-version-check", "."),
        cwd=sources,
        env=environment,
    )
    printed = run(python, "-c", SMOKE, cwd=tmp_path, env=environment)
    assert str(tmp_path / "venv") in printed
    package = Path(printed.split()[1]).parent
    for name in ("py.typed", "_core.pyi", "metrics.pyi", "compat/sklearn.py", "compat/openood.py"):
        assert (package / name).is_file(), name
    listed = run(python, "-m", "pip", "show", "openworld", cwd=tmp_path, env=environment)
    assert f"Version: {printed.split()[0]}" in listed
