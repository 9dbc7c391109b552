"""docs/cli.md and the tables of options are what the program says, and the check notices when they are not."""

import re
import shutil
import subprocess

import pytest
from pages import BIN, ROOT, needs_models

SCRIPT = ROOT / "scripts" / "cli-reference"
UP_TO_DATE = f"{1 + len(list((ROOT / 'docs' / 'learners').glob('*.md')))} pages are up to date\n"


def run(*words):
    done = subprocess.run([SCRIPT, "--program", BIN, *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def tree(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    return tmp_path


@needs_models
def test_pages_are_up_to_date():
    assert run("--check") == (0, UP_TO_DATE)


@needs_models
@pytest.mark.parametrize("page, text, other", [
    ("cli.md", "  --metrics", "  --metrix"),
    ("learners/gmop.md", "| `alpha` | `0.5` |", "| `alpha` | `0.4` |"),
])
def test_check_notices_a_difference(tree, page, text, other):
    path = tree / "docs" / page
    before = path.read_text()
    assert text in before
    path.write_text(before.replace(text, other))
    code, out = run("--root", tree, "--check")
    assert (code, out) == (1, f"docs/{page}: is out of date; scripts/cli-reference writes it\n")
    assert run("--root", tree) == (0, UP_TO_DATE)
    assert path.read_text() == before


@needs_models
def test_a_learner_needs_a_page(tree):
    (tree / "docs" / "learners" / "rpo.md").unlink()
    code, out = run("--root", tree, "--check")
    assert code == 1 and out.startswith("docs/learners/rpo.md: expected one place for the options")


def test_the_cpp_page_lists_every_public_header():
    page = (ROOT / "docs" / "cpp.md").read_text()
    rows = "\n".join(re.findall(r"^\| `openworld/.*$", page, re.M))
    layers = {path.stem for path in (ROOT / "openworld").glob("*.h")}
    assert set(re.findall(r"`openworld/(\w+)\.h`", rows)) == layers
    assert set(re.findall(r"`openworld::(\w+)`", rows)) == layers
