"""Logos whose name is also that of a thing: an "apple" that looks like the logo is a logo.

Logos are only compared with; none goes into the corpus.
"""

from collections import defaultdict

import numpy as np

from icons import pictures
from icons.catalog import read_set, visible
from icons.drawing import draw
from icons.names import split


LOGO_SETS = 4  # that have a logo of the name


def draw_logos(folders, prefixes, catalog, processes):
    """{name: signatures of the logos of that name}, for names of the catalog that many sets of logos have."""
    names = {icon.name.text for icon in catalog.icons}
    found = defaultdict(dict)
    for prefix in prefixes:
        for identifier in visible(read_set(folders["icons"], prefix)):
            name = " ".join(split(identifier))
            if name in names:
                found[name].setdefault(prefix, []).append(identifier)
    jobs = [(name, {"set": prefix, "icon": identifier}) for name in sorted(found)
            if len(found[name]) >= LOGO_SETS
            for prefix, identifiers in found[name].items() for identifier in identifiers]
    jobs.sort(key=lambda job: job[1]["set"])
    drawn, pixels = draw(folders, [job for _, job in jobs], processes)
    drawn &= pictures.is_usable(pixels)
    rows = pictures.signatures(pixels)
    of_name = defaultdict(list)
    for i in np.flatnonzero(drawn):
        of_name[jobs[i][0]].append(i)
    return {name: rows[indices] for name, indices in of_name.items()}
