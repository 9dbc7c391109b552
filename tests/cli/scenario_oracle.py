"""The nine scenarios, a few lines each: what their protocols say, and nothing of the program's code."""

import random
import re
from fractions import Fraction
from math import floor
from typing import NamedTuple

WORD = (1 << 64) - 1
BASE, NEW, UNKNOWN = 0, 1, -1
CLASSES, THINNING, SOURCE_CLASSES, TARGET_CLASSES, SOURCE_IMAGES, OTHER_IMAGES = range(1, 7)


class Refused(Exception):
    """What the program has to refuse."""


class World(NamedTuple):
    name: str
    classes: list  # names by label
    train: list  # (path, label) of every image; -1: of no class
    test: list


class View(NamedTuple):
    world: str
    level: str
    base: list  # names
    new: list
    images: dict  # (number of the world, sample) -> (side, label); the source is 0
    removed: list = []


# --- The documented generator: xoshiro256++ seeded by SplitMix64, Lemire's bounded numbers, Fisher-Yates.


def mix64(x):
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def rotl(x, k):
    return ((x << k) | (x >> (64 - k))) & WORD


def permutation(n, seed, draw, which=0):
    word = mix64(mix64(seed) ^ (draw << 32 | which))
    state = []
    for _ in range(4):
        word = mix64(word)
        state.append(word)

    def next_word():
        result = (rotl((state[0] + state[3]) & WORD, 23) + state[0]) & WORD
        shifted = (state[1] << 17) & WORD
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = rotl(state[3], 45)
        return result

    def below(n):
        while True:
            product = next_word() * n
            if product & WORD >= (1 << 64) % n:
                return product >> 64

    order = list(range(n))
    for i in range(n, 1, -1):
        j = below(i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


# --- What the scenarios share.


def share(t, n):
    return floor(Fraction(t) * n + Fraction(1, 2))


def plain(name):
    words = re.sub(r"[-_\s]+", " ", name.lower()).strip()
    return re.sub(r"^(a|an|the) ", "", words)


def base_count(source, base):
    return (len(source.classes) + 1) // 2 if base == "half" else int(base)


def samples(world, labels):
    """The test images of these classes, in the order of the list."""
    return [i for i, (_, label) in enumerate(world.test) if label in labels]


def present(world):
    return [label for label in range(len(world.classes)) if samples(world, {label})]


def names(world, labels):
    return [world.classes[label] for label in labels]


def show(number, world, chosen, places):
    """`places` gives side and label of each class; images of no class are unknown if it has -1."""
    return {(number, i): places[world.test[i][1]] for i in chosen if world.test[i][1] in places}


def places_of(base, new):
    return {**{label: (BASE, i) for i, label in enumerate(base)},
            **{label: (NEW, i) for i, label in enumerate(new)}}


def refuse():
    raise Refused


def finished(train, views):
    return (train, views) if all(view.images for view in views) else refuse()


# --- The scenarios: (names that are tuned on, views).


def base_to_new(source, base):
    labels, n = range(len(source.classes)), base_count(source, base)
    places = {**places_of(labels[:n], labels[n:]), UNKNOWN: (UNKNOWN, -1)}
    images = show(0, source, range(len(source.test)), places)
    return names(source, labels[:n]), names(source, labels[n:]), images


def recognition(source, seed, base="half"):
    base, new, images = base_to_new(source, base)
    return finished(base, [View(source.name, "test", base, new, images)])


def thin(source, images, side, factor, seed, draws, shots=16):
    of_class = {}
    for (_, i), (its_side, _) in images.items():
        if its_side == side:
            of_class.setdefault(source.test[i][1], []).append(i)
    if draws == "published":
        of_last = {}
        for i, (_, label) in enumerate(source.train):
            if label < 0:
                continue
            of_last.setdefault(label, []).append(i)
        last = list(of_last.values())[-1]
        random.seed(seed)
        random.sample(last, shots) if len(last) >= shots else random.choices(last, k=shots)
        kept = [i for items in of_class.values()
                for i in random.sample(items, int(max(float(factor) * len(items), 1)))]
    else:
        kept = [items[i] for label, items in of_class.items()
                for i in permutation(len(items), seed, THINNING, label)
                [:max(floor(factor * len(items)), 1)]]
    return {key: value for key, value in images.items() if value[0] != side or key[1] in kept}


def imbalance(source, seed, base="half", factor="0.2", draws="nested", shots="16"):
    base, new, images = base_to_new(source, base)
    views = [View(source.name, level, base, new,
                  thin(source, images, side, Fraction(factor), seed, draws, int(shots)))
             for level, side in (("forward", NEW), ("backward", BASE))]
    return finished(base, views) if new else refuse()


def ratio(source, seed, base="half", levels="10,5,3,2,1,0.7,0.5,0.3,0.2,0.1"):
    base, new, images = base_to_new(source, base)
    views = []
    for level in levels.split(","):
        t = Fraction(level)
        side, factor = (BASE, 1 / t) if t > 1 else (NEW, t)
        kept = thin(source, images, side, factor, seed, "nested")
        views.append(View(source.name, level, base, new, kept))
    return finished(base, views) if new else refuse()


def by_name(source, look):
    """The labels of the source of the classes of a look that have images."""
    source_label = {}
    for label, name in reversed(list(enumerate(source.classes))):
        source_label[plain(name)] = label
    if any(plain(look.classes[label]) not in source_label for label in present(look)):
        raise Refused
    return {label: source_label[plain(look.classes[label])] for label in present(look)}


def domain(source, seed, *looks, base="half"):
    n, views = base_count(source, base), []
    for number, look in enumerate(looks, 1):
        like = by_name(source, look)
        shown = sorted(set(like.values()))
        base, new = [x for x in shown if x < n], [x for x in shown if x >= n]
        places = {label: places_of(base, new)[like[label]] for label in like}
        images = show(number, look, range(len(look.test)), {**places, UNKNOWN: (UNKNOWN, -1)})
        views.append(View(look.name, "test", names(source, base), names(source, new), images))
    return finished(source.classes[:n], views)


def cross_dataset(source, seed, *targets, base="half", remove=""):
    n, views = base_count(source, base), []
    base = range(n)
    unwanted = {plain(name) for name in remove.split(",") if name}
    for number, target in enumerate(targets, 1):
        taken = {plain(source.classes[label]) for label in base} | unwanted
        new = [c for c in present(target) if plain(target.classes[c]) not in taken]
        removed = [c for c in present(target) if plain(target.classes[c]) in taken]
        if not new:
            raise Refused
        images = {**show(0, source, range(len(source.test)), places_of(base, [])),
                  **show(number, target, range(len(target.test)), places_of([], new))}
        views.append(View(target.name, "test", names(source, base), names(target, new), images,
                          names(target, removed)))
    return finished(source.classes[:n], views)


TIMES = "0,0.2,0.4,0.6,0.8,1"


def classes_over_time(source, seed, levels, base_at, new_at):
    order, n = permutation(len(source.classes), seed, CLASSES), base_count(source, "half")
    views = []
    for t in levels.split(","):
        base, new = order[:base_at(t, n)], order[n:n + new_at(t, n)]
        images = show(0, source, range(len(source.test)), places_of(base, new))
        views.append(View(source.name, t, names(source, base), names(source, new), images))
    return finished(names(source, order[:n]), views)


def emerging(source, seed, levels=TIMES):
    return classes_over_time(source, seed, levels, lambda t, n: n, share)


def varying_ratio(source, seed, levels=TIMES):
    return classes_over_time(source, seed, levels, lambda t, n: n - share(t, n), share)


def shift(source, seed, *looks, levels=TIMES, mixture="pools"):
    views = []
    for number, look in enumerate(looks, 1):
        like = by_name(source, look)
        base = sorted(set(like.values()))
        pools = samples(source, base), samples(look, like)
        orders = [permutation(len(pool), seed, draw)
                  for pool, draw in zip(pools, (SOURCE_IMAGES, OTHER_IMAGES))]
        places, smaller = places_of(base, []), min(map(len, pools))
        for t in levels.split(","):
            kept = share(1 - Fraction(t), len(pools[0])), share(t, len(pools[1]))
            if mixture == "share":
                kept = smaller - share(t, smaller), share(t, smaller)
            from_source = [pools[0][i] for i in orders[0][:kept[0]]]
            from_look = [pools[1][i] for i in orders[1][:kept[1]]]
            images = {**show(0, source, from_source, places),
                      **show(number, look, from_look, {c: places[like[c]] for c in like})}
            views.append(View(look.name, t, names(source, base), [], images))
    return finished(source.classes, views)


def co_evolution(source, seed, *targets, levels=TIMES, train="unshared"):
    def shared(target):
        taken = {plain(target.classes[c]) for c in present(target)}
        return [c for c, name in enumerate(source.classes) if plain(name) in taken]

    left = set(range(len(source.classes)))
    if train == "unshared":
        left = left.difference(*map(shared, targets))
    if len(left) < 2:
        raise Refused
    views = []
    for number, target in enumerate(targets, 1):
        ours = [c for c in present(source) if c in left and c not in shared(target)]
        theirs = present(target)
        n = min(len(ours), len(theirs))
        if n == 0:
            raise Refused
        ours = [ours[i] for i in permutation(len(ours), seed, SOURCE_CLASSES)[:n]]
        theirs = [theirs[i] for i in permutation(len(theirs), seed, TARGET_CLASSES)[:n]]
        pools = samples(source, ours), samples(target, theirs)
        size = min(map(len, pools))
        drawn = [[pool[i] for i in permutation(len(pool), seed, draw)[:size]]
                 for pool, draw in zip(pools, (SOURCE_IMAGES, OTHER_IMAGES))]
        for t in levels.split(","):
            base, new = ours[:n - share(t, n)], theirs[:share(t, n)]
            images = {**show(0, source, drawn[0], places_of(base, [])),
                      **show(number, target, drawn[1], places_of([], new))}
            views.append(View(target.name, t, names(source, base), names(target, new), images,
                              names(source, shared(target))))
    return finished(names(source, sorted(left)), views)
