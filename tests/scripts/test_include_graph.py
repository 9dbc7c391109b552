"""`scripts/include-graph` on small trees: what is drawn, and that the check fails when it should."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "include-graph"
GOOD = {
    "docs/design.md": "# Design\n\n```layers\nbase:\nio: base\nvlm: io base\ncli:\n"
                      "cli/models: cli vlm\n```\n",
    "openworld/base/CMakeLists.txt": "",
    "openworld/base/error.h": "#include <string>\n",
    "openworld/io/CMakeLists.txt": "",
    "openworld/io/npy.h": '#pragma once\n#include "openworld/base/error.h"\n',
    "openworld/io/deep/pickle.cc": '#include "openworld/io/npy.h"\n#include "openworld/base/error.h"\n',
    "openworld/vlm/CMakeLists.txt": "",
    "openworld/vlm/tower.cc": '#include <ATen/ops/cat.h>\n#include "openworld/io/npy.h"\n',
    "openworld/cli/CMakeLists.txt": "",
    "openworld/cli/command.h": "",
    "openworld/cli/models/CMakeLists.txt": "",
    "openworld/cli/models/run.cc": '#include "openworld/cli/command.h"\n'
                                   '#include "openworld/vlm/tower.h"\n#include <torch/torch.h>\n',
    "benchmarks/clip.cc": "#include <torch/torch.h>\n",
    "tests/installed/models/encode.cc": "#include <ATen/ops/cat.h>\n",
}


def write_tree(folder, changes):
    for name, text in (GOOD | changes).items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    return folder


def run(*args):
    done = subprocess.run([SCRIPT, *map(str, args)], capture_output=True, text=True)
    assert done.stderr == "" or done.returncode == 1
    return done.returncode, done.stdout + done.stderr


def test_a_good_tree(tmp_path):
    code, out = run("--root", write_tree(tmp_path, {}), "--check")
    assert (code, out) == (0, "all includes are as docs/design.md says\n")


def test_table(tmp_path):
    code, out = run("--root", write_tree(tmp_path, {}))
    assert code == 0
    assert [line.split(maxsplit=1) for line in out.splitlines()] == [
        ["base"], ["cli"], ["io", "base 2"], ["vlm", "io 1"], ["cli/models", "cli 1, vlm 1"]]


def test_dot(tmp_path):
    code, out = run("--root", write_tree(tmp_path, {}), "--dot")
    assert code == 0
    assert out.startswith("digraph openworld {\n") and out.endswith("}\n")
    assert [line for line in out.splitlines() if "->" in line] == [
        '  "cli/models" -> "cli" [label=1];', '  "cli/models" -> "vlm" [label=1];',
        '  "io" -> "base" [label=2];', '  "vlm" -> "io" [label=1];']


BLOCK = GOOD["docs/design.md"]


@pytest.mark.parametrize("changes, says", [
    ({"openworld/base/error.cc": '\n#include "openworld/io/npy.h"\n'},
     ["openworld/base/error.cc:2: base includes io, which docs/design.md does not allow"]),
    ({"openworld/base/base_test.cc": '#  include <openworld/io/npy.h>\n'},
     ["openworld/base/base_test.cc:1: base includes io, which docs/design.md does not allow"]),
    ({"openworld/cli/command.h": '#include "openworld/cli/models/run.h"\n'},
     ["openworld/cli/command.h:1: cli includes cli/models, which docs/design.md does not allow"]),
    ({"openworld/io/deep/pickle.cc": '#include "openworld/vlm/tower.h"\n'},
     ["openworld/io/deep/pickle.cc:1: io includes vlm, which docs/design.md does not allow"]),
    ({"docs/design.md": BLOCK.replace("cli:\n", "cli:\nruns: io\n")},
     ["docs/design.md: lists runs, but openworld/runs has no CMakeLists.txt"]),
    ({"docs/design.md": BLOCK.replace("base:\n", "base: stats\n")},
     ["docs/design.md: lists stats, but openworld/stats has no CMakeLists.txt"]),
    ({"openworld/runs/CMakeLists.txt": ""},
     ["openworld/runs: is a layer that docs/design.md does not list"]),
    ({"docs/design.md": BLOCK.replace("base:\n", "base: vlm\n")},
     ["docs/design.md: the layers base -> vlm -> base form a circle"]),
    ({"docs/design.md": "# Design\n"}, ["docs/design.md: has no block fenced by ```layers"]),
    ({"openworld/io/npy.h": "#include <c10/core/Device.h>\n"},
     ["openworld/io/npy.h:1: includes c10/core/Device.h; only cli/models, learners, osr, pretrain, tuning, vlm "
      "and benchmarks may see libtorch"]),
    ({"openworld/cli/command.h": "#include <torch/torch.h>\n"},
     ["openworld/cli/command.h:1: includes torch/torch.h; only cli/models, learners, osr, pretrain, tuning, vlm "
      "and benchmarks may see libtorch"]),
    ({"python/src/module.cc": "\n\n#include <ATen/ATen.h>\n"},
     ["python/src/module.cc:3: includes ATen/ATen.h; only cli/models, learners, osr, pretrain, tuning, vlm and "
      "benchmarks may see libtorch"]),
    ({"openworld/base/error.h": '#include "openworld/vlm/a.h"\n#include "openworld/io/b.h"\n'},
     ["openworld/base/error.h:2: base includes io, which docs/design.md does not allow",
      "openworld/base/error.h:1: base includes vlm, which docs/design.md does not allow"]),
])
def test_what_is_wrong_is_said(tmp_path, changes, says):
    code, out = run("--root", write_tree(tmp_path, changes), "--check")
    assert (code, out.splitlines()) == (1, says)


@pytest.mark.parametrize("line", ["io base", "base:"])
def test_an_invalid_block(tmp_path, line):
    page = BLOCK.replace("cli:\n", line + "\n")
    code, out = run("--root", write_tree(tmp_path, {"docs/design.md": page}), "--check")
    assert code == 1 and f"the line '{line}' is invalid" in out
