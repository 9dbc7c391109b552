"""Every icon of the sets in use, with its name: what may go into the corpus or the world."""

import functools
import json
import re
from collections import defaultdict
from dataclasses import dataclass

from icons.names import POPULAR, Cleaner, split
from icons.wordnet import FUNCTION_WORDS

SKIN = re.compile(r"skin-tone|(-(light|medium-light|medium|medium-dark|dark))$")
BRANDS = re.compile(r"\b(brands?|logos?|social)\b", re.IGNORECASE)
# As many sets of logos have to have a name for it to be a brand, unless it is that of a thing.
LOGO_SETS = 2
MOST_KEYWORDS = 8
# A name that WordNet does not have needs as many makers.
ENOUGH_MAKERS = 2


@dataclass(frozen=True)
class Icon:
    set: str
    id: str
    name: object  # names.Name
    phrase: str  # all words of the identifier without style, if the name has fewer; or ""
    style: str
    aliases: tuple
    keywords: tuple
    emoji: bool


@functools.lru_cache(maxsize=None)
def read_set(folder, prefix):
    """A set as its file has it, without the drawings."""
    data = json.loads((folder / "json" / f"{prefix}.json").read_text())
    icons = {name: {"hidden": icon.get("hidden", False)} for name, icon in data["icons"].items()}
    return {key: data.get(key) for key in ("aliases", "categories", "prefixes", "suffixes")} | {"icons": icons}


def visible(data):
    """Identifiers of icons that the maker has not withdrawn, sorted."""
    return sorted(name for name, icon in data["icons"].items() if not icon.get("hidden"))


def declared(ends):
    """Styles that a set declares, as words, the longest first."""
    return sorted({split(end) for end in ends or {}} - {()}, key=lambda words: (-len(words), words))


def categories_of(data):
    found = defaultdict(list)
    for title, names in (data.get("categories") or {}).items():
        for name in names:
            found[name].append(title)
    return found


def aliases_of(data):
    found = defaultdict(list)
    for alias, icon in sorted((data.get("aliases") or {}).items()):
        if not {"rotate", "hFlip", "vFlip"} & set(icon):
            found[icon["parent"]].append(alias)
    return found


def is_flag(identifier, titles, emoji):
    return "Flags" in titles or (emoji and identifier.startswith("flag-"))


def slug(title):
    """The words of a category's title: FoodDrink, "Food & Drink"."""
    return split("-".join(re.findall(r"[A-Z]?[a-z]+", title)))


class Keywords:
    """Of an emoji, by its name in Unicode."""

    def __init__(self, emoji_folder, keyword_folder):
        names = json.loads((emoji_folder / "data-by-emoji.json").read_text())
        words = json.loads((keyword_folder / "dist" / "emoji-en-US.json").read_text())
        self._found = {split(entry["slug"]): words.get(emoji, []) for emoji, entry in names.items()}

    def of(self, identifier, name):
        words = (keyword.replace("_", " ").lower() for keyword in self._found.get(split(identifier), []))
        return tuple(word for word in dict.fromkeys(words)
                     if word != name and re.fullmatch(r"[a-z][a-z -]+", word))[:MOST_KEYWORDS]


def brand_names(folder, prefixes):
    """Names, as words, that at least LOGO_SETS sets of logos have."""
    count = defaultdict(int)
    for prefix in prefixes:
        for words in {split(name) for name in visible(read_set(folder, prefix))}:
            count[words] += 1
    return {words for words, sets in count.items() if sets >= LOGO_SETS}


def word_makers(folder, sets):
    """{word: number of makers that use it}, over the sets that pre-training sees."""
    makers = defaultdict(set)
    for prefix, icon_set in sets.items():
        if not icon_set.held_out:
            for identifier in visible(read_set(folder, prefix)):
                for word in split(identifier):
                    makers[word].add(icon_set.maker)
    return {word: len(found) for word, found in makers.items()}


def icons_of_set(icon_set, data, cleaner, keywords, brands):
    prefixes, suffixes = declared(data.get("prefixes")), declared(data.get("suffixes"))
    categories, aliases = categories_of(data), aliases_of(data)
    identifiers = visible(data)
    known = set(identifiers)
    for identifier in identifiers:
        titles = categories.get(identifier, [])
        if any(map(BRANDS.search, titles)) or is_flag(identifier, titles, icon_set.emoji):
            continue
        if icon_set.emoji and ("skin-tone" in identifier or SKIN.sub("", identifier) in known - {identifier}):
            continue

        def clean(text):
            category = next((words for words in map(slug, titles) if words), ())
            phrase = cleaner.phrase(text, prefixes, suffixes, category)
            return phrase, cleaner.name(phrase.words, icon_set.emoji)

        phrase, name = clean(identifier)
        if name is None or (not name.concrete and phrase.words in brands):
            continue
        others = dict.fromkeys(other.text for _, other in map(clean, aliases.get(identifier, []))
                               if other and other.concrete and other.text != name.text)
        said = " ".join(phrase.words)
        shorter = len(said.split()) > len(name.text.replace("-", " ").split())
        yield Icon(icon_set.prefix, identifier, name, said if shorter else "", phrase.style, tuple(others),
                   keywords.of(identifier, name.text) if icon_set.emoji else (), icon_set.emoji)


class Catalog:
    """Icons of the sets in use whose names can be drawn. `makers` counts the makers of a name, `names_with` the
    names that have a word, over the sets that pre-training sees."""

    def __init__(self, folders, sets, logo_sets, wordnet):
        self.sets = sets
        self.cleaner = Cleaner(wordnet, word_makers(folders["icons"], sets))
        keywords = Keywords(folders["emoji"], folders["keywords"])
        brands = brand_names(folders["icons"], logo_sets)
        icons = []
        for prefix, icon_set in sets.items():
            data = read_set(folders["icons"], prefix)
            icons += icons_of_set(icon_set, data, self.cleaner, keywords, brands)
        makers, names = defaultdict(set), defaultdict(set)
        for icon in icons:
            if not sets[icon.set].held_out:
                makers[icon.name.text].add(sets[icon.set].maker)
                for word in icon.name.text.split():
                    names[word].add(icon.name.text)
        self.makers = {name: len(found) for name, found in makers.items()}
        self.names_with = {word: len(found) for word, found in names.items() if word not in FUNCTION_WORDS}
        self.icons = [icon for icon in icons if self.is_wanted(icon)]

    def is_wanted(self, icon):
        name, makers = icon.name, self.makers.get(icon.name.text, 0)
        if name.concrete and self.sets[icon.set].held_out:
            return True
        return makers >= (POPULAR if not name.concrete else 1 if name.whole else ENOUGH_MAKERS)
