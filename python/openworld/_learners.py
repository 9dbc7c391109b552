"""The table of learners."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Dict

from ._keywords import Option, list_options, make_options
from ._library import models


@dataclass(frozen=True)
class Learner:
    """A method that tunes prompts: a row of the table of learners, with its options by name.

    ``input`` is what it takes of images, ``gradient`` the tower that gradients go through, and
    ``shot_rule`` how its authors draw training images.
    """

    name: str
    title: str
    description: str
    citation: str
    input: str
    gradient: str
    shot_rule: str
    options: Dict[str, Option]

    def __str__(self) -> str:
        head = f"{self.title} ({self.name}): {self.description}\n{self.citation}\n\n"
        return head + list_options(self.options.values())


def learners() -> Dict[str, Learner]:
    """The methods of tune() by name; ``print(learners()["gmop"])`` shows one with its options."""
    rows = json.loads(models().learners())
    for row in rows:
        row["options"] = make_options(row["options"])
    return {row["name"]: Learner(**row) for row in rows}
