#!/usr/bin/env python3
"""Writes the style and the script of report pages as a C++ file.

usage: bundle.py OUT.cc

The modules here import each other by name; each becomes a function that returns what it exports, in the order in which they need
each other, so that the page has one inline script and browsers load no module from a file, which they refuse.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.mjs";$')
EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)")
# More than one name in a statement: "export const A = 0, B = 1;".
MORE = re.compile(r", (\w+) = ")


class BundleError(Exception):
    pass


def exported(line: str) -> "list[str]":
    found = EXPORT.match(line)
    if not found:
        raise BundleError(f"{line!r}: expected export function, class or const")
    names = [found.group(1)]
    if line.startswith("export const") and line.endswith(";") and "(" not in line and "{" not in line:
        names += MORE.findall(line)
    return names


def wrapped(name: str, text: str) -> "tuple[list[str], str]":
    """The modules that a module needs, and the module as a function that is called."""
    needs, names, body = [], [], []
    for line in text.splitlines():
        if line.startswith("import "):
            found = IMPORT.match(line)
            if not found:
                raise BundleError(f'{name}: {line!r}: expected import {{ a, b }} from "./x.mjs";')
            needs.append(found.group(2))
            body.append(f"const {{ {found.group(1)} }} = module_{found.group(2)};")
        elif line.startswith("export "):
            names += exported(line)
            body.append(line[len("export "):])
        elif line.strip() and not line.lstrip().startswith("//"):
            body.append(line)
    inner = "\n".join(body)
    return needs, f"const module_{name} = (() => {{\n{inner}\nreturn {{ {', '.join(names)} }};\n}})();\n"


def bundle(folder: Path, first: str) -> str:
    done, open_now, parts = set(), [], []

    def add(name: str) -> None:
        if name in done:
            return
        if name in open_now:
            raise BundleError(f"modules need each other in a circle: {' '.join([*open_now, name])}")
        open_now.append(name)
        needs, text = wrapped(name, (folder / f"{name}.mjs").read_text(encoding="utf-8"))
        for need in needs:
            add(need)
        open_now.pop()
        done.add(name)
        parts.append(text)

    add(first)
    script = '"use strict";\n' + "".join(parts)
    if "</script" in script.lower() or "<!--" in script:
        raise BundleError("the script holds what ends a script in HTML")
    return script


def style(folder: Path) -> str:
    text = re.sub(r"/\*.*?\*/", "", (folder / "page.css").read_text(encoding="utf-8"), flags=re.S)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip()) + "\n"


def literal(text: str) -> str:
    """A C++ string; compilers limit the length of one literal, not of several in a row."""
    size = 8000
    return "\n".join(f'    R"page({text[i:i + size]})page"' for i in range(0, len(text), size))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        script = bundle(HERE, "app")
    except (BundleError, OSError) as error:
        print(f"bundle.py: {error}", file=sys.stderr)
        return 1
    Path(sys.argv[1]).write_text(
        '// Written by openworld/report/web/bundle.py.\n#include "openworld/report/web_assets.h"\n\nnamespace openworld {\n\n'
        f"const std::string_view kPageStyle =\n{literal(style(HERE))};\n\n"
        f"const std::string_view kPageScript =\n{literal(script)};\n\n}}  // namespace openworld\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
