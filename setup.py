"""Builds the extensions and the command with CMake; everything else stands in pyproject.toml.

OPENWORLD_MODELS=OFF in the environment leaves out openworld._models, and with it libtorch: what is installed
evaluates, but loads no model. OPENWORLD_COMMAND=OFF leaves out the command. OPENWORLD_CMAKE_BUILD names a CMake build of these sources for this Python, whose
modules and command are installed instead of compiling them again.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text()
    found = re.search(r"project\(openworld VERSION ([0-9.]+)", text)
    if not found:
        raise SystemExit("CMakeLists.txt has no project(openworld VERSION ...)")
    return found.group(1)


def pybind11_options() -> "list[str]":
    """Where pip put pybind11, if it did; a system package is found without help."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


def is_on(variable: str) -> bool:
    return os.environ.get(variable, "ON").upper() not in ("0", "OFF", "NO", "FALSE")


WITH_MODELS = is_on("OPENWORLD_MODELS")
# By module: the target that builds it.
EXTENSIONS = {"openworld._core": "openworld_python"}
if WITH_MODELS:
    EXTENSIONS["openworld._models"] = "openworld_python_models"
# By file of the build, and of the package: the target that builds it. The program opens the library of models in
# ../lib/openworld beside its own folder.
PROGRAM = {}
if is_on("OPENWORLD_COMMAND"):
    PROGRAM["bin/openworld"] = "openworld"
    if WITH_MODELS:
        PROGRAM["lib/openworld/libopenworld_models.so"] = "openworld_models"


class CMakeBuild(build_ext):
    def run(self) -> None:
        built = os.environ.get("OPENWORLD_CMAKE_BUILD")
        self.cmake = Path(built or Path(self.build_temp) / "cmake").resolve()
        if not built:
            self.compile()
        super().run()

    def compile(self) -> None:
        configure = ["cmake", "-S", str(ROOT), "-B", str(self.cmake)]
        if shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        configure += [
            f"-DCMAKE_BUILD_TYPE={os.environ.get('CMAKE_BUILD_TYPE', 'Release')}",
            "-DOPENWORLD_TESTS=OFF",
            "-DOPENWORLD_BENCH=OFF",
            f"-DOPENWORLD_MODELS={'ON' if WITH_MODELS else 'OFF'}",
            "-DOPENWORLD_PYTHON=ON",
            f"-DPython_EXECUTABLE={sys.executable}",
            *pybind11_options(),
        ]
        subprocess.run(configure, check=True)
        subprocess.run(
            ["cmake", "--build", str(self.cmake), "--target", *EXTENSIONS.values(), *PROGRAM.values()],
            check=True,
        )

    def build_extension(self, ext: Extension) -> None:
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        name = ext.name.rpartition(".")[2]
        built = list((self.cmake / "python" / "openworld").glob(f"{name}.*{target.suffix}"))
        if len(built) != 1:
            raise SystemExit(f"expected one {name} in {self.cmake}, got {built}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built[0], target)
        for file in PROGRAM:
            installed = target.parent / file
            installed.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.cmake / file, installed)
        # The bundled model and worlds, which the package looks for beside itself.
        shutil.copytree(ROOT / "data", target.parent / "data", dirs_exist_ok=True)


setup(
    version=version(),
    ext_modules=[Extension(name, sources=[]) for name in EXTENSIONS],
    cmdclass={"build_ext": CMakeBuild},
)
