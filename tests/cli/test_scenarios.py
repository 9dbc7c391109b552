"""`scenario show`: every view of every scenario against a rendering of its protocol in Python, on random
worlds with unequal classes and pools, odd numbers of classes and shared names."""

import csv
import random
import re

import pytest
import scenario_oracle as oracle
from command import ROOT, json_of, refused, run, succeed, without_cost

SCENARIOS = {"recognition": oracle.recognition, "imbalance": oracle.imbalance, "ratio": oracle.ratio,
             "domain": oracle.domain, "cross-dataset": oracle.cross_dataset,
             "emerging": oracle.emerging, "varying-ratio": oracle.varying_ratio,
             "shift": oracle.shift, "co-evolution": oracle.co_evolution}
WITH_LOOKS, WITH_TARGETS = ("domain", "shift"), ("cross-dataset", "co-evolution")
WORDS = "ant bee cat dog eel fox gnu hen ibis jay kite lynx mole newt owl pig quail rat".split()


def spelled(word, rng):
    """The same name, as another dataset may have it."""
    return rng.choice([word, word.upper(), f"a_{word}", f"The-{word}"])


def spellings(words, count, rng):
    """At most `count` classes, of which some may have the same name in two spellings."""
    return list(dict.fromkeys(spelled(word, rng) for word in rng.choices(words, k=count)))


def random_images(rng, classes, most, empty):
    """(path, label) in random order, some classes without images, some images of no class."""
    images = []
    for label, name in [*enumerate(classes), (-1, "none")]:
        count = rng.randint(1, most) if rng.random() > empty else 0
        images += [(f"{name}/{i}.png".replace(" ", "_"), label) for i in range(count)]
    rng.shuffle(images)
    return images


