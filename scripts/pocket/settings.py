"""Settings of the learners for the bundled model pocket: data/pocket/settings.json.

    {"schema": "openworld.settings/1", "model": "pocket",
     "learners": {"coop": {"learner": "coop", "options": {"init": "auto", "optimizer": "adam", "lr": 0.01, "epochs": 40},
                           "trials": [{"lr": 0.0005, "base_acc": 0.312}, ...]}, ...}}

scripts/search-settings writes the file; an entry without trials was not searched by it. `coop-noise` is CoOp from noise
(random init), as published, and so on. scripts/tune-pocket, scripts/plan-settings and scripts/replicate read it.
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "data" / "pocket" / "settings.json"
SCHEMA = "openworld.settings/1"
# 345 classes make an epoch ten times as long; the papers train fewer epochs on ImageNet, too.
LARGE, LARGE_PART = "doodles:all", 4


def read(file=FILE):
    content = json.loads(pathlib.Path(file).read_text())
    if content.get("schema") != SCHEMA:
        raise ValueError(f"{file}: schema is {content.get('schema')!r}; expected {SCHEMA!r}")
    return content


def write(content, file=FILE):
    """A line for each learner and for its trials, so that differences can be read."""
    lines = []
    for name, entry in content["learners"].items():
        trials = entry.get("trials")
        text = json.dumps({key: value for key, value in entry.items() if key != "trials"})
        if trials:
            rows = ",\n".join(f"      {json.dumps(trial)}" for trial in trials)
            text = f'{text[:-1]}, "trials": [\n{rows}\n    ]}}'
        lines.append(f'    {json.dumps(name)}: {text}')
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items() if key != "learners")
    text = "{\n" + head + ',\n  "learners": {\n' + ",\n".join(lines) + "\n  }\n}\n"
    assert json.loads(text) == content
    pathlib.Path(file).write_text(text)


def epochs_on(epochs, data):
    """Epochs on a dataset: a quarter, rounded up, on the large one, in any look."""
    return -(-epochs // LARGE_PART) if data.partition("@")[0] == LARGE else epochs


def options_on(entry, data):
    """The options of an entry on a dataset."""
    options = dict(entry["options"])
    if "epochs" in options:
        options["epochs"] = epochs_on(options["epochs"], data)
    return options


def toml_value(value):
    """A value as TOML and JSON both write it; also a list of them."""
    return json.dumps(value, ensure_ascii=False)


def toml_table(options):
    """An inline table."""
    return "{" + ", ".join(f"{name} = {toml_value(value)}" for name, value in options.items()) + "}"
