"""The corpus for pre-training: which icons, in which sources, and the files that `openworld pretrain` reads."""

import json
from collections import Counter, defaultdict

import numpy as np

from icons import pictures, weights
from icons.captions import Captioner
from icons.dice import Dice
from icons.drawing import draw, job_of
from icons.npz import write_npz

MOST_OF_SET = 5  # icons of a name from one set
MOST_OF_NAME = 120  # icons of a name from all sets
# Pictures are alike if less than so many percent of their edges differ. Measured between sets that continue
# one another the median is 0 to 30, between two makers' pictures of one thing 45 to 65, rarely below 20.
COPY = 18  # icons of one name in one source
HELD_OUT_COPY = 20  # icons of sets that are seen and held out, if they share a word
LOGO = 35  # an icon and logos of its name
# Drawings by hand.
DRAWINGS_OF_ICON = 3
MOST_DRAWINGS_OF_NAME = 30
LEVELS_OF_DRAWINGS = 8  # of grey: a fifth smaller than with 16


def spread(icons, key):
    """Reordered: the first of every group of `key`, then the second of every group, and so on."""
    count = defaultdict(int)
    ranked = []
    for icon in icons:
        ranked.append((count[key(icon)], icon))
        count[key(icon)] += 1
    return [icon for _, icon in sorted(ranked, key=lambda pair: pair[0])]


def choose_of_set(icons, most=MOST_OF_SET):
    """At most so many icons of each name from one set: whole things before one state, styles in turn."""
    by_name = defaultdict(list)
    for icon in icons:
        by_name[icon.name.text].append(icon)
    chosen = []
    for name in sorted(by_name):
        whole = [icon for icon in by_name[name] if not icon.phrase]
        states = [icon for icon in by_name[name] if icon.phrase]
        ordered = spread(whole, lambda icon: icon.style) + states
        chosen += ordered[:min(len(whole) + 1, most)]
    return chosen


def candidates(catalog, held_out, most=MOST_OF_SET):
    """Icons of the sets that are (not) held out, by set, then by name."""
    by_set = defaultdict(list)
    for icon in catalog.icons:
        if bool(catalog.sets[icon.set].held_out) == held_out:
            by_set[icon.set].append(icon)
    return [icon for prefix in sorted(by_set) for icon in choose_of_set(by_set[prefix], most)]


class Drawn:
    """Icons with their pictures, grey or in colour, and signatures."""

    def __init__(self, folders, icons, sets, processes):
        self.icons, self.of = [], {}
        rows = []
        for colour in (False, True):
            part = [icon for icon in icons if sets[icon.set].colour == colour]
            drawn, pixels = draw(folders, [job_of(icon, colour) for icon in part], processes)
            drawn &= pictures.is_usable(pixels)
            for i in np.flatnonzero(drawn):
                self.icons.append(part[i])
                self.of[part[i].set, part[i].id] = pixels[i]
            rows.append(pictures.signatures(pixels[drawn]))
        self.rows = np.concatenate(rows)


def same_name(icons):
    """{name: indices of its icons}, in the order of names."""
    found = defaultdict(list)
    for i, icon in enumerate(icons):
        found[icon.name.text].append(i)
    return {name: found[name] for name in sorted(found)}


def near_held_out(drawn, held_out):
    """Whether each icon is nearly a copy of an icon that is held out and shares a word with it."""
    by_word = defaultdict(list)
    for i, icon in enumerate(held_out.icons):
        for word in icon.name.text.split():
            by_word[word].append(i)
    near = np.zeros(len(drawn.icons), bool)
    for i, icon in enumerate(drawn.icons):
        others = sorted({k for word in icon.name.text.split() for k in by_word.get(word, ())})
        near[i] = pictures.is_near(drawn.rows[i], held_out.rows[others], HELD_OUT_COPY).any()
    return near


def look_like_logos(drawn, logos):
    """Whether each icon looks like a logo of its name; all icons of a name, if half of them do."""
    near = np.zeros(len(drawn.icons), bool)
    for name, indices in same_name(drawn.icons).items():
        if name in logos:
            near[indices] = [pictures.is_near(drawn.rows[i], logos[name], LOGO).any() for i in indices]
            if 2 * near[indices].sum() >= len(indices):
                near[indices] = True
    return near


