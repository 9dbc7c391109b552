"""`scripts/public-headers` on small trees: what is listed, and that the check fails when it should."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "public-headers"
GOOD = {
    "openworld/base.h": '#include "openworld/base/error.h"\n#include "openworld/base/version.h"\n',
    "openworld/base/error.h": "#include <string>\n",
    "openworld/base/sort.h": "",
    "openworld/vlm.h": '#include "openworld/vlm/clip.h"\n',
    "openworld/vlm/clip.h": '#include <ATen/core/Tensor.h>\n#include "openworld/base/error.h"\n',
    "openworld/vlm/tower.h": "",
    "openworld/learners.h": '#include "openworld/learners/losses.h"\n#include "openworld/vlm/clip.h"\n',
    "openworld/learners/losses.h": "",
    "openworld/tuning.h": "",
}


def write_tree(folder, changes):
    for name, text in (GOOD | changes).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "cmake").mkdir()
    return folder


def run(*args):
    done = subprocess.run([SCRIPT, *map(str, args)], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def tree(tmp_path):
    """A good one, with its list."""
    write_tree(tmp_path, {})
    assert run("--root", tmp_path) == (0, ["2 headers, and 5 that need libtorch"])
    return tmp_path


def test_lists(tree):
    assert run("--root", tree, "--check") == (0, ["2 headers, and 5 that need libtorch"])
    core, models = (tree / "cmake/public_headers.cmake").read_text().split("set(")[1:]
    assert core.split() == ["OPENWORLD_PUBLIC_HEADERS", "openworld/base.h", "openworld/base/error.h", ")"]
    assert models.split() == ["OPENWORLD_MODEL_HEADERS", "openworld/learners.h", "openworld/learners/losses.h",
                              "openworld/tuning.h", "openworld/vlm.h", "openworld/vlm/clip.h", ")"]


@pytest.mark.parametrize("name, text, says", [
    ("openworld/base/error.h", '#include "openworld/base/sort.h"\n',
     "openworld/base/sort.h: public headers include it, but cmake/public_headers.cmake does not list it"),
    ("openworld/learners.h", "",
     "openworld/learners/losses.h: cmake/public_headers.cmake lists it, but no public header includes it"),
    ("openworld/base.h", '#include "openworld/vlm/clip.h"\n',
     "openworld/vlm/clip.h: includes ATen/core/Tensor.h, but is public without libtorch"),
    ("openworld/vlm.h", "#include <torch/torch.h>\n",
     "openworld/vlm.h: includes torch/torch.h; public headers include only ATen/core/Tensor.h of libtorch"),
    ("openworld/vlm/clip.h", '#include "openworld/vlm/gone.h"\n',
     "openworld/vlm/gone.h: does not exist, but a public header includes it"),
])
def test_check_fails(tree, name, text, says):
    (tree / name).write_text(text)
    code, lines = run("--root", tree, "--check")
    assert code == 1 and says in lines


def test_a_header_that_moved_to_the_other_list(tree):
    (tree / "openworld/base.h").write_text(GOOD["openworld/base.h"] + '#include "openworld/tuning.h"\n')
    code, lines = run("--root", tree, "--check")
    assert code == 1 and lines[0] == "cmake/public_headers.cmake: lists headers in the wrong place"
