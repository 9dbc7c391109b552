"""The world Icons: pictures of the sets that are held out, as classes, themes and splits."""

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from icons import pictures
from icons.corpus import COPY, candidates, spread
from icons.drawing import SIDE, draw, job_of
from icons.npz import write_npz
from icons.themes import LEFT_OUT, SAME, THEMES, ThemeFinder

FEWEST_PICTURES = 8
FEWEST_OF_SPLIT = 4
FEWEST_STYLES = 3
MOST_PICTURES = 32
MOST_OF_SET = 12
FEWEST_CLASSES = 8
SPLITS = ("train", "test")
HEADS = ("head", "face")  # of an animal: shown for the animal
ANIMAL_FILE = 5

GREYS = 16
CUBE = (6, 8, 5)  # levels of red, green and blue


@dataclass
class Picture:
    icon: object
    lemma: str
    pixels: object


def class_of(icon, wordnet):
    """(lemma, sense) of what an icon shows, or None.

    Words that describe are left out in front: a winged arrow is an arrow. The face or head of an animal
    counts as the animal.
    """
    words = tuple(icon.name.text.replace("-", " ").split())
    lemma = wordnet.noun(words)
    while lemma is None and len(words) > 1 and (
            words[0] in wordnet.adjectives or words[0].endswith(("ed", "ing"))) and not wordnet.noun(words[:2]):
        words = words[1:]
        lemma = wordnet.noun(words)
    if lemma is None and len(words) == 2 and words[1] in HEADS:
        lemma = wordnet.noun(words[:1])
        sense = wordnet.concrete(lemma) if lemma else None
        return (lemma, sense) if sense and sense.file == ANIMAL_FILE else None
    lemma = SAME.get(lemma, lemma)
    sense = wordnet.concrete(lemma) if lemma and lemma not in LEFT_OUT else None
    return (lemma, sense) if sense else None


