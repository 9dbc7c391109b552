"""The extension with libtorch, imported by the first call that needs it."""

from __future__ import annotations

import importlib
import os
from typing import Any

from . import _core

# The bundled model and worlds.
DATA_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def models() -> Any:
    """openworld._models with the settings of this process. ImportError if it was not built."""
    # libgomp reads it when it is loaded: its idle threads would spin on the cores that BLAS needs.
    waiting = "OMP_WAIT_POLICY"
    unset = waiting not in os.environ
    if unset:
        os.environ[waiting] = "passive"
    try:
        module = importlib.import_module("openworld._models")
    except ModuleNotFoundError as error:
        if error.name != "openworld._models":
            raise
        raise ImportError(
            "openworld was built without models; build it where CMake finds libtorch, "
            "with -DOPENWORLD_MODELS=ON"
        ) from None
    finally:
        if unset:
            del os.environ[waiting]
    module.set_data_folder(DATA_FOLDER)
    module.set_memory_limit(_core.memory_limit())
    return module
