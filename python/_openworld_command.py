"""The command ``openworld`` as pip installs it: runs the program in the package.

Apart from the package, which would load NumPy first.
"""

import importlib.util
import os
import sys


def main() -> None:
    spec = importlib.util.find_spec("openworld")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        program = os.path.join(folder, "bin", "openworld")
        if os.path.exists(program):
            os.environ.setdefault("OPENWORLD_DATA", os.path.join(folder, "data"))
            os.execv(program, [program, *sys.argv[1:]])
    sys.exit("openworld: installed without the command; build it with OPENWORLD_COMMAND=ON")
