"""The how-tos and the C++ page, followed line by line: files are written, commands run, and outputs compared.

In a block ```console a line that starts with "$ " is a command, and what follows is its output, in which "..." stands
for anything. A block ```LANGUAGE file=NAME is written to NAME. C++ is what tests/installed builds and runs.

Where a model is tuned, rounding depends on the processor and an image more or less may be right: numbers are compared
with a tolerance there, and the marks of the best and of what is significant are not. Times are never compared.
"""

import doctest
import os
import re
import subprocess
import sys

import pytest
from pages import BIN, HAS_MODELS, ROOT, blocks_of

HOWTOS = sorted((ROOT / "docs" / "howto").glob("*.md"))
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
TIME = re.compile(r"\d+\.\d s,")
POINTS, SHARE = 6, 0.1  # of a percentage, and of anything larger
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
TUNING = re.compile(r"openworld tune ")
MODEL_COMMANDS = re.compile(r"openworld (tune|predict|zeroshot|encode|pretrain|ls learners|help learner)|--run ")


def commands_of(text):
    """(command, output) of a console block; a command goes on after a backslash."""
    pieces = re.split(r"^\$ ", text, flags=re.M)
    assert pieces[0].strip() == "", f"expected a command first, got {pieces[0]!r}"
    for piece in pieces[1:]:
        match = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", piece, re.S)
        yield match[1], match[2]


def differs(expected, printed, is_exact):
    """How the output differs from what a page says; "" if it does not."""
    checker = doctest.OutputChecker()
    timeless = [TIME.sub("", text) for text in (expected, printed)]
    want, got = ((expected, printed) if is_exact else
                 (NUMBER.sub("#", text).replace("*", "") for text in timeless))
    if not checker.check_output(want, got, FLAGS):
        return checker.output_difference(doctest.Example("", want), got, FLAGS)
    if is_exact or "..." in expected:
        return ""
    numbers = ([float(number) for number in NUMBER.findall(text)] for text in timeless)
    far = [(a, b) for a, b in zip(*numbers) if abs(a - b) > max(POINTS, SHARE * abs(a))]
    return f"the page says {far[0][0]}, the program {far[0][1]}\n{printed}" if far else ""


def environment(folder):
    """Where `openworld` and `python3` are those under test, and the user's own folders are not touched."""
    tools = folder / ".bin"
    tools.mkdir()
    (tools / "python3").symlink_to(sys.executable)
    return {**os.environ, "PATH": f"{BIN.parent}:{tools}:{os.environ['PATH']}", "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / ".cache"), "COLUMNS": "80"}


@pytest.mark.parametrize("page", HOWTOS, ids=lambda page: page.stem)
def test_commands_print_what_the_page_says(page, tmp_path):
    blocks = blocks_of(page)
    console = [block for block in blocks if block.language == "console"]
    assert console, f"{page} has no ```console block"
    if not HAS_MODELS and any(MODEL_COMMANDS.search(block.text) for block in console):
        pytest.skip("a build without libtorch")
    variables = environment(tmp_path)
    is_exact = not any(TUNING.search(block.text) for block in console)
    for block in blocks:
        if block.file:
            (tmp_path / block.file).write_text(block.text)
        if block.language != "console":
            continue
        for command, expected in commands_of(block.text):
            done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=variables, text=True, timeout=120,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            place = f"{page.name}:{block.line}: $ {command}\n"
            assert done.returncode == 0, place + done.stdout
            difference = differs(expected, done.stdout, is_exact)
            assert not difference, place + difference


@pytest.mark.parametrize("expected, printed, is_exact, is_same", [
    ("auroc 92.47  ...\n", "auroc 92.47 x\n", True, True),
    ("auroc 92.47\n", "auroc 92.48\n", True, False),
    ("run: 40 steps, 0.5 s, acc 68.33\n", "run: 40 steps, 30.1 s, acc 70.00*\n", False, True),
    ("acc 68.33\n", "acc 60.00\n", False, False),
    ("acc 68.33\n", "auc 68.33\n", False, False),
    ("acc 68.33\n", "acc 68.33 1\n", False, False),
])
def test_the_comparison_itself(expected, printed, is_exact, is_same):
    assert (differs(expected, printed, is_exact) == "") == is_same


@pytest.mark.parametrize("page", [*HOWTOS, ROOT / "docs" / "cpp.md"], ids=lambda page: page.stem)
def test_programs_are_those_that_are_built(page):
    """A block of C++ or CMake after a link to a file is that file or parts of it, with "..." between them."""
    text = page.read_text()
    linked = re.findall(r"\]\(([^()\s]+\.(?:cc|h|txt))\)[^\n]*\n\n```(?:cpp|cmake)\n(.*?)^```$", text, re.M | re.S)
    programs = re.findall(r"^```(?:cpp|cmake)$", text, re.M)
    assert len(linked) == len(programs), f"{page}: a program without a link to its file"
    for name, block in linked:
        rest = (page.parent / name).read_text()
        for part in re.split(r"^ *\.\.\.\n", block, flags=re.M):
            _, found, rest = rest.partition(part.strip("\n"))
            assert found, f"{page}: {name} has another text than\n{part}"
