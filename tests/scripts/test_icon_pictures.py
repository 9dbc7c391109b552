"""Pictures of icons, scripts/icons: which are kept, how they are stored, and the classes of the world Icons."""

import hashlib
import json
import zipfile
from collections import Counter

import numpy as np
import pytest
from icons import packages, pictures, sources, world
from icons.catalog import Icon
from icons.corpus import (MOST_OF_SET, Writer, choose_of_set, hands, look_like_logos, near_held_out, select,
                          spread)
from icons.names import Name
from icons.npz import write_npz
from icons.sets import IconSet
from icons.sheet import GAP, sheet
from icons.themes import THEMES, ThemeFinder


def paper(n=1):
    return np.full((n, 48, 48), 255, np.uint8)


def disc(x, y, radius):
    rows, columns = np.mgrid[:48, :48]
    return np.where((columns - x) ** 2 + (rows - y) ** 2 <= radius ** 2, 0, 255).astype(np.uint8)


def test_empty_and_solid_pictures_are_not_usable():
    images = np.stack([paper()[0], np.zeros((48, 48), np.uint8), disc(24, 24, 10), disc(24, 24, 1)])
    assert pictures.is_usable(images).tolist() == [False, False, True, False]
    assert pictures.is_usable(np.repeat(images[..., None], 3, axis=3)).tolist() == [False, False, True, False]


def test_colour_counts_as_ink():
    yellow = np.full((1, 48, 48, 3), 255, np.uint8)
    yellow[:, 10:38, 10:38, 2] = 0
    assert pictures.is_usable(yellow).all()


def test_signatures_are_sums_of_cells():
    images = np.random.default_rng(1).integers(0, 256, (3, 48, 48), np.uint8)
    rows = pictures.signatures(images, chunk=2)
    assert rows.shape == (3, 144)
    picture = images[2].astype(int)
    assert rows[2, 13] == sum(abs(picture[y, x] - picture[y, x + 1]) + abs(picture[y, x] - picture[y + 1, x])
                              for y in range(4, 8) for x in range(4, 8))


def test_edges_of_colours_are_those_of_greys():
    grey = np.random.default_rng(1).integers(0, 256, (2, 48, 48), np.uint8)
    assert (pictures.edges_of(np.repeat(grey[..., None], 3, axis=3)) == pictures.edges_of(grey)).all()


def test_near_copies():
    images = np.stack([disc(24, 24, 15), disc(24, 24, 15), disc(24, 24, 14), disc(24, 24, 8)])
    rows = pictures.signatures(images)
    assert pictures.near_copies(rows, 50).tolist() == [False, True, True, False]
    assert pictures.near_copies(rows, 1).tolist() == [False, True, False, False]
    # The share of the edges that differ.
    a, b = rows[0], rows[3]
    differs = 100 * np.abs(a - b).sum() / np.maximum(a, b).sum()
    assert pictures.is_near(a, b[None], int(differs) + 1).all()
    assert not pictures.is_near(a, b[None], int(differs)).any()


@pytest.mark.parametrize("levels", [2, 8, 16, 256])
def test_levels(levels):
    values = np.arange(256, dtype=np.uint8)
    out = pictures.quantised(values, levels)
    assert len(set(out)) == levels and out[0] == 0 and out[255] == 255
    assert np.abs(out.astype(int) - values).max() <= 128 // (levels - 1)
    assert (pictures.quantised(out, levels) == out).all()


def test_an_npz_has_the_same_bytes_each_time(tmp_path):
    arrays = {"images": paper(3), "names": np.array(["a", "bc"])}
    digests = set()
    for name in ("one.npz", "two.npz"):
        write_npz(tmp_path / name, arrays)
        digests.add(hashlib.sha256((tmp_path / name).read_bytes()).digest())
    assert len(digests) == 1
    with np.load(tmp_path / "one.npz") as read:
        assert (read["images"] == arrays["images"]).all() and read["names"].tolist() == ["a", "bc"]
    with zipfile.ZipFile(tmp_path / "one.npz") as archive:
        assert {item.compress_type for item in archive.infolist()} == {zipfile.ZIP_DEFLATED}


def make_icon(set_, id_, text="cat", phrase="", style=""):
    return Icon(set_, id_, Name(text, (), text.replace(" ", "_"), True, True), phrase, style, (), (), False)


def test_spread_takes_groups_in_turn():
    assert spread("aaabbc", lambda letter: letter) == list("abcaba")


