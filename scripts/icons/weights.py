"""How often a picture is drawn in pre-training, relative to the others of its source.

    weight = concrete x makers x interface x state / sqrt(pictures of the name)

docs/icons.md explains the factors.
"""

ENOUGH_MAKERS = 4  # that draw a thing under one name
ABSTRACT = 0.4
INTERFACE = 0.3
STATE = 0.5
# A word in as many names is a building block of interfaces: arrow, circle, user, file.
PRODUCTIVE = 60


def weight(name, state, pictures, makers, interface_words):
    """`pictures` of the same name in the source, `makers` of pictures of that name in all sources."""
    # WordNet counts as a maker: it has the name.
    factor = min(1.0, (makers + name.whole) / ENOUGH_MAKERS) ** 2 / pictures ** 0.5
    if not name.concrete:
        factor *= ABSTRACT
    words = name.text.split()
    if len(words) > 1 and not name.whole and any(word in interface_words for word in words):
        factor *= INTERFACE
    return factor * STATE if state else factor


def normalised(weights):
    """With mean 1, rounded to four digits after the point; nothing is rounded to 0."""
    mean = sum(weights) / len(weights)
    return [max(0.0001, round(value / mean, 4)) for value in weights]
