"""Names of icons, scripts/icons: from an identifier to what it shows, by the rules of docs/icons.md."""

import pytest
from icons.catalog import Icon, icons_of_set
from icons.names import POPULAR, Cleaner, split
from icons.sets import IconSet, check_makers, reason_to_skip
from icons.wordnet import singulars


@pytest.fixture(scope="module")
def cleaner(wordnet):
    return Cleaner(wordnet, {"wifi": POPULAR, "red": POPULAR, "zed": 3, "gizmo": 2})


@pytest.mark.parametrize("identifier, words", [
    ("alarm-clock-2", ("alarm", "clock")),
    ("chat2-24px", ("chat",)),
    ("3d-cube", ("cube",)),
    ("Food_Drink", ("food", "drink")),
    ("4", ()),
])
def test_split(identifier, words):
    assert split(identifier) == words


@pytest.mark.parametrize("identifier, words, style", [
    ("cat-outline", ("cat",), "outline"),
    ("cat-bold-duotone", ("cat",), "two-tone"),
    ("cat-2-filled", ("cat",), "filled"),
    ("cat-o", ("cat",), ""),
    ("traffic-light", ("traffic", "light"), ""),  # a noun, not a style
    ("cat-light", ("cat",), "thin outline"),
    ("outline", ("outline",), ""),  # nothing would remain
    ("sliceofpizza", ("slice", "of", "pizza"), ""),
    ("catpizza-thin", ("cat", "pizza"), "thin outline"),
    ("catqqpizza", ("catqqpizza",), ""),
])
def test_phrase(cleaner, identifier, words, style):
    phrase = cleaner.phrase(identifier)
    assert (phrase.words, phrase.style) == (words, style)


def test_a_set_declares_its_styles(cleaner):
    ends = [("sharp", "two", "tone"), ("sharp",)]
    assert cleaner.phrase("cat-sharp-two-tone", suffixes=ends).words == ("cat",)
    assert cleaner.phrase("baseline-cat", prefixes=[("baseline",)]).words == ("cat",)
    assert cleaner.phrase("food-drink-pizza", category=("food", "drink")).words == ("pizza",)


@pytest.mark.parametrize("words, text, drawn, whole", [
    (("cat",), "cat", ("cat",), True),
    (("cats",), "cats", ("cats",), True),
    (("alarm", "clock"), "alarm clock", ("clock",), True),
    (("coffee", "cup"), "coffee cup", ("coffee", "cup"), False),
    (("t", "shirt"), "t-shirt", ("shirt",), True),
    (("bell", "off"), "bell", ("bell",), True),  # what follows the last thing is a state
    (("bell", "open"), "bell", ("bell",), True),
    (("red", "apple"), "red apple", ("apple",), False),
    (("slice", "of", "pizza"), "slice of pizza", ("slice", "pizza"), False),
    (("wifi",), "wifi", ("wifi",), False),
    (("cat", "down"), "cat", ("cat",), True),  # mostly an adverb
])
def test_name(cleaner, words, text, drawn, whole):
    name = cleaner.name(words)
    assert (name.text, name.words, name.whole) == (text, drawn, whole)
    assert name.concrete == (text != "wifi")


@pytest.mark.parametrize("words", [
    (), ("gizmo",), ("cat", "gizmo"), ("cat", "logo"), ("cat", "bear", "car", "cup"), ("of",), ("x", "cat"),
    ("go",)])
def test_no_name(cleaner, words):
    assert cleaner.name(words) is None


def test_a_word_of_three_makers_is_known(cleaner):
    assert cleaner.name(("zed", "cat")).text == "zed cat"


def test_emoji_are_not_shortened(cleaner):
    assert cleaner.name(("bell", "off"), emoji=True).text == "bell off"
    assert cleaner.name(("cat", "bear", "car", "cup"), emoji=True).text == "cat bear car cup"


def test_senses(wordnet):
    assert wordnet.concrete("freedom") is None
    assert wordnet.concrete("down") is None
    assert wordnet.concrete("animal").file == 5  # from the file of the top nouns
    assert wordnet.concrete("printer").file == 6  # rather a machine than a person
    assert wordnet.noun(("alarm", "clocks")) == "alarm_clock"
    assert wordnet.noun(("t", "shirts")) == "t-shirt"
    assert wordnet.noun(("red", "cat")) is None
    cat = wordnet.concrete("cat")
    assert [wordnet.lemmas[offset][0] for offset in wordnet.ancestors(cat.offset)] == [
        "feline", "animal", "entity"]


@pytest.mark.parametrize("word, single", [
    ("cats", "cat"), ("berries", "berry"), ("boxes", "box"), ("mice", "mouse"), ("bus", None), ("glass", None)])
def test_singulars(word, single):
    found = list(singulars(word))
    assert found[0] == single if single else not found


def make_set(**changes):
    return IconSet(**({"prefix": "tiny", "title": "Tiny", "author": "A", "author_url": "", "licence": "MIT",
                       "licence_url": "", "category": "", "colour": False, "held_out": ""} | changes))


class NoKeywords:
    @staticmethod
    def of(identifier, name):
        return ("pet",) if identifier == "cat" else ()


def test_icons_of_a_set(cleaner):
    data = {"icons": {"cat": {}, "cat-fill": {}, "bear": {"hidden": True}, "bell-off": {}, "freedom": {},
                      "apple": {}, "car": {}},
            "aliases": {"auto": {"parent": "car"}, "car-flipped": {"parent": "car", "hFlip": True}},
            "categories": {"Brand / Logo": ["apple"]}}
    icons = list(icons_of_set(make_set(), data, cleaner, NoKeywords, {("freedom",)}))
    assert [(icon.id, icon.name.text, icon.phrase, icon.style) for icon in icons] == [
        ("bell-off", "bell", "bell off", ""), ("car", "car", "", ""), ("cat", "cat", "", ""),
        ("cat-fill", "cat", "", "filled")]
    assert icons[1].aliases == ("auto",) and icons[2].keywords == ()
    assert all(isinstance(icon, Icon) for icon in icons)


def test_emoji_of_a_set(cleaner):
    data = {"icons": {"cat": {}, "bear": {}, "bear-medium-dark": {}, "bear-dark-skin-tone": {}, "light": {},
                      "flag-car": {}, "apple": {}},
            "categories": {"Flags": ["apple"]}}
    icons = list(icons_of_set(make_set(category="Emoji"), data, cleaner, NoKeywords, set()))
    assert [icon.id for icon in icons] == ["bear", "cat", "light"]
    assert icons[1].keywords == ("pet",)


@pytest.mark.parametrize("changes, reason", [
    ({}, None), ({"license": {"spdx": "CC-BY-SA-4.0"}}, "licence"), ({"license": {"title": "own"}}, "licence"),
    ({"category": "Logos"}, "logos"), ({"name": "Font Awesome 5 Brands"}, "logos"), ({"category": "Programming"}, "file types"),
    ({"category": "Flags / Maps", "palette": True}, "flags"),
    ({"category": "Flags / Maps"}, None), ({"tags": ["Contains Animations"]}, "animations")])
def test_which_sets_are_used(changes, reason):
    assert reason_to_skip("tiny", {"license": {"spdx": "MIT"}} | changes) == reason


def test_a_maker_is_held_out_as_a_whole():
    check_makers([make_set(held_out="game"), make_set(held_out="map"), make_set(author="B")])
    with pytest.raises(ValueError, match="other is used, but other sets of A are held out"):
        check_makers([make_set(held_out="game"), make_set(prefix="other")])
