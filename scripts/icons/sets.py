"""Which icon sets are used, who made them, and which are held out for the world Icons."""

import json
import re
from dataclasses import dataclass

PERMISSIVE = {"MIT", "Apache-2.0", "ISC", "CC0-1.0", "CC-BY-3.0", "CC-BY-4.0", "OFL-1.1",
              "BSD-3-Clause", "Unlicense"}
# Sets that are logos though their category does not say so: by their title, or by name.
LOGO_TITLE = re.compile(r"\b(brands?|logos?)\b", re.IGNORECASE)
LOGOS = {"academicons"}

# Held out, by style: the world Icons consists of these sets. docs/icons.md says why these.
HELD_OUT = {
    "game": ("game-icons",),
    "map": ("pinhead", "roentgen", "maki", "temaki", "gis", "map", "geo", "osmic"),
    "weather": ("wi",),
    "health": ("healthicons", "medical-icon"),
    "pixel": ("dinkie-icons", "pixel"),
    "twemoji": ("twemoji",),
    "fxemoji": ("fxemoji",),
    "emojione": ("emojione", "emojione-monotone"),
    "iconpark": ("icon-park", "icon-park-outline", "icon-park-solid", "icon-park-twotone"),
    "icons8": ("flat-color-icons", "icons8", "wpf"),
    "whh": ("whh",),
    "glyphs": ("glyphs", "glyphs-poly"),
}
# In neither: pixel art of makers that pre-training sees, and a set of a maker that is held out, which redraws
# the icons of Font Awesome.
LEFT_OUT = {"streamline-pixel", "pixelarticons", "memory", "la"}
STYLE_OF = {prefix: style for style, prefixes in HELD_OUT.items() for prefix in prefixes}

# Authors that are one maker: another spelling, a company and its designers, or a set that continues
# another. Used to count how many independent makers draw a thing.
ONE_MAKER = {
    "Google": ("Google Inc", "Material Design Authors", "Pictogrammers", "MDI Community"),
    "Font Awesome": ("Dave Gandy",),
    "Feather": ("Cole Bemis", "Lucide Contributors"),
    "Heroicons": ("Refactoring UI Inc", "Steve Schoger", "Andri Soone"),
    "Ionicons": ("Ben Sperry", "Family"),
    "Maps": ("Quincy Morgan", "Mapbox", "Bryan Housel"),
}
MAKER_OF = {author: maker for maker, authors in ONE_MAKER.items() for author in authors}


@dataclass(frozen=True)
class IconSet:
    prefix: str
    title: str
    author: str
    author_url: str
    licence: str
    licence_url: str
    category: str
    colour: bool
    held_out: str  # the style that it is held out as, or ""

    @property
    def maker(self):
        return MAKER_OF.get(self.author, self.author)

    @property
    def emoji(self):
        return self.category == "Emoji" or "Emoji" in self.title


def reason_to_skip(prefix, info):
    """Why a set of collections.json is not used, or None."""
    if info["license"].get("spdx") not in PERMISSIVE:
        return "licence"
    category = info.get("category", "")
    if category == "Logos" or prefix in LOGOS or LOGO_TITLE.search(info.get("name", "")):
        return "logos"
    if category == "Programming":
        return "file types"
    if category == "Flags / Maps" and info.get("palette"):
        return "flags"
    if "Contains Animations" in info.get("tags", []):
        return "animations"
    if prefix in LEFT_OUT:
        return "style or maker held out"
    return None


def read_sets(folder):
    """The sets in use by prefix, and {reason: prefixes} of the others."""
    collections = json.loads((folder / "collections.json").read_text())
    used, skipped = {}, {}
    for prefix in sorted(collections):
        info = collections[prefix]
        reason = reason_to_skip(prefix, info)
        if reason:
            skipped.setdefault(reason, []).append(prefix)
            continue
        used[prefix] = IconSet(
            prefix=prefix, title=info["name"], author=info["author"]["name"],
            author_url=info["author"].get("url", ""), licence=info["license"]["spdx"],
            licence_url=info["license"].get("url", ""), category=info.get("category", ""),
            colour=bool(info.get("palette")), held_out=STYLE_OF.get(prefix, ""))
    check_makers(used.values())
    return used, skipped


def check_makers(sets):
    """A maker is held out as a whole."""
    held_out = {icon_set.maker for icon_set in sets if icon_set.held_out}
    for icon_set in sets:
        if icon_set.maker in held_out and not icon_set.held_out:
            raise ValueError(f"{icon_set.prefix} is used, but other sets of {icon_set.maker} are held out")
