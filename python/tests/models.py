"""What the tests of models share: a folder of coloured squares, the command, and what both leave."""

import importlib.util
import json
import os
import subprocess

import numpy as np
import pytest

COMMAND = os.environ.get("OPENWORLD_BIN", "")
HAS_MODELS = importlib.util.find_spec("openworld._models") is not None
needs_models = pytest.mark.skipif(not HAS_MODELS, reason="built without models")

COLOURS = {"blue": (40, 60, 220), "green": (30, 160, 60), "pink": (240, 150, 190), "white": (245, 245, 245)}


def square(name, number):
    random = np.random.default_rng([number, *COLOURS[name]])
    pixels = np.array(COLOURS[name]) + random.normal(0, 25, (40, 48, 3))
    return pixels.clip(0, 255).astype(np.uint8)


def write_squares(folder, splits):
    """folder/train/blue/0.png and so on; `splits` says how many of each class."""
    from PIL import Image

    for first, (split, count) in enumerate(splits.items()):
        for name in COLOURS:
            (folder / split / name).mkdir(parents=True)
            for i in range(count):
                Image.fromarray(square(name, 100 * first + i)).save(folder / split / name / f"{i}.png")
    return folder


def command(*arguments, code=0, **options):
    if not COMMAND:
        pytest.skip("OPENWORLD_BIN is not set; run it as ctest -R python")
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, **options)
    assert done.returncode == code, done
    return done


def command_json(*arguments, **options):
    """What the command prints with --json, without what it cost."""
    result = json.loads(command(*arguments, "--json", **options).stdout)
    result.pop("cost")
    return result


def error_of(*arguments):
    """The one line of a refusal, without the name of the program."""
    line = command(*arguments, code=2).stderr.strip().splitlines()[-1]
    return line[line.index("[") :]
