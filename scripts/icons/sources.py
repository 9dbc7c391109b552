"""Writes data/icons-sources.md: every set in use, who made it, under which licence."""

from collections import Counter

from icons.packages import PACKAGES
from icons.sets import HELD_OUT

LICENCES = {
    "Apache-2.0": ("Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    "BSD-3-Clause": ("BSD 3-Clause License", "https://opensource.org/license/bsd-3-clause"),
    "CC-BY-3.0": ("Creative Commons Attribution 3.0", "https://creativecommons.org/licenses/by/3.0/"),
    "CC-BY-4.0": ("Creative Commons Attribution 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "CC0-1.0": ("Creative Commons Zero 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "ISC": ("ISC License", "https://opensource.org/license/isc-license-txt"),
    "MIT": ("MIT License", "https://opensource.org/license/mit"),
    "OFL-1.1": ("SIL Open Font License 1.1", "https://openfontlicense.org/"),
    "Unlicense": ("The Unlicense", "https://unlicense.org/"),
}

HEAD = """# Sources of the icons

Written by `scripts/make-icons --write-sources`; [docs/icons.md](../docs/icons.md) says how the icons are
chosen, named and drawn.

The corpus for pre-training has pictures made from the sets of the first table. None of these pictures is
in this repository. The world [Icons](../docs/icons.md#the-world-icons), `data/icons.npz`, consists of pictures
made from the sets of the second table.

**Changes.** Icons were rendered with resvg, cropped, scaled to 48 x 48 pixels and reduced to 16 greys or to few
colours; many were redrawn as strokes of a pen. The names were cleaned and extended by rules.

**Attribution.** The sets under CC BY and the others are the work of the authors named here; the authors do not
endorse this project. Logos, flags and animations are not used.

All sets were taken from the npm package {icons}, which collects them. Also used:
{others}. WordNet 3.1 Copyright 2011 by Princeton University; its licence is in the package.
"""

MIT = """## Notice of the MIT License

For the sets under the MIT License, copyright of their authors:

> Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
> documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
> rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
> persons to whom the Software is furnished to do so, subject to the following conditions:
>
> The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
> Software.
>
> THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
> WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
> COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
> OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def link(text, url):
    return f"[{text}]({url})" if url else text


def table(sets, counts):
    """A row for each set; `counts` is of its icons in use."""
    lines = ["| set | title | author | licence | icons |", "|---|---|---|---|---|"]
    for prefix in sorted(counts):
        icon_set = sets[prefix]
        lines.append(f"| `{prefix}` | {icon_set.title} | {link(icon_set.author, icon_set.author_url)} "
                     f"| {link(icon_set.licence, icon_set.licence_url)} | {counts[prefix]:,} |")
    return "\n".join(lines)


def totals(sets, counts):
    icons, of_licence = Counter(), Counter()
    for prefix, count in counts.items():
        icons[sets[prefix].licence] += count
        of_licence[sets[prefix].licence] += 1
    lines = ["| licence | sets | icons |", "|---|---|---|"]
    for licence in sorted(icons, key=lambda name: (-icons[name], name)):
        lines.append(f"| {link(*LICENCES[licence])} | {of_licence[licence]} | {icons[licence]:,} |")
    lines.append(f"| together | {sum(of_licence.values())} | {sum(icons.values()):,} |")
    return "\n".join(lines)


def page(sets, skipped, corpus, world):
    """`corpus` and `world` are {prefix: icons in use}."""
    names = {key: f"`{package}`" for key, (package, _, _) in PACKAGES.items()}
    others = ", ".join(names[key] for key in sorted(names) if key != "icons")
    parts = [HEAD.format(icons=names["icons"], others=others)]
    parts.append("## Licences\n\nOf the sets that pre-training sees:\n\n" + totals(sets, corpus))
    parts.append("Of the sets of the world:\n\n" + totals(sets, world))
    parts.append("## Sets that pre-training sees\n\n" + table(sets, corpus))
    styles = ", ".join(f"{style} ({', '.join(prefixes)})" for style, prefixes in HELD_OUT.items())
    parts.append(f"## Sets that are held out\n\nBy style: {styles}.\n\n" + table(sets, world))
    reasons = "\n".join(f"- {reason}: {', '.join(sorted(prefixes))}"
                        for reason, prefixes in sorted(skipped.items()))
    parts.append("## Sets that are not used\n\n" + reasons)
    parts.append(MIT)
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
