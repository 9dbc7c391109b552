"""A WordNet of a few nouns, in the files of the real one."""

# lemmas of a synset, lexicographer file, count of the first lemma, hypernym (its first lemma)
SYNSETS = [
    (("entity",), 3, 9, None),
    (("animal", "beast"), 3, 60, "entity"),
    (("artifact",), 3, 9, "entity"),
    (("vehicle",), 6, 20, "artifact"),
    (("device",), 6, 20, "artifact"),
    (("feline",), 5, 0, "animal"),
    (("cat",), 5, 18, "feline"),
    (("bear",), 5, 1, "animal"),
    (("mouse",), 5, 4, "animal"),
    (("car", "auto"), 6, 70, "vehicle"),
    (("clock",), 6, 9, "device"),
    (("alarm_clock",), 6, 3, "clock"),
    (("bell",), 6, 9, "device"),
    (("traffic_light",), 6, 1, "device"),
    (("light",), 6, 9, "device"),
    (("shirt",), 6, 9, "artifact"),
    (("t-shirt",), 6, 1, "shirt"),
    (("cup",), 6, 9, "artifact"),
    (("arrow",), 6, 9, "artifact"),
    (("coffee",), 13, 9, "entity"),
    (("pizza",), 13, 9, "entity"),
    (("slice",), 13, 9, "entity"),
    (("banana",), 20, 9, "entity"),
    (("head",), 8, 9, "entity"),
    (("circle",), 25, 9, "entity"),
    (("printer", "pressman"), 18, 2, "entity"),
    (("printer",), 6, 1, "device"),
    (("freedom",), 7, 9, "entity"),
    (("apple",), 13, 9, "entity"),
    (("down",), 5, 1, "animal"),
]
# The second "banana" is the fruit.
EXTRA_SENSES = {"banana": "apple"}
VERBS = {"open": 0, "ring": 0}
ADJECTIVES = {"red": 20, "open": 92, "winged": 1, "light": 3}
ADVERBS = {"down": 136, "off": 34}


def write_wordnet(folder):
    folder.mkdir(parents=True, exist_ok=True)
    offset_of, senses = {}, {}
    for i, (lemmas, *_) in enumerate(SYNSETS):
        offset_of.setdefault(lemmas[0], f"{i + 1:08d}")
        for lemma in lemmas:
            senses.setdefault(lemma, []).append(f"{i + 1:08d}")
    for lemma, other in EXTRA_SENSES.items():
        senses[lemma].append(offset_of[other])
    with open(folder / "data.noun", "w") as file:
        file.write("  1 a line of the licence\n")
        for i, (lemmas, lexfile, _, parent) in enumerate(SYNSETS):
            words = " ".join(f"{lemma} 0" for lemma in lemmas)
            pointers = f"001 @ {offset_of[parent]} n 0000" if parent else "000"
            file.write(f"{i + 1:08d} {lexfile:02d} n {len(lemmas):02x} {words} {pointers} | a gloss\n")
    with open(folder / "index.noun", "w") as file:
        file.write("  1 a line of the licence\n")
        for lemma in sorted(senses):
            n = len(senses[lemma])
            file.write(f"{lemma} n {n} 1 @ {n} 0 {' '.join(senses[lemma])}  \n")
    with open(folder / "index.sense", "w") as file:
        for i, (lemmas, lexfile, count, _) in enumerate(SYNSETS):
            for lemma in lemmas:
                file.write(f"{lemma}%1:{lexfile:02d}:00:: {i + 1:08d} 1 {count}\n")
        for part, words in (("2", VERBS), ("3", ADJECTIVES), ("4", ADVERBS)):
            for word, count in words.items():
                file.write(f"{word}%{part}:00:00:: 00000000 1 {count}\n")
    for part, words in (("verb", VERBS), ("adj", ADJECTIVES), ("adv", ADVERBS)):
        (folder / f"index.{part}").write_text("".join(f"{word} x 1 0 1 0 00000000\n" for word in words))
    return folder
