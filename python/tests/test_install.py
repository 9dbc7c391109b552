"""What pip installs works: source archive, offline build, new environment, import, smoke test.

Compiled is what evaluates; its build stays in the build tree, so that a second run compiles only what changed.
With models, whose libraries take many minutes to compile, the modules of the build tree are installed.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest
from models import needs_models

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

WITHOUT_MODELS = """
import openworld
try:
    openworld.load_model("pocket")
except ImportError as error:
    print(error)
"""

WITH_MODELS = """
import numpy as np, openworld
model = openworld.load_model("pocket")
assert model.encode_texts("a cat").shape == (1, model.width)
assert model.encode_images(np.zeros((20, 20, 3), np.uint8)).shape == (1, model.width)
answers = openworld.zeroshot(model, "doodles:shapes", no_cache=True, split="test")
assert 0.3 < answers.top1 <= 1, answers  # three times chance
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


@pytest.fixture(scope="module")
def sources():
    build = os.environ.get("OPENWORLD_BUILD_DIR")
    if build is None:
        pytest.skip("OPENWORLD_BUILD_DIR is not set; run it as ctest -R python.install")
    return unpack_sources(Path(build) / "python_install")


class Installed:
    """The package in a new environment."""

    def __init__(self, sources, folder, **variables):
        self.folder = folder
        # Debian's environment is externally managed; a new one can see its packages.
        venv.create(folder / "venv", system_site_packages=True, with_pip=False, symlinks=True)
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}
        environment.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", "2")
        self.environment = {**environment, **variables}
        for collected in (sources / "build").glob("lib*"):  # by an earlier installation
            shutil.rmtree(collected)
        self.python("-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps",
                    "--disable-pip-version-check", ".", cwd=sources)  # fmt: skip
        version, place = self.python("-c", SMOKE).split()
        assert str(folder / "venv") in place
        assert f"Version: {version}" in self.python("-m", "pip", "show", "openworld")
        self.package = Path(place).parent
        for name in ("py.typed", "_core.pyi", "_models.pyi", "_jobs.pyi", "metrics.pyi", "compat/sklearn.py",
                     "compat/openood.py", "data/doodles.npz", "data/pocket/model.safetensors"):  # fmt: skip
            assert (self.package / name).is_file(), name

    def command(self, *arguments):
        """What ``openworld`` of the environment prints."""
        return run(str(self.folder / "venv" / "bin" / "openworld"), *arguments, cwd=self.folder, env=self.environment)

    def python(self, *arguments, cwd=None):
        python = str(self.folder / "venv" / "bin" / "python")
        return run(python, *arguments, cwd=cwd or self.folder, env=self.environment)


def test_compiled_without_models(sources, tmp_path):
    # What is installed matters here, not how fast it is.
    installed = Installed(
        sources, tmp_path, OPENWORLD_MODELS="OFF", OPENWORLD_COMMAND="OFF", CMAKE_BUILD_TYPE="None"
    )
    with pytest.raises(AssertionError, match="installed without the command"):
        installed.command("--version")
    assert not list(installed.package.glob("_models*.so"))
    assert "without models" in installed.python("-c", WITHOUT_MODELS)


@needs_models
def test_with_models(sources, tmp_path):
    installed = Installed(sources, tmp_path, OPENWORLD_CMAKE_BUILD=os.environ["OPENWORLD_BUILD_DIR"])
    installed.python("-c", WITH_MODELS)
    version = installed.python("-c", "import openworld; print(openworld.__version__)").strip()
    assert installed.command("--version") == f"openworld {version}\n"
    installed.command("example", "examples")
    assert "AUROC" in installed.command("eval", "examples/gmop.npz")
    # The bundled worlds and the library of models lie in the package.
    assert "doodles:animals" in installed.command("worlds")
    assert "pocket" in installed.command("zeroshot", "--model", "pocket", "--data", "doodles:shapes", "--split", "test",
                                         "--no-cache", "--json")  # fmt: skip
