"""`ls learners` and `help learner`: every method with its options, as text and as JSON."""

import json
import re
from pathlib import Path

import pytest
from command import json_of, needs_models, refused, succeed
from tuning import LEARNERS

pytestmark = needs_models

INDEX = Path(__file__).resolve().parents[2] / "docs" / "learners.md"
SECTIONS = ["Loss and score", "Options", "Released setting", "Paper, released code and here", "Run", "Files"]
TRAINING = ["epochs", "batch", "lr", "schedule", "optimizer", "momentum", "weight_decay", "eps",
            "drop_last"]
# What the released code of each method trains with.
DEFAULTS = {
    "coop": {"epochs": 200, "batch": 32, "lr": 0.002, "momentum": 0.9, "weight_decay": 5e-4,
             "schedule": "dassl", "tokens": 16, "init": ""},
    "kgcoop": {"epochs": 100, "batch": 128, "weight": 8, "init": "auto"},
    "prograd": {"epochs": 100, "lambda": 1, "temperature": 1, "tokens": 16, "init": "auto"},
    "locoop": {"epochs": 50, "lambda": 0.25, "tokens": 16},
    "cocoop": {"epochs": 10, "batch": 1, "lr": 0.002, "tokens": 4, "init": "auto"},
    "proda": {"prompts": 32, "prompt_batch": 4, "tokens": 16, "init": "", "lr": 0.001},
    "vpt": {"epochs": 5, "batch": 4, "lr": 0.0025, "tokens": 8, "depth": 0},
    "maple": {"epochs": 5, "batch": 4, "lr": 0.0035, "tokens": 2, "init": "auto", "depth": 0},
    "promptsrc": {"epochs": 20, "batch": 4, "lr": 0.0025, "tokens": 4, "visual_tokens": 4,
                  "text_weight": 25, "image_weight": 10, "gpa_std": 1},
    "rpo": {"epochs": 15, "batch": 4, "lr": 0.01, "tokens": 24, "noise": 0.1},
    "tcp": {"epochs": 50, "batch": 32, "lr": 0.002, "optimizer": "adam", "eps": 1e-3,
            "weight_decay": 5e-4, "tokens": 4, "init": "", "weight": 8},
    "gallop": {"epochs": 200, "batch": 32, "lr": 0.002, "momentum": 0.9, "weight_decay": 1e-2,
               "schedule": "cosine", "dropout": 0.75, "patches": 5, "patches_step": 5},
    "dept": {"epochs": 10, "batch": 4, "lr": 0.0035, "head_lr": 6.5, "head": 0.7, "weight": 2},
    "decoop": {"epochs": 50, "classifier_epochs": 0, "partitions": 3, "momentum": 0,
               "weight_decay": 0, "schedule": "constant", "classifier_schedule": "cosine_step",
               "margin": "0.4", "drop_last": False, "classifier_tokens": 16},
    "gmop": {"epochs": 40, "partitions": 3, "momentum": 0, "weight_decay": 0, "schedule": "cosine",
             "alpha": 0.5, "lambda": 1, "detector_tokens": 16, "classifier_tokens": 4,
             "gate": "sigmoid", "detach": False},
}


@pytest.fixture(scope="module")
def rows():
    return list(LEARNERS.values())


def test_all_are_listed(rows):
    assert {"zero-shot", *DEFAULTS} <= {row["name"] for row in rows}
    assert len({row["name"] for row in rows}) == len(rows)
    text = succeed("ls", "learners")
    assert succeed("help", "learner") == text
    listed = re.findall(r"^  (\S+) +(\S+) +(.+)$", text, re.M)
    assert listed == [(row["name"], row["title"], row["description"]) for row in rows]


