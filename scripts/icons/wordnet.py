"""Nouns of WordNet: senses, what they are a kind of, and which can be drawn.

Reads index.noun, data.noun and index.sense of WordNet 3.1; index.verb, index.adj and index.adv only for
which words there are and how often they occur in its tagged texts.
"""

import functools
from collections import defaultdict
from dataclasses import dataclass

# The lexicographers' files of things that have a shape.
CONCRETE_FILES = {5: "animal", 6: "artifact", 8: "body", 13: "food", 17: "object", 18: "person",
                  19: "phenomenon", 20: "plant", 25: "shape", 27: "substance"}
# Nouns at the top of the tree are in a file of their own.
TOPS_FILE, PERSON_FILE = 3, 18
PERSON_TIMES = 10  # as often the texts must have the person, rather than the other thing
TOPS = {"person": 18, "animal": 5, "plant": 20, "food": 13}
# A noun counts as concrete if one of its first senses is: "fan" is first a device, "mouse" a rodent.
FIRST_SENSES = 2

IRREGULAR = {"feet": "foot", "teeth": "tooth", "geese": "goose", "mice": "mouse", "children": "child",
             "people": "person", "leaves": "leaf", "knives": "knife", "loaves": "loaf",
             "wolves": "wolf", "shelves": "shelf", "scarves": "scarf", "hooves": "hoof",
             "men": "man", "women": "woman", "dice": "die"}
FUNCTION_WORDS = frozenset(
    "a an and as at be by do for from go he i if in into is it me my no not of off on or out over so "
    "than that the to under up us we with without".split())


@dataclass(frozen=True)
class Sense:
    offset: str
    file: int
    count: int  # occurrences in the tagged texts


def singulars(word):
    """Forms that `word` may be the plural of, likeliest first."""
    if word in IRREGULAR:
        yield IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        yield word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        yield word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        yield word[:-1]


class WordNet:
    def __init__(self, folder):
        self.offsets = {}  # lemma -> offsets by sense
        self.files = {}  # offset -> lexicographer file
        self.lemmas = {}  # offset -> lemmas, the usual one first
        self.parents = {}  # offset -> offsets of hypernyms
        self.known = set()  # every lemma of every part of speech
        self.counts = {}  # (lemma, offset) -> count, nouns
        self.described = defaultdict(int)  # lemma -> count as an adjective or adverb
        for line in self._lines(folder / "index.noun"):
            fields = line.split()
            self.offsets[fields[0]] = fields[-int(fields[2]):]
        for line in self._lines(folder / "data.noun"):
            self._read_synset(line.split(" | ")[0].split())
        for line in self._lines(folder / "index.sense"):
            key, offset, _, count = line.split()
            lemma, _, rest = key.partition("%")
            if rest[0] == "1":
                self.counts[lemma, offset] = int(count)
            elif rest[0] != "2":
                self.described[lemma] += int(count)
        self.known.update(self.offsets)
        self.adjectives = {line.split()[0] for line in self._lines(folder / "index.adj")}
        self.known.update(self.adjectives)
        for part in ("verb", "adv"):
            self.known.update(line.split()[0] for line in self._lines(folder / f"index.{part}"))

    @staticmethod
    def _lines(path):
        with open(path, encoding="ascii") as file:
            yield from (line for line in file if not line.startswith(" "))

    def _read_synset(self, fields):
        offset, file, words = fields[0], int(fields[1]), int(fields[3], 16)
        first = fields[4]
        self.files[offset] = TOPS.get(first, file) if file == TOPS_FILE else file
        self.lemmas[offset] = fields[4:4 + 2 * words:2]
        pointers = fields[5 + 2 * words:]
        self.parents[offset] = [pointers[i + 1] for i in range(0, len(pointers) - 3, 4)
                                if pointers[i] in ("@", "@i")]

    def senses(self, lemma):
        return [Sense(offset, self.files[offset], self.counts.get((lemma, offset), 0))
                for offset in self.offsets.get(lemma, [])]

    @functools.lru_cache(maxsize=None)
    def noun(self, words):
        """The lemma of a tuple of words, also of a plural, or None: ("alarm", "clocks") is alarm_clock."""
        last = [words[-1], *singulars(words[-1])]
        for joint in ("_", "-", ""):
            for form in last:
                lemma = joint.join((*words[:-1], form))
                if lemma in self.offsets and (joint or len(words) == 1 or len(words[-1]) > 2):
                    return lemma
        return None

    @functools.lru_cache(maxsize=None)
    def concrete(self, lemma):
        """The first concrete one of the first senses, or None. A word that mostly describes, such as
        "open", is not concrete."""
        senses = self.senses(lemma)[:FIRST_SENSES]
        things = [sense for sense in senses if sense.file in CONCRETE_FILES]
        # A printer is rather a machine than a person, a whale an animal, but a worker is not a bee. A page
        # is not a boy.
        people = [sense for sense in things if sense.file == PERSON_FILE and sense == senses[0]]
        others = [sense for sense in things if sense.file != PERSON_FILE]
        if people and others and people[0].count > PERSON_TIMES * others[0].count + PERSON_TIMES:
            others = []
        found = next(iter(others or people), None)
        if found and self.described[lemma] > 3 * max(1, sum(s.count for s in self.senses(lemma))):
            return None
        return found

    def ancestors(self, offset):
        """Hypernyms by the first path, nearest first."""
        while self.parents[offset]:
            offset = self.parents[offset][0]
            yield offset

    def all_ancestors(self, offset):
        """Hypernyms by every path."""
        found, rest = set(), list(self.parents[offset])
        while rest:
            parent = rest.pop()
            if parent not in found:
                found.add(parent)
                rest += self.parents[parent]
        return found
