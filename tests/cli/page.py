"""Reads an HTML page that the command wrote."""

import json
from html.parser import HTMLParser

VOID = {"meta", "img"}
# Of SVG; HTML lets them close themselves.
SHAPES = {"path", "polyline", "circle"}
PARTS = {"script", "style"}


class Page(HTMLParser):
    """Checks that tags are balanced, and keeps what tests ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.tables, self.scripts, self.data = [], [], None
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.is_data = ("id", "data") in attrs
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attrs):
        assert tag in SHAPES
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in PARTS:
            if self.open[-1] == "script":
                self.scripts.append(data)
                if self.is_data:
                    self.data = json.loads(data)
            return
        self.text.append(data)
        if {"td", "th"} & set(self.open) and "table" in self.open:
            self.tables[-1][-1][-1] += data

    def samples(self):
        """What the script shows of samples, test set by test set."""
        return [group["samples"] for group in self.data["groups"] if "samples" in group]

    def figures(self):
        """The number of drawings; swatches are not."""
        return self.of("svg", "role").count("img")

    def pictures(self):
        return [uri for samples in self.samples() for uri in samples["picture"] if uri]

    def why(self):
        """Why test sets have no pictures, by name."""
        return {group["name"]: group["why"] for group in self.data["groups"] if "why" in group}

    def of(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]
