"""From the identifier of an icon to the name of what it shows: "bell-off-2-outline" to "bell".

docs/icons.md states the rules.
"""

import functools
import re
from dataclasses import dataclass

from icons.wordnet import FUNCTION_WORDS, singulars

# Ends of identifiers that say how a thing is drawn, and what a caption calls that.
STYLES = {
    "outline": "outline", "outlined": "outline", "line": "outline", "linear": "outline",
    "lined": "outline", "stroke": "outline", "regular": "outline", "thin": "thin outline",
    "light": "thin outline", "fill": "filled", "filled": "filled", "solid": "filled",
    "bold": "bold", "bolder": "bold", "duotone": "two-tone", "twotone": "two-tone",
    "tone": "two-tone", "duo": "two-tone", "bulk": "two-tone", "broken": "broken", "flat": "flat",
    "color": "coloured", "colored": "coloured", "colour": "coloured", "sharp": "sharp",
    "rounded": "rounded", "round": "rounded",
}
# Ends that say nothing about the picture.
NOISE = frozenset(
    "alt alternate alternative variant simple minimalistic mini micro small large medium big lite "
    "baseline remix sharped rtl ltr ios android two duotoned icon icons glyph temp new old".split())
LOGO_WORDS = frozenset("logo logos brand brands logotype".split())
MOST_WORDS = 3  # of a name, function words not counted
MOST_WORDS_OF_EMOJI = 5
LONGEST_COMPOUND = 3
# A word, or a name, that as many independent makers use counts as something that can be drawn, and as
# a word, though WordNet may not know it: wifi.
POPULAR = 12
FAMILIAR = 3


@dataclass(frozen=True)
class Name:
    text: str  # "coffee cup"
    words: tuple  # those of it that can be drawn: ("coffee", "cup")
    lemma: str  # of the whole name in WordNet, "coffee_cup", or of its last part; "" if neither
    whole: bool  # whether `lemma` is that of the whole name
    concrete: bool


@dataclass(frozen=True)
class Phrase:
    words: tuple  # of the identifier, without style
    style: str  # "", "outline", "filled", ...


@functools.lru_cache(maxsize=None)
def split(identifier):
    """Words of letters. A part that starts with a digit is dropped, and so are digits behind a word."""
    return tuple(re.sub(r"\d.*", "", part) for part in re.split(r"[-_ .:]+", identifier.lower())
                 if re.match(r"[a-z]", part))


def strip_ends(words, prefixes, suffixes):
    """Without the first and last words that the set itself declares as styles, and these words."""
    for declared, at_end in ((suffixes, True), (prefixes, False)):
        for end in declared:
            part = words[-len(end):] if at_end else words[:len(end)]
            if end and len(end) < len(words) and part == end:
                return (words[:-len(end)] if at_end else words[len(end):]), end
    return words, ()


def style_of(words):
    return next((STYLES[word] for word in words if word in STYLES), "")


class Cleaner:
    """Cleans the names of one corpus. `makers_of_word` counts who uses a word, over all sets."""

    def __init__(self, wordnet, makers_of_word):
        self.wordnet = wordnet
        self.makers_of_word = makers_of_word

    def phrase(self, identifier, prefixes=(), suffixes=(), category=()):
        """The words of an identifier without those of style, size and category."""
        words, removed = strip_ends(split(identifier), prefixes, suffixes)
        styles = list(removed)
        while len(words) > 1 and (len(words[-1]) == 1 or words[-1] in STYLES or words[-1] in NOISE):
            if self.wordnet.noun(words[-2:]):  # traffic light
                break
            styles.append(words[-1])
            words = words[:-1]
        if category and len(words) > len(category) and words[:len(category)] == category:
            words = words[len(category):]
        return Phrase(tuple(part for word in words for part in self.unglue(word)), style_of(styles))

    def is_known(self, word):
        return (word in self.wordnet.known or word in FUNCTION_WORDS
                or self.makers_of_word.get(word, 0) >= FAMILIAR
                or any(single in self.wordnet.known for single in singulars(word)))

    @functools.lru_cache(maxsize=None)
    def unglue(self, word):
        """The words that were written as one, "slice of pizza", or the word itself."""
        if self.is_known(word) or len(word) < 6:
            return (word,)
        # Fewest parts to the first i letters; of equally few, the longest first part.
        best = [()] + [None] * len(word)
        for end in range(2, len(word) + 1):
            for begin in range(end - 1):
                part = word[begin:end]
                if best[begin] is None or (begin and not best[begin]):
                    continue
                if part not in ("of", "and", "with", "in", "on") and (
                        len(part) < 3 or self.wordnet.noun((part,)) is None):
                    continue
                found = (*best[begin], part)
                if best[end] is None or (len(found), [-len(p) for p in found]) < (
                        len(best[end]), [-len(p) for p in best[end]]):
                    best[end] = found
        return best[len(word)] if best[len(word)] and len(best[len(word)]) <= 4 else (word,)

    def parts(self, words):
        """[(words, lemma or None)]: the longest nouns of WordNet from left to right, and single words."""
        parts, at = [], 0
        while at < len(words):
            for size in range(min(LONGEST_COMPOUND, len(words) - at), 0, -1):
                piece = words[at:at + size]
                lemma = None if size == 1 and piece[0] in FUNCTION_WORDS else self.wordnet.noun(piece)
                if lemma or size == 1:
                    parts.append((piece, lemma))
                    at += size
                    break
        return parts

    def can_be_drawn(self, words, lemma):
        """Whether a part is a thing: a concrete noun, or a compound whose last word is one."""
        if lemma is None:
            return False
        if self.wordnet.concrete(lemma):
            return True
        last = self.wordnet.noun(words[-1:]) if len(words) > 1 else None
        return last is not None and self.wordnet.concrete(last) is not None

    def name(self, words, emoji=False):
        """The Name of words, or None if nothing remains or a word is unknown. The words of an emoji are
        a description, so that none are left out."""
        parts = self.parts(words)
        if LOGO_WORDS & set(words) or not all(lemma or self.is_known(*piece) for piece, lemma in parts):
            return None
        things = [i for i, part in enumerate(parts) if self.can_be_drawn(*part)]
        if things and not emoji:
            # What follows the last thing is a state: "bell off", "book open".
            parts = parts[:things[-1] + 1]
        kept = tuple(word for piece, _ in parts for word in piece)
        content = [word for word in kept if word not in FUNCTION_WORDS]
        most = MOST_WORDS_OF_EMOJI if emoji else MOST_WORDS
        if not content or len(content) > most or len(kept) > most + 1:
            return None
        text = " ".join(self.spell(piece, lemma) for piece, lemma in parts)
        if any(len(word) == 1 for word in text.split()) or (len(text) < 3 and not emoji):
            return None
        whole = self.wordnet.noun(kept)
        drawn = tuple(dict.fromkeys(word for word in content if self.is_drawn(word)))
        return Name(text, drawn, whole or (parts[-1][1] if things else None) or "", whole is not None,
                    bool(things))

    def is_drawn(self, word):
        """Whether a word is worth predicting from a picture."""
        lemma = self.wordnet.noun((word,))
        if lemma is not None and self.wordnet.concrete(lemma):
            return True
        return self.makers_of_word.get(word, 0) >= POPULAR and word not in self.wordnet.adjectives

    @staticmethod
    def spell(words, lemma):
        """As WordNet writes a compound with a hyphen, "t-shirt"; otherwise with spaces."""
        if lemma and len(words) > 1 and "-" in lemma and lemma.replace("-", "") == "".join(words):
            return lemma
        return " ".join(words)
