"""Builds the extension openworld._core with CMake; everything else stands in pyproject.toml."""

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


class CMakeBuild(build_ext):
    def build_extension(self, ext: Extension) -> None:
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        build = Path(self.build_temp).resolve() / "cmake"
        configure = ["cmake", "-S", str(ROOT), "-B", str(build)]
        if shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        configure += [
            f"-DCMAKE_BUILD_TYPE={os.environ.get('CMAKE_BUILD_TYPE', 'Release')}",
            "-DOPENWORLD_TESTS=OFF",
            "-DOPENWORLD_BENCH=OFF",
            "-DOPENWORLD_MODELS=OFF",
            "-DOPENWORLD_PYTHON=ON",
            f"-DPython_EXECUTABLE={sys.executable}",
            *pybind11_options(),
        ]
        subprocess.run(configure, check=True)
        subprocess.run(
            ["cmake", "--build", str(build), "--target", "openworld_python"], check=True
        )
        built = list((build / "python" / "openworld").glob(f"_core*{target.suffix}"))
        if len(built) != 1:
            raise SystemExit(f"expected one _core in {build}, got {built}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built[0], target)


setup(
    version=version(),
    ext_modules=[Extension("openworld._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