def palette():
    """256 colours: greys, then a cube."""
    greys = [(17 * i,) * 3 for i in range(GREYS)]
    red, green, blue = CUBE
    cube = [((255 * r + (red - 1) // 2) // (red - 1), (255 * g + (green - 1) // 2) // (green - 1),
             (255 * b + (blue - 1) // 2) // (blue - 1))
            for r in range(red) for g in range(green) for b in range(blue)]
    return np.array(greys + cube, np.uint8)


def indexed(pixels):
    """RGB as indices of the palette: greys where the channels differ by less than 24."""
    values = pixels.astype(np.int32)
    grey = (values.sum(axis=-1) // 3 + 8) // 17
    red, green, blue = CUBE
    level = [(values[..., i] * (n - 1) + 127) // 255 for i, n in enumerate(CUBE)]
    cube = GREYS + (level[0] * green + level[1]) * blue + level[2]
    return np.where(np.ptp(values, axis=-1) < 24, grey, cube).astype(np.uint8)


def without_copies(members):
    rows = pictures.signatures(np.stack([picture.pixels for picture in members]))
    return [picture for picture, copy in zip(members, pictures.near_copies(rows, COPY)) if not copy]


def split_of(members, maker_of, name):
    """{"train": pictures, "test": pictures}. Pictures of one drawing, by one maker under one name, stay
    together; drawings go where there are fewer pictures yet, in the order of a hash."""
    groups = defaultdict(list)
    for picture in members:
        drawing = picture.icon.phrase or picture.icon.name.text
        groups[f"{name}/{maker_of(picture.icon)}/{drawing}"].append(picture)
    parts = {split: [] for split in SPLITS}
    for key in sorted(groups, key=lambda key: hashlib.sha256(key.encode()).digest()):
        parts[min(SPLITS, key=lambda split: len(parts[split]))] += groups[key]
    return parts


def usual_lemma(members):
    """That of most pictures of a class; ties by the alphabet."""
    count = Counter(picture.lemma for picture in members)
    return min(count, key=lambda lemma: (-count[lemma], lemma))


def find_classes(drawn, catalog, wordnet):
    """{name: (theme, parts)} of the classes that are large enough, in the order of names."""
    finder = ThemeFinder(wordnet)
    members = defaultdict(list)
    senses = {}
    for picture, sense in drawn:
        members[sense.offset].append(picture)
        senses[sense.offset] = sense
    style_of = lambda picture: catalog.sets[picture.icon.set].held_out
    classes = {}
    for offset in sorted(members):
        found = spread(without_copies(members[offset]), style_of)[:MOST_PICTURES]
        lemma = usual_lemma(found)
        name = lemma.replace("_", " ")
        theme = finder.find(senses[offset], lemma)
        parts = split_of(found, lambda icon: catalog.sets[icon.set].maker, name)
        if theme and len(found) >= FEWEST_PICTURES and len(set(map(style_of, found))) >= FEWEST_STYLES \
                and min(map(len, parts.values())) >= FEWEST_OF_SPLIT and name not in classes:
            classes[name] = (theme, parts)
    sizes = Counter(theme.name for theme, _ in classes.values())
    return {name: classes[name] for name in sorted(classes)
            if sizes[classes[name][0].name] >= FEWEST_CLASSES}


def draw_all(folders, catalog, wordnet, processes):
    """[(Picture, sense)] of all icons that are held out and show something."""
    found = [(icon, class_of(icon, wordnet)) for icon in candidates(catalog, held_out=True, most=MOST_OF_SET)]
    found = [(icon, shown) for icon, shown in found if shown]
    good, pixels = draw(folders, [job_of(icon, colour=True) for icon, _ in found], processes)
    good &= pictures.is_usable(pixels)
    return [(Picture(icon, lemma, pixels[i]), sense)
            for i, (icon, (lemma, sense)) in enumerate(found) if good[i]]


def arrays_of(classes, catalog):
    """The arrays of data/icons.npz; docs/icons.md describes them."""
    used = {theme.name for theme, _ in classes.values()}
    themes = [theme for theme in sorted(THEMES, key=lambda theme: theme.name) if theme.name in used]
    number_of = {theme.name: i for i, theme in enumerate(themes)}
    pictures_of = {split: [(label, picture) for label, (_, parts) in enumerate(classes.values())
                           for picture in sorted(parts[split],
                                                 key=lambda one: (one.icon.set, one.icon.id))]
                   for split in SPLITS}
    sets = sorted({picture.icon.set for members in pictures_of.values() for _, picture in members})
    styles = sorted({catalog.sets[prefix].held_out for prefix in sets})
    arrays = {
        "names": np.array(list(classes)),
        "theme": np.array([number_of[theme.name] for theme, _ in classes.values()], np.uint8),
        "themes": np.array([theme.name for theme in themes]),
        "descriptions": np.array([theme.description for theme in themes]),
        "templates": np.array([theme.template for theme in themes]),
        "sets": np.array(sets),
        "style": np.array([styles.index(catalog.sets[prefix].held_out) for prefix in sets], np.uint8),
        "styles": np.array(styles),
        "palette": palette(),
    }
    for split, members in pictures_of.items():
        arrays[f"{split}_label"] = np.array([label for label, _ in members], np.uint16)
        arrays[f"{split}_set"] = np.array([sets.index(picture.icon.set) for _, picture in members], np.uint8)
        arrays[f"{split}_id"] = np.array([picture.icon.id for _, picture in members])
        arrays[split] = indexed(np.stack([picture.pixels for _, picture in members])).reshape(-1, SIDE, SIDE)
    return arrays


def build(folders, catalog, wordnet, path, processes):
    """Writes the world; returns its arrays."""
    drawn = draw_all(folders, catalog, wordnet, processes)
    arrays = arrays_of(find_classes(drawn, catalog, wordnet), catalog)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_npz(path, arrays)
    return arrays