def random_worlds(number, folder):
    """A source and two others, which share some of its names, written as CSV files."""
    rng = random.Random(number)
    words = rng.sample(WORDS, rng.randint(2, 9))
    worlds = [oracle.World("source", words, [], [])]
    for name in ("first", "second"):
        look = spellings(words, rng.randint(1, len(words)), rng)
        fruit = [f"fruit{i}" for i in range(rng.randint(1, 6))]
        target = [*spellings(words, rng.randint(0, len(words) // 2), rng), *fruit]
        rng.shuffle(target)
        worlds += [oracle.World(f"{name}-look", look, [], []),
                   oracle.World(f"{name}-target", target, [], [])]
    result = {}
    for world in worlds:
        train = random_images(rng, world.classes, 20, 0)
        test = random_images(rng, world.classes, 12, 0.15) or [("none/0.png", -1)]
        path = folder / f"{world.name}.csv"
        (folder / train[0][0]).parent.mkdir(exist_ok=True)
        (folder / train[0][0]).touch()
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["path", "label", "name", "split"])
            for split, images in (("train", train), ("test", test)):
                for image, label in images:
                    writer.writerow([image, label, world.classes[label] if label >= 0 else "",
                                     split])
        result[world.name] = world._replace(name=str(path), train=train, test=test)
    return result


def others(scenario, worlds, number):
    """One or two more worlds, as the scenario takes them, and the flags that give them."""
    if scenario not in WITH_LOOKS + WITH_TARGETS:
        return [], []
    kind = "look" if scenario in WITH_LOOKS else "target"
    chosen = [worlds[f"{name}-{kind}"] for name in ("first", "second")[:1 + number % 2]]
    return chosen, [f"--{kind}s", ",".join(world.name for world in chosen)]


def expect_same(shown, expected, worlds):
    """The JSON of the program is what the oracle says."""
    train, views = expected
    assert shown["train"]["names"] == train
    assert len(shown["views"]) == len(views)
    for got, view in zip(shown["views"], views):
        assert (got["world"], got["level"]) == (view.world, view.level)
        assert got["base"]["names"] == view.base
        assert got["new"]["names"] == view.new
        images = {(world, i): (side, label) for world, i, _, side, label in got["samples"]}
        assert len(images) == len(got["samples"])
        assert images == view.images
        for world, i, path, _, _ in got["samples"]:
            assert path == worlds[world].test[i][0]
        for side, key in ((oracle.BASE, "base"), (oracle.NEW, "new"), (oracle.UNKNOWN, "unknown")):
            assert got[key]["images"] == sum(s == side for s, _ in view.images.values())
        assert got["source_images"] == sum(world == 0 for world, _ in view.images)
        assert [removed["name"] for removed in got["removed"]] == view.removed


# Options that change which images and names are shown, beside the defaults. 0.05 and 0.35 of many sizes fall
# between two whole numbers.
OPTIONS = {
    "recognition": [{}, {"base": "1"}],
    "imbalance": [{}, {"factor": "0.35", "base": "1"}, {"draws": "published"},
                  {"draws": "published", "shots": "3", "factor": "0.5"}],
    "ratio": [{}, {"levels": "7,1,0.35", "base": "1"}],
    "domain": [{}, {"base": "1"}],
    "cross-dataset": [{}, {"base": "1", "remove": "The_Fruit0"}],
    "emerging": [{}, {"levels": "0.05,0.35,0.5,0.9"}],
    "varying-ratio": [{}, {"levels": "0.05,0.35,0.5,0.9"}],
    "shift": [{}, {"levels": "0,0.05,0.35,0.5,0.9"}, {"mixture": "share"}],
    "co-evolution": [{}, {"levels": "0.35,0.5,1"}, {"train": "all"}],
}
CASES = [(scenario, options) for scenario in SCENARIOS for options in OPTIONS[scenario]]


@pytest.mark.parametrize("scenario, options", CASES)
def test_views_are_those_of_the_protocol(scenario, options, folder):
    outcomes = []
    for number in range(16):
        place = folder / str(number)
        place.mkdir()
        worlds = random_worlds(number, place)
        more, flags = others(scenario, worlds, number)
        source, seed = worlds["source"], number * 1000003
        command = ["scenario", "show", scenario, "--data", source.name, "--seed", seed, *flags]
        for name, value in options.items():
            command += ["--set", f"{name}={value}"]
        try:
            expected = SCENARIOS[scenario](source, seed, *more, **options)
        except oracle.Refused:
            refused(*command, says=[f"[{scenario}] ", "expected"])
            outcomes.append(False)
            continue
        expect_same(json_of(*command, "--full"), expected, [source, *more])
        outcomes.append(True)
    assert sum(outcomes) >= 8, outcomes


def test_bundled_worlds():
    """Doodles, whose looks have the same drawings: 30 of each class."""
    shown = json_of("scenario", "show", "shift", "--data", "doodles:body", "--looks", "chalk")
    assert [view["source_images"] for view in shown["views"]] == [600, 480, 360, 240, 120, 0]
    assert {view["base"]["images"] for view in shown["views"]} == {600}
    shown = json_of("scenario", "show", "cross-dataset", "--data", "doodles:all", "--targets",
                    "food@chalk", "--full")
    view, = shown["views"]
    food = json_of("worlds", "show", "doodles:food")["class_names"]
    every = json_of("worlds", "show", "doodles:all")["class_names"]
    assert view["base"]["names"] == every[:173]
    assert view["new"]["names"] == [name for name in food if name not in every[:173]]
    assert [c["name"] for c in view["removed"]] == [name for name in food if name in every[:173]]
    assert {image[0] for image in view["samples"] if image[3] == oracle.NEW} == {1}


def test_json_says_what_was_asked(folder):
    shown = json_of("scenario", "show", "ratio", "--data", "doodles:body", "--seed", 3, "--set",
                    "levels=2,1")
    assert (shown["scenario"], shown["scenario_version"], shown["seed"]) == ("ratio", 1, 3)
    assert shown["options"]["levels"] == "2,1"
    assert shown["train"] == {"data": "doodles:body", "split": "train", "classes": 10,
                              "of_classes": 20, "images": 200}
    assert shown["tests"] == [{"data": "doodles:body", "split": "test", "classes": 20, "images": 600}]
    assert [view["t"] for view in shown["views"]] == [2, 1]
    assert "samples" not in shown["views"][0] and "names" not in shown["train"]
    again = json_of("scenario", "show", "ratio", "--data", "doodles:body", "--seed", 3, "--set",
                    "levels=2,1")
    assert without_cost(shown) == without_cost(again)


def test_text():
    text = succeed("scenario", "show", "cross-dataset", "--data", "doodles:all", "--targets",
                   "body@chalk")
    assert "tuned on 173 of 345 classes of doodles:all, split train" in text
    assert re.search(r"^doodles:body@chalk +test +173 +5190 +7 +210 +0 +5190 +13$", text, re.M)
    assert "removed from doodles:body@chalk: arm, beard, brain" in text


def test_options_change_the_views():
    def view(scenario, *flags):
        return json_of("scenario", "show", scenario, "--data", "doodles:body", *flags,
                       "--full")["views"][0]

    assert view("domain", "--set", "columns=train")["columns"] == "train"
    assert view("domain")["columns"] == "view"
    assert set(view("cross-dataset", "--targets", "food")["new"]["templates"]) == {1}
    source = view("cross-dataset", "--targets", "food", "--set", "templates=source")
    assert set(source["new"]["templates"]) == {0}


@pytest.mark.parametrize("arguments, says", [
    (["emergin", "--data", "doodles:body"], ["\"emergin\"", "did you mean emerging?"]),
    (["emerging"], ["--data is required"]),
    (["emerging", "--data", "doodles:body", "--set", "level=1"], ["[emerging]", "levels"]),
    (["emerging", "--data", "doodles:body", "--set", "levels=0,2"], ["\"2\"", "from 0 to 1"]),
    (["emerging", "--data", "doodles:body", "--looks", "chalk"], ["1 looks", "the source alone"]),
    (["domain", "--data", "doodles:body", "--looks", "doodles:food"],
     ["[domain]", "\"apple\" is not in doodles:body"]),
    (["domain", "--data", "doodles:body", "--looks", "none"], ["none"]),
    (["domain", "--data", "icons:animals"], ["no looks of its own"]),
    (["shift", "--data", "doodles:body", "--set", "mixture=half"], ["mixture", "pools or share"]),
    (["recognition", "--data", "doodles:body", "--full"], ["--full is for --json"]),
    (["recognition", "--data", "doodles:body", "--seed", "-1"], ["--seed", "'-1'"]),
])
def test_refuses(arguments, says):
    refused("scenario", "show", *arguments, says=says)


def test_list_and_docs():
    rows = json_of("ls", "scenarios")["scenarios"]
    assert [row["name"] for row in rows] == list(SCENARIOS)
    text = succeed("ls", "scenarios")
    page = (ROOT / "docs" / "scenarios.md").read_text()
    for row in rows:
        assert re.search(rf"^  {row['name']} +{re.escape(row['description'])}$", text, re.M)
        assert json_of("ls", "scenarios", row["name"]) == row
        one = succeed("ls", "scenarios", row["name"])
        for part in (row["title"], row["citation"], row["levels"], row["trained"]):
            assert part in one
        section = re.search(rf"^## `{row['name']}`.*?(?=^## |\Z)", page, re.M | re.S)
        assert section, row["name"]
        for option in row["options"]:
            assert f"`{option['name']}=" in section[0], (row["name"], option["name"])
    refused("ls", "scenarios", "shifty", says=["\"shifty\"", "did you mean shift?"])


def test_examples_in_the_docs_run():
    page = (ROOT / "docs" / "scenarios.md").read_text()
    examples = re.findall(r"^    openworld (scenario show .*doodles.*|ls scenarios.*)$", page, re.M)
    assert len(examples) >= 9
    for example in examples:
        ran = run(*example.split("#")[0].split())
        assert (ran.code, ran.err) == (0, ""), example
