"""Themes of the world Icons: which class belongs where, by WordNet. docs/icons.md states the rules."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    name: str
    description: str
    template: str
    files: tuple = ()  # lexicographers' files
    below: tuple = ()  # (lemma, number of the sense): its hyponyms


# In this order: a class belongs to the first theme that has it.
THEMES = (
    Theme("vehicles", "vehicles on land, water and in the air", "an icon of a {}, a kind of vehicle.",
          below=(("vehicle", 1), ("public_transport", 1))),
    Theme("clothes", "clothes, shoes and things that are worn", "an icon of a {}, something to wear.",
          below=(("clothing", 1), ("footwear", 2), ("headdress", 1), ("jewelry", 1), ("protective_garment", 1),
                 ("accessory", 1), ("spectacles", 1))),
    Theme("buildings", "buildings and other structures", "an icon of a {}, something built.",
          below=(("structure", 1), ("way", 6), ("facility", 1))),
    Theme("tools", "tools, instruments and weapons", "an icon of a {}, a kind of tool.",
          below=(("implement", 1), ("weapon", 1), ("instrument", 1), ("tool", 1), ("kitchen_utensil", 1),
                 ("medical_instrument", 1))),
    Theme("devices", "machines, electronics and other devices", "an icon of a {}, a kind of device.",
          below=(("device", 1), ("equipment", 1), ("machine", 1), ("computer", 1))),
    Theme("household", "furniture, containers and things of a household",
          "an icon of a {}, a thing found at home.",
          below=(("furniture", 1), ("furnishing", 2), ("container", 1), ("article", 1), ("fabric", 1),
                 ("decoration", 1), ("plaything", 1))),
    Theme("animals", "animals", "an icon of a {}, a kind of animal.", below=(("animal", 1),)),
    Theme("food", "dishes, fruit, sweets and drinks", "an icon of {}, a kind of food.", files=(13,)),
    Theme("body", "parts of the body", "an icon of a {}, a part of the body.", files=(8,)),
    Theme("nature", "plants, sights in nature, sky and weather", "an icon of a {}, a sight in nature.",
          files=(17, 19, 20)),
    Theme("people", "people and beings like them", "an icon of a {}, a kind of person.", files=(18,)),
    Theme("shapes", "geometric figures", "an icon of a {}, a simple shape.", files=(25,)),
)

# What follows was decided by looking at the pictures of all classes once, before any model saw them.
# Lemmas that mean several things in these pictures (a mouse is an animal or belongs to a computer), or none.
LEFT_OUT = frozenset(
    "angle aperture archive back bank bar bars border branch button cap chevron column cross doc female flag "
    "flip font grid loop male mobile monitor mouse mute palm person pin plant power rail ring slider stamp "
    "station switch table toilet".split())
# Lemmas that show the same as another.
SAME = {"blossom": "flower", "cog": "gear", "home": "house", "bolt": "lightning", "timer": "stopwatch",
        "lip": "mouth"}
# Lemmas whose first sense is not what is shown, and their themes.
MOVED = {"crown": "clothes", "ribbon": "clothes", "glove": "clothes", "boxing_glove": "clothes",
         "plug": "devices", "hammer": "tools", "test_tube": "tools", "windmill": "buildings",
         "wheelchair": "vehicles", "doughnut": "food"}

FOOD_FILE, PLANT_FILE = 13, 20
# A plant that is eaten is food: the fruit is one of the first senses of its name.
EATEN_SENSES = 3


class ThemeFinder:
    def __init__(self, wordnet):
        self.wordnet = wordnet
        self.roots = {}
        for theme in THEMES:
            for lemma, number in theme.below:
                self.roots.setdefault(wordnet.offsets[lemma][number - 1], theme)
        self.by_file = {file: theme for theme in THEMES for file in theme.files}

    def find(self, sense, lemma):
        """The theme of a sense, or None."""
        if lemma in MOVED:
            return next(theme for theme in THEMES if theme.name == MOVED[lemma])
        chain = {sense.offset, *self.wordnet.all_ancestors(sense.offset)}
        for theme in THEMES:
            if any(self.roots.get(offset) is theme for offset in chain):
                return theme
        file = sense.file
        if file == PLANT_FILE and any(other.file == FOOD_FILE
                                      for other in self.wordnet.senses(lemma)[:EATEN_SENSES]):
            file = FOOD_FILE
        return self.by_file.get(file)
