"""Writes the options of settings.json into the plans of data/studies.

Learners stand one to a line, as {name = "gmop", label = "GMoP", options = {gate = "none", lr = 0.01}}. Options that the
settings of a learner do not have, such as the gate, are the plan's own and stay; those of [quick] and [published] are
left alone.
"""

import re
import tomllib

from . import settings

LEARNER = re.compile(r'^  \{name = .*\},$')
# What settings may hold: an option that a plan takes from them, also when the settings no longer have it.
SETTINGS = ("init", "tokens", "optimizer", "lr", "epochs")


def with_settings(line, learners, data):
    """The line of a learner with its settings for the data of the plan."""
    learner = tomllib.loads(f"learner = {line.strip().rstrip(',')}")["learner"]
    entry = learners[learner["name"]]
    own = {name: value for name, value in learner.get("options", {}).items() if name not in SETTINGS}
    options = {**own, **settings.options_on(entry, data)}
    fields = {name: value for name, value in learner.items() if name != "options"}
    text = ", ".join(f"{name} = {settings.toml_value(value)}" for name, value in fields.items())
    return f"  {{{text}{', options = ' + settings.toml_table(options) if options else ''}}},"


def rewritten(text, learners):
    """The text of a plan of the pocket model with the settings in it."""
    plan = tomllib.loads(text)
    # One set of options serves all datasets of a plan, so a plan has either the large one or small ones.
    data = {settings.epochs_on(4, name): name for name in plan["data"]}
    if len(data) != 1:
        raise ValueError(f"{plan['name']} has {settings.LARGE} beside smaller datasets, which have other epochs")
    head, table, rest = text.partition("\n[quick]\n")
    lines = [with_settings(line, learners, *data.values()) if LEARNER.match(line) else line for line in head.split("\n")]
    if sum(map(bool, map(LEARNER.match, lines))) != len(plan["learners"]):
        raise ValueError(f"{plan['name']}: expected one learner a line")
    return "\n".join(lines) + table + rest
