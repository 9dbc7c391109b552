"""Random choices that depend on a text alone, and are the same in every version of Python."""

import random


class Dice:
    def __init__(self, seed):
        self._random = random.Random(seed)  # of a text: seeded by its SHA-512

    def chance(self, probability):
        return self._random.random() < probability

    def below(self, n):
        return int(self._random.random() * n)

    def pick(self, items):
        return items[self.below(len(items))]

    def some(self, items, n):
        """`n` different items, in random order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(min(n, len(rest)))]