def select(drawn, sets, logos, held_out):
    """Indices of the icons to use, and {reason: number left out}."""
    logo = look_like_logos(drawn, logos)
    copied = near_held_out(drawn, held_out) & ~logo
    counts = {"looks like a logo": int(logo.sum()), "copy of one held out": int(copied.sum()),
              "copy": 0, "surplus": 0}
    kept = []
    for named in same_name(drawn.icons).values():
        for colour in (False, True):
            indices = [i for i in named if not logo[i] and not copied[i]
                       and sets[drawn.icons[i].set].colour == colour]
            indices = spread(indices, lambda i: sets[drawn.icons[i].set].maker)
            copies = pictures.near_copies(drawn.rows[indices], COPY)
            different = [i for i, copy in zip(indices, copies) if not copy]
            kept += different[:MOST_OF_NAME]
            counts["copy"] += len(indices) - len(different)
            counts["surplus"] += max(0, len(different) - MOST_OF_NAME)
    return sorted(kept), counts


def hands(icons, catalog):
    """[(icon, number of a drawing)]: the drawings of each name, icons in turn."""
    chosen = []
    for indices in same_name(icons).values():
        turns = [(icons[i], hand) for hand in range(DRAWINGS_OF_ICON)
                 for i in spread(indices, lambda i: catalog.sets[icons[i].set].maker)]
        chosen += turns[:MOST_DRAWINGS_OF_NAME]
    return sorted(chosen, key=lambda pair: (pair[0].set, pair[0].id, pair[1]))


def count_names(icons):
    return Counter(icon.name.text for icon in icons)


class Writer:
    """Writes sources: images.npz and pairs.jsonl in a folder each."""

    def __init__(self, folder, catalog, wordnet):
        self.folder = folder
        self.catalog = catalog
        self.captioner = Captioner(wordnet)
        self.summary = {}

    def write(self, source, icons, images, medium, seeds, icons_of_name, levels=16):
        """`icons` and `seeds`, texts, are of each image; `medium` is of an icon: "icon", "emoji" or "drawing";
        `icons_of_name` counts; `levels` of a channel."""
        of_name = count_names(icons)
        # In random order, so that a reader may take any part.
        order = sorted(range(len(icons)), key=lambda i: Dice("order " + seeds[i]).below(2 ** 53))
        values = weights.normalised([
            weights.weight(icons[i].name, bool(icons[i].phrase), icons_of_name[icons[i].name.text],
                           of_name[icons[i].name.text], self.catalog.makers.get(icons[i].name.text, 0),
                           self.catalog.names_with) for i in order])
        folder = self.folder / source
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "pairs.jsonl", "w", encoding="ascii", newline="\n") as file:
            for i, value in zip(order, values):
                icon = icons[i]
                said = self.captioner.captions(icon, medium(icon), seeds[i], of_name[icon.name.text])
                pair = {"name": icon.name.text, "captions": said, "words": list(icon.name.words),
                        "weight": value}
                file.write(json.dumps(pair) + "\n")
        write_npz(folder / "images.npz", {"images": pictures.quantised(images[order], levels)}, level=6)
        self.summary[source] = {
            "images": len(icons), "names": len(of_name),
            "words": len({word for icon in icons for word in icon.name.words}),
            "bytes": sum(path.stat().st_size for path in sorted(folder.iterdir()))}


def build(folders, catalog, wordnet, logos, out, processes):
    """Writes the sources below `out`; returns what they hold and what was left out."""
    drawn = Drawn(folders, candidates(catalog, held_out=False), catalog.sets, processes)
    held_out = Drawn(folders, candidates(catalog, held_out=True), catalog.sets, processes)
    kept, counts = select(drawn, catalog.sets, logos, held_out)
    icons = [drawn.icons[i] for i in kept]
    writer = Writer(out, catalog, wordnet)
    for source, colour in (("grey", False), ("colour", True)):
        part = [icon for icon in icons if catalog.sets[icon.set].colour == colour]
        writer.write(source, part, np.stack([drawn.of[icon.set, icon.id] for icon in part]),
                     lambda icon: "emoji" if icon.emoji else "icon",
                     [f"{icon.set}:{icon.id}" for icon in part], count_names(part))
    chosen = hands(icons, catalog)
    del drawn, held_out
    good, pixels = draw(folders, [job_of(icon, hand=hand) for icon, hand in chosen], processes)
    good &= pictures.is_usable(pixels)
    chosen = [pair for pair, is_good in zip(chosen, good) if is_good]
    writer.write("strokes", [icon for icon, _ in chosen], pixels[good], lambda icon: "drawing",
                 [f"{icon.set}:{icon.id}#{hand}" for icon, hand in chosen], count_names(icons),
                 LEVELS_OF_DRAWINGS)
    return writer.summary, counts, icons
