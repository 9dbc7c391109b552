"""Renders CLIP's tokenizer in plain Python, on the library functions that the reference also calls
(html.unescape, regex, str.lower), and writes what openworld/text is compared with.
usage: tokens_python.py MERGES STRINGS OUT"""

import html
import html.entities
import json
import random
import sys
import unicodedata
import zlib

import regex

PIECE = regex.compile(
    r"<\|(?:start|end)oftext\|>|'(?:s|t|re|ve|m|ll|d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+",
    regex.IGNORECASE,
)
MARKERS = ("<|startoftext|>", "<|endoftext|>")


def clean(text):
    """As CLIP does, but for ftfy."""
    text = html.unescape(html.unescape(text)).strip()
    return regex.sub(r"\s+", " ", text).strip().lower()


class Tokenizer:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")[1:48895]
        printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
        others = [b for b in range(256) if b not in printable]
        self.symbol = {b: chr(b) for b in printable}
        self.symbol.update({b: chr(256 + i) for i, b in enumerate(others)})
        alphabet = [self.symbol[b] for b in printable + others]
        merges = [tuple(line.split(" ")) for line in lines]
        tokens = alphabet + [s + "</w>" for s in alphabet] + [a + b for a, b in merges]
        tokens += MARKERS
        self.ids = {token: i for i, token in enumerate(tokens)}
        self.tokens = tokens
        self.rank = {pair: i for i, pair in enumerate(merges)}
        self.known = {}

    def word(self, piece):
        symbols = [self.symbol[b] for b in piece.encode("utf-8")]
        symbols[-1] += "</w>"
        while True:
            ranked = [p for p in zip(symbols, symbols[1:]) if p in self.rank]
            if not ranked:
                return [self.ids[s] for s in symbols]
            best = min(ranked, key=self.rank.get)
            merged = []
            for symbol in symbols:
                # A merged symbol is longer than either half, so it cannot be one again.
                if merged and (merged[-1], symbol) == best:
                    merged[-1] += symbol
                else:
                    merged.append(symbol)
            symbols = merged

    def encode(self, text):
        ids = []
        for piece in PIECE.findall(clean(text)):
            if piece in MARKERS:
                ids.append(self.ids[piece])
                continue
            if piece not in self.known:
                self.known[piece] = self.word(piece)
            ids += self.known[piece]
        return ids

    def decode(self, ids):
        byte = {s: b for b, s in self.symbol.items()}
        text = "".join(self.tokens[i] for i in ids)
        text = bytes(byte[c] for c in text).decode("utf-8", errors="replace")
        return text.replace("</w>", " ")


def code_point_blocks(tokenizer):
    """The ids of every assigned character in several places, as a CRC-32 for each 256 of them."""
    blocks = {}
    for first in range(0, 0x110000, 256):
        points = [
            c
            for c in range(first, first + 256)
            if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")
        ]
        lines = []
        for c in map(chr, points):
            ids = tokenizer.encode(f"1{c}a 'S{c} {c}\u03a3 a\u03a3{c}b{c}\u03a3")
            lines.append(" ".join(map(str, ids)) + "\n")
        if points:
            blocks[hex(first)] = {"points": points, "crc": zlib.crc32("".join(lines).encode())}
    return blocks


def html_cases():
    """Every entity in five forms, every number below 300, and 3000 strings of their parts."""
    cases = []
    for name in html.entities.html5:
        bare = name.rstrip(";")
        cases += [f"&{name}", f"x&{bare} y", f"&{bare}x;", f"&amp;{name}", f"&{bare[:-1]};"]
    for n in [*range(300), 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFDD0, 0xFFFD, 0xFFFF, 0x10FFFE]:
        cases += [f"&#{n};", f"&#x{n:X}", f"&#X{n:x}g"]
    rand = random.Random(1)
    parts = list("&&&&&##xX;;; <\t\n\f19afgé日") + ["amp", "lt", "not", "notin", "sub", "Tab", "38"]
    for _ in range(3000):
        cases.append("".join(rand.choice(parts) for _ in range(rand.randint(1, 60))))
    return [[text, clean(text)] for text in cases]


def main(merges, strings, out):
    tokenizer = Tokenizer(merges)
    with open(strings, encoding="utf-8") as file:
        texts = json.load(file)
    results = []
    for text in texts:
        ids = tokenizer.encode(text)
        results.append({"clean": clean(text), "ids": ids, "decoded": tokenizer.decode(ids)})
    with open(out, "w", encoding="utf-8") as file:
        json.dump(
            {
                "unicode": unicodedata.unidata_version,
                "strings": results,
                "blocks": code_point_blocks(tokenizer),
                "html": html_cases(),
            },
            file,
        )


main(*sys.argv[1:])
