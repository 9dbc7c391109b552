"""Links inside the repository lead somewhere, and every page is reached from docs/README.md."""

import re

import pytest
from pages import PAGES, ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(page):
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page):
    """(target, anchor) of the links to files."""
    text = re.sub(r"\[`[^`\n]*`\]\(", "[](", page.read_text())  # the text of a link may be code
    for link in LINK.findall(without_code(text)):
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in links(page):
        assert target.exists(), f"{page}: {target} does not exist"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page}: {target} has no heading #{anchor}"


def test_every_page_is_reached():
    """From the index, by links between pages."""
    found, left = set(), [ROOT / "docs" / "README.md"]
    while left:
        page = left.pop()
        page = page / "README.md" if page.is_dir() else page
        if page in found or page.suffix != ".md" or not page.exists():
            continue
        found.add(page)
        left += [target for target, _ in links(page)]
    docs = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert docs - found == set()
