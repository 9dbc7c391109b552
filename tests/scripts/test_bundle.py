"""openworld/report/web/bundle.py, which makes one script of the modules of report pages."""

import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[2] / "openworld" / "report" / "web"
sys.path.insert(0, str(WEB))

from bundle import BundleError, bundle, literal, style  # noqa: E402


def write(folder, **modules):
    for name, text in modules.items():
        (folder / f"{name}.mjs").write_text(text)
    return folder


def test_modules_keep_their_names_apart(tmp_path):
    write(tmp_path, app='import { twice } from "./a.mjs";\nimport { A, B } from "./b.mjs";\nconst own = 3;\n'
          "console.log(twice(A + B) + own);\n",
          a='// a comment\nimport { B } from "./b.mjs";\nconst own = 2 - B + B;\nexport function twice(x) { return own * x; }\n',
          b="export const A = 20, B = 5;\nconst own = 9;\n")
    script = bundle(tmp_path, "app")
    assert script.index("module_b =") < script.index("module_a =") < script.index("module_app =")
    assert "comment" not in script and "import" not in script and "export" not in script
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == "53\n"


@pytest.mark.parametrize("modules, says", [
    ({"app": 'import { x } from "./app.mjs";\n'}, "in a circle: app app"),
    ({"app": 'import x from "./a.mjs";\n'}, "expected import { a, b }"),
    ({"app": "export default 3;\n"}, "expected export function, class or const"),
    ({"app": 'const x = "</script>";\n'}, "ends a script"),
])
def test_refusals(tmp_path, modules, says):
    with pytest.raises(BundleError, match=says):
        bundle(write(tmp_path, **modules), "app")


def test_the_page(tmp_path):
    """The whole script is one that node can parse, and what is written is C++ that holds it."""
    script = bundle(WEB, "app")
    (tmp_path / "page.js").write_text(script)
    subprocess.run(["node", "--check", tmp_path / "page.js"], check=True)
    for name in WEB.glob("*.mjs"):
        assert (f"module_{name.stem} =" in script) == (".test" not in name.name and name.stem != "test_runs")
    assert "/*" not in style(WEB)
    out = tmp_path / "assets.cc"
    subprocess.run([sys.executable, WEB / "bundle.py", out], check=True)
    pieces = out.read_text().split('R"page(')[1:]
    assert "".join(piece.split(')page"')[0] for piece in pieces) == style(WEB) + script
    assert literal("") == ""