def test_rows_say_what_they_are(rows):
    for row in rows:
        names = [option["name"] for option in row["options"]]
        assert len(set(names)) == len(names)
        if row["gradient"] != "none":  # their own options first
            assert names[-len(TRAINING):] == TRAINING
        assert re.search(r"(20\d\d)$", row["citation"])
        assert (row["gradient"] == "none") == (row["name"] == "zero-shot")
        assert ("patch" in row["input"]) == (row["name"] in ("locoop", "gallop"))
        assert (row["input"] == "images") == (row["gradient"] in ("image", "both"))
        assert row["shot_rule"] == ("decoop" if row["name"] in ("decoop", "gmop") else "coop")
        for option in row["options"]:
            assert option["help"] and option["expected"]
        values = {option["name"]: option["default"] for option in row["options"]}
        for name, value in DEFAULTS.get(row["name"], {}).items():
            assert values[name] == value, (row["name"], name)


@pytest.mark.parametrize("method", ["zero-shot", "gmop"])
def test_one_in_full(rows, method):
    row, = (row for row in rows if row["name"] == method)
    assert json_of("ls", "learners", method) == json_of("help", "learner", method) == row
    text = succeed("help", "learner", method)
    assert text.startswith(f"{row['title']} ({method}): {row['description']}\n{row['citation']}\n")
    for option in row["options"]:
        default = option["default"]
        shown = default if isinstance(default, str) else str(default).lower()
        assert re.search(rf"^  {option['name']} +{re.escape(option['help'])} "
                         rf"\[{re.escape(shown)}\]\n +{re.escape(option['expected'])}$", text, re.M)
    assert f"openworld tune --method {method} " in text


def test_names_may_be_written_as_in_papers():
    assert json_of("ls", "learners", "GMoP")["name"] == "gmop"
    assert json_of("ls", "learners", "zero_shot")["name"] == "zero-shot"


def test_unknown_ones_are_refused():
    refused("help", "learner", "kgcop", says=['no learner "kgcop"; did you mean kgcoop?'])


def test_help_of_a_command():
    for command in ("eval", "tune", "predict"):
        assert succeed("help", command) == succeed(command, "--help")


def test_each_has_a_page(rows):
    """With its citation, formula, released setting and files, and a line of the index. tests/docs compares its options."""
    index = re.findall(r"^\| \[`([a-z-]+)`\]\(learners/\1\.md\) \| ([^|]+), [^|]+ \|.*\| ([\d,]+) \|$",
                       INDEX.read_text(), re.M)
    assert [name for name, _, _ in index] == [row["name"] for row in rows]
    for row, (name, authors, parameters) in zip(rows, index):
        page = (INDEX.parent / "learners" / f"{name}.md").read_text()
        assert page.startswith(f"# {row['title']} (`{name}`)\n\n{row['citation']}.\n")
        assert row["citation"].startswith(authors)
        assert re.findall(r"^## (.+)$", page, re.M) == SECTIONS
        assert f"../../openworld/learners/{name.replace('-', '_')}.cc" in page
        assert f"openworld tune --method {name} " in page
        # "26,624 = 3·16·512 + 4·512" is so, and is what the index says.
        said, sum_of = re.search(r"^Parameters at ViT-B/16[^:]*: ([\d,]+)(?: = ([\d·+() ]+))?\.", page, re.M).groups()
        assert said == parameters
        assert int(said.replace(",", "")) == eval((sum_of or "0").replace("·", "*"))
        # Functions that it names are in the files that it names.
        files = [INDEX.parent / "learners" / link for link in re.findall(r"\]\((\S+\.(?:h|cc))\)", page)]
        sources = "".join(path.read_text() for path in files)
        for member, function in re.findall(r"`\w+::(\w+)`|`(\w+)` \(`", page):
            assert re.search(rf"\b{member or function}\b", sources), (name, member or function)


def test_settings_of_the_pocket_model():
    """data/pocket/settings.json has every learner, and only options that it has."""
    learners = json.loads((INDEX.parents[1] / "data" / "pocket" / "settings.json").read_text())["learners"]
    known = {row["name"]: {option["name"] for option in row["options"]} for row in json_of("ls", "learners")["learners"]}
    assert set(known) == {name for name in learners if not name.endswith("-noise")}
    for name, entry in learners.items():
        assert entry["learner"] == name.removesuffix("-noise")
        assert set(entry["options"]) <= known[entry["learner"]]