def test_icons_of_one_set():
    icons = [make_icon("s", f"cat-{i:02}", style="outline" if i < 8 else "filled") for i in range(10)]
    icons += [make_icon("s", f"cat-off-{i}", phrase="cat off") for i in range(3)]
    icons += [make_icon("s", f"dog-off-{i}", text="dog", phrase="dog off") for i in range(3)]
    chosen = Counter((icon.name.text, icon.style, bool(icon.phrase)) for icon in choose_of_set(icons))
    assert chosen == {("cat", "outline", False): MOST_OF_SET - 2, ("cat", "filled", False): 2,
                      ("dog", "", True): 1}
    few = choose_of_set(icons[:2] + icons[10:13])
    assert [icon.id for icon in few] == ["cat-00", "cat-01", "cat-off-0"]


class Drawn:
    def __init__(self, named):
        """`named` is [(set, name, picture)]."""
        self.icons = [make_icon(set_, f"{name}-{i}", name) for i, (set_, name, _) in enumerate(named)]
        self.rows = pictures.signatures(np.stack([picture for _, _, picture in named]))


SMALL, LARGE, RIGHT = disc(24, 24, 8), disc(24, 24, 20), disc(34, 24, 8)


def test_icons_that_look_like_logos():
    logos = {"cat": pictures.signatures(SMALL[None]), "dog": pictures.signatures(SMALL[None])}
    drawn = Drawn([("a", "cat", SMALL), ("b", "cat", LARGE), ("c", "cat", RIGHT), ("a", "dog", SMALL),
                   ("b", "dog", LARGE), ("a", "cow", SMALL)])
    assert look_like_logos(drawn, logos).tolist() == [True, False, False, True, True, False]


def test_copies_of_what_is_held_out():
    held_out = Drawn([("x", "black cat", SMALL)])
    drawn = Drawn([("a", "cat", SMALL), ("a", "dog", SMALL), ("a", "cat", LARGE), ("a", "white cat", SMALL)])
    assert near_held_out(drawn, held_out).tolist() == [True, False, False, True]


def test_select():
    sets = {name: make_set(name, author=author, colour=name == "colour")
            for name, author in (("a", "A"), ("b", "B"), ("colour", "C"))}
    drawn = Drawn([("a", "cat", SMALL), ("a", "cat", LARGE), ("b", "cat", SMALL), ("b", "cat", RIGHT),
                   ("colour", "cat", SMALL), ("a", "dog", SMALL)])
    kept, counts = select(drawn, sets, {}, Drawn([("x", "cow", SMALL)]))
    assert kept == [0, 1, 3, 4, 5]  # copies are looked for within a name, among greys and colours
    assert counts == {"looks like a logo": 0, "copy of one held out": 0, "copy": 1, "surplus": 0}


def test_drawings_of_a_name():
    sets = {name: make_set(name, author=name) for name in "ab"}
    catalog = type("Catalog", (), {"sets": sets})
    icons = [make_icon("a", f"cat-{i:02}") for i in range(20)] + [make_icon("b", "cat"), make_icon("a", "dog", "dog")]
    chosen = hands(icons, catalog)
    count = Counter((icon.name.text, icon.set) for icon, _ in chosen)
    assert count == {("cat", "a"): 28, ("cat", "b"): 2, ("dog", "a"): 3}
    assert len(set((icon.set, icon.id, hand) for icon, hand in chosen)) == len(chosen)


def test_a_source(tmp_path, wordnet):
    catalog = type("Catalog", (), {"makers": {"cat": 4, "bear": 1}, "names_with": {}})
    icons = [make_icon("a", f"cat-{i}") for i in range(4)] + [make_icon("a", "bear", "bear")]
    images = np.stack([disc(24, 24, 5 + i) for i in range(5)])
    seeds = [f"{icon.set}:{icon.id}" for icon in icons]
    texts = []
    for folder in ("one", "two"):
        writer = Writer(tmp_path / folder, catalog, wordnet)
        writer.write("grey", icons, images, lambda icon: "icon", seeds, {"cat": 4, "bear": 1})
        texts.append([(tmp_path / folder / "grey" / file).read_bytes() for file in ("pairs.jsonl", "images.npz")])
    assert texts[0] == texts[1]
    pairs = [json.loads(line) for line in texts[0][0].decode().splitlines()]
    with np.load(tmp_path / "one" / "grey" / "images.npz") as read:
        stored = read["images"]
    assert stored.dtype == np.uint8 and stored.shape == (5, 48, 48)
    bear = [pair["name"] for pair in pairs].index("bear")
    assert (stored[bear] == images[4]).all()
    assert sum(pair["weight"] for pair in pairs) == pytest.approx(5, abs=1e-3)
    # Four cats weigh sqrt(4) together, the bear (2 / 4)^2.
    assert 4 * pairs[bear]["weight"] == pytest.approx(2 * pairs[bear - 1]["weight"], abs=1e-3)
    assert all(list(pair) == ["name", "captions", "words", "weight"] and pair["captions"] for pair in pairs)
    assert writer.summary["grey"]["images"] == 5 and writer.summary["grey"]["names"] == 2


