"""Reads an HTML page that the command wrote."""

from html.parser import HTMLParser

VOID = {"meta", "img"}
# Of SVG; HTML lets them close themselves.
SHAPES = {"path", "polyline", "circle"}


class Page(HTMLParser):
    """Checks that tags are balanced, and keeps what tests ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.tables = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
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
        self.text.append(data)
        if {"td", "th"} & set(self.open) and "table" in self.open:
            self.tables[-1][-1][-1] += data

    def of(self, tag, name):
        return [value for t, n, value in self.attributes if (t, n) == (tag, name)]
