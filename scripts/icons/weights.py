"""How often a picture is drawn in pre-training, relative to the others of its source.

    weight = reliable x concrete x interface x state x sqrt(icons of the name) / pictures of the name

docs/icons.md explains the factors.
"""

ENOUGH_MAKERS = 4  # that draw a thing under one name
ABSTRACT = 0.4
INTERFACE = 0.3
STATE = 0.5
# A word in as many names is a building block of interfaces: arrow, circle, user, file.
PRODUCTIVE = 60


def weight(name, state, icons, pictures, makers, names_with):
    """`icons` of the same name and `pictures` of them in the source, which are more or fewer where icons are drawn
    by hand; `makers` of the name in all sources; `names_with` is {word: number of names that have it}."""
    # WordNet counts as a maker: it has the name.
    factor = min(1.0, (makers + name.whole) / ENOUGH_MAKERS) ** 2 * icons ** 0.5 / pictures
    if not name.concrete:
        factor *= ABSTRACT
    words = name.text.split()
    if len(words) > 1 and not name.whole and any(names_with.get(word, 0) >= PRODUCTIVE for word in words):
        factor *= INTERFACE
    return factor * STATE if state else factor


def normalised(weights):
    """With mean 1, rounded to four digits after the point; nothing is rounded to 0."""
    mean = sum(weights) / len(weights)
    return [max(0.0001, round(value / mean, 4)) for value in weights]
