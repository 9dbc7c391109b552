"""Captions and weights of icons, scripts/icons, by the rules of docs/icons.md."""

import re

import pytest
from icons import weights
from icons.captions import FEWEST, MOST, Captioner, article, hypernyms, is_plural, synonyms
from icons.catalog import Icon
from icons.dice import Dice
from icons.names import Name


def make_icon(text, words=(), lemma="", whole=True, **changes):
    name = Name(text, tuple(words), lemma or text.replace(" ", "_"), whole, True)
    return Icon(**({"set": "tiny", "id": text, "name": name, "phrase": "", "style": "", "aliases": (),
                    "keywords": (), "emoji": False} | changes))


@pytest.mark.parametrize("name, expected", [
    ("cat", "a"), ("apple", "an"), ("umbrella", "an"), ("unicorn", "a"), ("uniform", "a"), ("uninstaller", "an"),
    ("user", "a"), ("hour glass", "an"), ("house", "a"), ("x-ray", "an"), ("t-shirt", "a"), ("ukulele", "a"),
    ("one", "a"), ("onion", "an"), ("eucalyptus", "a"), ("egg", "an"), ("urn", "an")])
def test_article(name, expected):
    assert article(name) == expected


@pytest.mark.parametrize("name, plural", [
    ("cat", False), ("cats", True), ("alarm clocks", True), ("scissors", True), ("bus", False)])
def test_plural(wordnet, name, plural):
    assert is_plural(wordnet, name) == plural


def test_hypernyms_are_everyday_words(wordnet):
    # Not feline, which the tagged texts do not have, nor entity, which says nothing.
    assert hypernyms(wordnet, wordnet.concrete("cat")) == ["animal"]
    assert hypernyms(wordnet, wordnet.concrete("alarm_clock")) == ["clock", "device"]


def test_synonyms(wordnet):
    assert synonyms(wordnet, wordnet.concrete("car"), "car") == ["auto"]
    assert synonyms(wordnet, wordnet.concrete("auto"), "auto") == ["car"]


def all_captions(wordnet, icon, medium, n=300):
    captioner = Captioner(wordnet)
    return {caption for i in range(n) for caption in captioner.captions(icon, medium, str(i), 1)}


def test_captions_name_the_thing(wordnet):
    icon = make_icon("apple", style="outline")
    found = all_captions(wordnet, icon, "icon")
    assert {"apple", "an apple.", "an icon of an apple.", "an outline icon of an apple.", "apple symbol",
            "this is an apple."} <= found
    assert len(found) > 60
    for caption in found:
        assert "apple" in caption and not re.search(r"\ba [aeiou]|\ban [^aeiou]|  |None|{", caption), caption


def test_captions_of_drawings(wordnet):
    found = all_captions(wordnet, make_icon("cat", style="filled"), "drawing")
    assert {"a doodle of a cat.", "a sketch of a cat", "a hand-drawn sketch of a cat."} <= found
    assert not any("icon" in caption or "filled" in caption or "emoji" in caption for caption in found)
    assert any("a kind of animal" in caption for caption in found)


def test_captions_with_aliases_keywords_and_states(wordnet):
    icon = make_icon("car", aliases=("race car",), keywords=("red", "transport"), phrase="car off", emoji=True)
    found = all_captions(wordnet, icon, "emoji")
    for part in ("race car", "auto", "car off", "car, red", "car, transport, red", "an emoji of a car."):
        assert any(part in caption for caption in found), part


def test_plurals_take_no_article(wordnet):
    found = all_captions(wordnet, make_icon("cats", lemma="cat"), "icon")
    assert "an icon of cats." in found and "some cats" in found
    assert not any(re.search(r"\ba cats", caption) for caption in found)


def test_a_kind_is_said_only_of_whole_names(wordnet):
    icon = make_icon("coffee bear", lemma="bear", whole=False)
    assert not any("animal" in caption for caption in all_captions(wordnet, icon, "icon"))


@pytest.mark.parametrize("pictures, expected", [(1, MOST), (6, 4), (1000, FEWEST)])
def test_number_of_captions(wordnet, pictures, expected):
    captions = Captioner(wordnet).captions(make_icon("cat"), "icon", "seed", pictures)
    assert len(captions) == len(set(captions)) == expected and all("cat" in caption for caption in captions)
    assert captions == Captioner(wordnet).captions(make_icon("cat"), "icon", "seed", pictures)
    assert captions != Captioner(wordnet).captions(make_icon("cat"), "icon", "other seed", pictures)


def test_dice_are_the_same_everywhere():
    dice = Dice("tiny:cat")
    assert [dice.below(1000) for _ in range(4)] == [138, 609, 917, 65]
    assert sorted(Dice("a").some("abcdef", 4)) != sorted(Dice("b").some("abcdef", 4))
    assert len(set(Dice("a").some(range(9), 20))) == 9


def name(text, concrete=True, whole=True):
    return Name(text, (), "", whole, concrete)


@pytest.mark.parametrize("arguments, expected", [
    ((name("cat"), False, 1, 1, 4), 1),
    ((name("cat"), False, 16, 16, 9), 1 / 4),  # 16 pictures together weigh as much as 4
    ((name("cat"), False, 16, 32, 9), 1 / 8),  # and as much again if each is drawn twice
    ((name("cat"), False, 1, 1, 2), 9 / 16),  # two makers, and WordNet
    ((name("hot cat", whole=False), False, 1, 1, 2), 1 / 4),
    ((name("cat"), True, 1, 1, 4), 1 / 2),  # a state
    ((name("wifi", concrete=False), False, 1, 1, 20), 0.4),
    ((name("arrow cat", whole=False), False, 1, 1, 4), 0.3),  # a part of an interface
    ((name("arrow cat"), False, 1, 1, 4), 1),  # a noun of WordNet
    ((name("arrow"), False, 1, 1, 4), 1),
])
def test_weight(arguments, expected):
    names_with = {"arrow": weights.PRODUCTIVE, "cat": weights.PRODUCTIVE - 1}
    assert weights.weight(*arguments, names_with) == pytest.approx(expected)


def test_weights_have_mean_1():
    values = weights.normalised([1, 2, 3, 0.00001])
    assert values[:3] == [0.6667, 1.3333, 2.0] and values[3] == 0.0001
