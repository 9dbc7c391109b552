"""Captions of an icon, from its name, aliases, keywords, style and what WordNet says it is a kind of.

docs/icons.md states the rules.
"""

import re

from icons.dice import Dice
from icons.wordnet import CONCRETE_FILES, singulars

# What a caption calls a picture.
MEDIA = {
    "icon": ("icon", "icon", "icon", "symbol", "pictogram", "picture", "image", "sign"),
    "emoji": ("emoji", "emoji", "emoji", "icon", "picture", "image"),
    "drawing": ("drawing", "drawing", "sketch", "sketch", "doodle", "doodle", "line drawing",
                "hand drawing", "pen drawing", "picture"),
}
# Said of a noun by its file in WordNet. The others have hypernyms only.
KINDS = {"animal": "animal", "food": "food", "plant": "plant", "person": "person", "shape": "shape",
         "body": "part of the body"}
# Hypernyms that say nothing.
VAGUE = frozenset(
    "entity physical_entity object physical_object whole unit thing matter abstraction artifact "
    "artefact instrumentality instrumentation living_thing animate_thing organism being causal_agent "
    "cause natural_object way part substance solid attribute group cognition relation measure "
    "construction instrument commodity good trade_good article system collection assembly creation "
    "region location portion feature surface formation covering product".split())
RARE = 2  # a hypernym that the tagged texts have less often is not an everyday word
MOST_HYPERNYMS = 3

PAIRS = frozenset("scissors glasses sunglasses trousers pants shorts jeans tights binoculars tweezers "
                  "pliers headphones earphones goggles pajamas overalls tongs clippers".split())
VOWEL_AS_CONSONANT = re.compile(r"uni(?![nm])|us[aeiu]|ut[ei]|uk|ur[ai]|ufo|usb|eu|ewe|one\b|once\b")
CONSONANT_AS_VOWEL = re.compile(r"hour|heir|honest|hono|[fhlmnrsx]-|mri\b|sms\b|sos\b|x$")
# Files of nouns that are often not counted: rain, bread, water.
UNCOUNTED = frozenset((13, 19, 27))

FRAMES = (("a {medium} of {thing}.", 4), ("a {medium} of {thing}", 3), ("{thing}", 3), ("{thing}.", 2),
          ("{name}", 5), ("{name} {medium}", 2), ("a {style} {medium} of {thing}.", 2),
          ("{thing}, {kind}", 2), ("a {medium} of {thing}, {kind}.", 3), ("{name}, {keywords}", 2),
          ("the {name}.", 1), ("this is {thing}.", 1))
# Styles of drawings; icons have their own.
DRAWN = ("hand-drawn", "rough", "simple", "quick")
ALL_FRAMES = tuple(frame for frame, weight in FRAMES for _ in range(weight))
ALIAS = 0.25  # how often an alias stands for the name, where there is one
PHRASE = 0.35  # how often all words of the identifier do, where the name leaves some out
# Rare names have more captions, so that each name has about as many in all.
CAPTIONS_OF_NAME, FEWEST, MOST = 24, 2, 6


def article(name):
    """a or an."""
    if CONSONANT_AS_VOWEL.match(name):
        return "an"
    return "an" if name[0] in "aeiou" and not VOWEL_AS_CONSONANT.match(name) else "a"


def is_plural(wordnet, name):
    last = re.split(r"[ -]", name)[-1]
    if last in PAIRS:
        return True
    return last not in wordnet.offsets and any(form in wordnet.offsets for form in singulars(last))


def hypernyms(wordnet, sense):
    """What a sense is a kind of: everyday words, the nearest first."""
    found = []
    for offset in wordnet.ancestors(sense.offset):
        lemma = wordnet.lemmas[offset][0]
        count = wordnet.counts.get((lemma.lower(), offset), 0)
        if lemma.lower() not in VAGUE and count >= RARE and lemma.islower():
            found.append(lemma.replace("_", " "))
    return found[:MOST_HYPERNYMS]


def synonyms(wordnet, sense, name):
    """Other words for the sense that occur in the tagged texts, and not much less than the usual one."""
    counts = {lemma: wordnet.counts.get((lemma, sense.offset), 0) for lemma in wordnet.lemmas[sense.offset]}
    least = max(1, max(counts.values()) // 10)
    return [lemma.replace("_", " ") for lemma, count in counts.items()
            if lemma.islower() and lemma.replace("_", " ") != name and count >= least]


class Captioner:
    def __init__(self, wordnet):
        self.wordnet = wordnet

    def thing(self, name, file, dice):
        """The name with an article, if it takes one."""
        if is_plural(self.wordnet, name):
            return dice.pick((name, name, "some " + name))
        if file in UNCOUNTED and dice.chance(0.4):
            return name
        return dice.pick((f"{article(name)} {name}",) * 4 + ("the " + name,))

    def kind(self, sense, dice):
        kinds = [f"a kind of {word}" for word in hypernyms(self.wordnet, sense)]
        word = KINDS.get(CONCRETE_FILES[sense.file])
        if word:
            kinds += [f"{article(word)} {word}" if word != "food" else word, f"a kind of {word}"]
        return dice.pick(kinds) if kinds else None

    def sense_of(self, name):
        """The sense of a whole name, or of its last part."""
        return self.wordnet.concrete(name.lemma) if name.lemma else None

    def caption(self, icon, medium, dice):
        name = icon.name.text
        sense = self.sense_of(icon.name)
        aliases = list(icon.aliases)
        if sense and icon.name.whole:
            aliases += synonyms(self.wordnet, sense, name)
        if aliases and dice.chance(ALIAS):
            name = dice.pick(aliases)
        elif icon.phrase and dice.chance(PHRASE):
            name = icon.phrase
        frame = dice.pick(ALL_FRAMES)
        style = dice.pick(DRAWN) if medium == "drawing" else icon.style
        kind = self.kind(sense, dice) if sense and icon.name.whole else None
        if ("{kind}" in frame and not kind) or ("{keywords}" in frame and not icon.keywords) or (
                "{style}" in frame and not style):
            frame = "a {medium} of {thing}."
        word = dice.pick(MEDIA[medium])
        first = style if "{style}" in frame else word
        text = frame.format(
            medium=word, style=style, name=name, kind=kind,
            thing=self.thing(name, sense.file if sense else 0, dice),
            keywords=", ".join(dice.some(icon.keywords, 1 + dice.below(3))))
        return re.sub(r"^a (?=\S)", article(first) + " ", text) if frame.startswith("a {") else text

    def captions(self, icon, medium, seed, images_of_name):
        """Different captions. `seed` is a text."""
        dice = Dice(seed)
        wanted = min(MOST, max(FEWEST, CAPTIONS_OF_NAME // images_of_name))
        found = []
        for _ in range(4 * wanted):
            if len(found) == wanted:
                break
            caption = self.caption(icon, medium, dice)
            if caption not in found:
                found.append(caption)
        return found