def test_an_archive_is_checked(tmp_path):
    path = tmp_path / "a.tgz"
    path.write_bytes(b"other bytes")
    with pytest.raises(SystemExit, match="a.tgz: SHA-512 is .*expected wanted, that of a@1"):
        packages.check_archive(path, "a@1", "wanted")
    packages.check_archive(path, "a@1", packages.integrity_of(path))


# The world.

@pytest.mark.parametrize("text, lemma", [
    ("cat", "cat"), ("cats", "cat"), ("winged arrow", "arrow"), ("red apple", "apple"), ("bear head", "bear"),
    ("coffee cup", None), ("cup head", None), ("freedom", None),
    ("mouse", None)])  # an animal or a device
def test_class_of(wordnet, text, lemma):
    found = world.class_of(make_icon("s", "i", text), wordnet)
    assert (found and found[0]) == lemma


def test_themes(wordnet, monkeypatch):
    monkeypatch.setattr("icons.themes.THEMES", tuple(
        theme for theme in THEMES if all(lemma in wordnet.offsets for lemma, _ in theme.below)))
    roots = {lemma: theme.name for theme in THEMES for lemma, _ in theme.below}
    assert roots["vehicle"] == "vehicles" and roots["animal"] == "animals"
    finder = ThemeFinder(wordnet)
    theme_of = lambda lemma: getattr(finder.find(wordnet.concrete(lemma), lemma), "name", None)
    assert theme_of("cat") == "animals" and theme_of("animal") == "animals"
    assert theme_of("banana") == "food"  # a plant that is eaten
    assert theme_of("head") == "body" and theme_of("circle") == "shapes"
    assert theme_of("cup") is None


def test_drawings_stay_together_and_splits_are_even():
    members = [world.Picture(make_icon(set_, f"{phrase}-{i}", phrase=phrase), "cat", None)
               for set_ in "abcdefgh" for phrase in ("", "cat off") for i in range(1 if phrase else 2)]
    parts = world.split_of(members, lambda icon: icon.set, "cat")
    assert sum(map(len, parts.values())) == len(members)
    assert abs(len(parts["train"]) - len(parts["test"])) <= 2
    drawings = {split: {(p.icon.set, p.icon.phrase) for p in part} for split, part in parts.items()}
    assert not drawings["train"] & drawings["test"]
    again = world.split_of(members[::-1], lambda icon: icon.set, "cat")
    assert {p.icon.id + p.icon.set for p in again["test"]} == {p.icon.id + p.icon.set for p in parts["test"]}


def test_palette():
    colours = world.palette()
    assert colours.shape == (256, 3) and len({tuple(colour) for colour in colours}) >= 250
    assert (world.indexed(colours[:16]) == np.arange(16)).all()
    random = np.random.default_rng(1).integers(0, 256, (1000, 3), np.uint8)
    error = np.abs(colours[world.indexed(random)].astype(int) - random)
    assert error.max() <= 33 and (error.mean(axis=0) < 20).all()


def make_set(prefix, **changes):
    return IconSet(**({"prefix": prefix, "title": prefix.title(), "author": "A", "author_url": "https://a.example",
                       "licence": "CC-BY-4.0", "licence_url": "https://l.example", "category": "",
                       "colour": False, "held_out": ""} | changes))


def test_sources_name_every_set():
    sets = {"one": make_set("one"), "two": make_set("two", licence="MIT"), "three": make_set("three", held_out="map")}
    page = sources.page(sets, {"logos": ["four"]}, {"one": 1200, "two": 3}, {"three": 7})
    assert "| `one` | One | [A](https://a.example) | [CC-BY-4.0](https://l.example) | 1,200 |" in page
    assert "| `three` | Three |" in page and "- logos: four" in page and "| together | 2 | 1,203 |" in page
    assert "@iconify/json@2.2.535" in page


def test_sheet():
    out = sheet(np.zeros((5, 48, 48), np.uint8), 3)
    assert out.shape == (2 * (48 + GAP), 3 * (48 + GAP), 3)
    assert (out == 0).all(axis=2).sum() == 5 * 48 * 48
