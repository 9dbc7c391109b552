"""`predict`: predictions of a tuned model, with a threshold and without."""

import csv
import json
import shutil
import struct
from collections import Counter

import numpy as np
import pytest
from command import json_of, needs_models, refused, run, succeed
from pets import png
from tuning import BASE, COLOURS, METHODS, TEST, call, read_json, read_predictions, softmax

pytestmark = needs_models

GONE = "no threshold was set: base if the largest logit of all names is of a base name"


@pytest.fixture
def mine(good_run, folder):
    """A copy to damage. Its result names no hashes, as that of a run from elsewhere may."""
    copy = shutil.copytree(good_run, folder / "run")
    result = read_json(copy / "result.json")
    del result["files"]
    (copy / "result.json").write_text(json.dumps(result))
    return copy


def expected_answers(run, threshold=None):
    """What predictions.npz has about every test image, as predict has to say it."""
    arrays = read_predictions(run)
    base, fresh, r = arrays["base_logits"], arrays["new_logits"], arrays["score"]
    is_base = r > threshold if threshold is not None else base.max(1) >= fresh.max(1)
    names = list(COLOURS)
    answers = []
    for i, (g, h) in enumerate(zip(base.argmax(1), fresh.argmax(1))):
        answers.append({
            "side": "base" if is_base[i] else "new",
            "class": names[g] if is_base[i] else names[BASE + h],
            "r": pytest.approx(r[i], abs=1e-5),
            "fit": pytest.approx(max(base[i].max(), fresh[i].max()), abs=1e-4),
            "base": {"class": names[g],
                     "probability": pytest.approx(softmax(base)[i, g], abs=1e-5)},
            "new": {"class": names[BASE + h],
                    "probability": pytest.approx(softmax(fresh)[i, h], abs=1e-5)}})
    return answers


def paths_of_test_images(place):
    return [str(place / "world" / "test" / name / f"{i}.png") for name, count in TEST.items()
            for i in range(count)]


@pytest.mark.parametrize("method", METHODS)
def test_test_images_are_what_tune_said(place, tuned, method):
    result = json_of("predict", "--run", tuned(method), "world/test", cwd=place)
    assert (result["schema"], result["method"]) == ("openworld.predict/2", method)
    assert (result["threshold"], result["skipped"]) == (None, 0)
    assert result["rule"] in GONE
    assert [answer.pop("path") for answer in result["images"]] == paths_of_test_images(place)
    assert result["images"] == expected_answers(tuned(method))
    assert {answer["side"] for answer in result["images"]} <= {"base", "new"}


def test_patches_are_scored_as_tune_did(place, folder):
    scores = {}
    for score in ("mcm", "gl_mcm"):
        succeed(*call("locoop", folder / score, options={"score": score}), cwd=place)
        result = json_of("predict", "--run", folder / score, "world/test", cwd=place)
        scores[score] = np.array([answer["r"] for answer in result["images"]])
        assert result["images"][0]["r"] == expected_answers(folder / score)[0]["r"]
        assert scores[score] == pytest.approx(read_predictions(folder / score)["score"], abs=1e-5)
    # Probabilities of three names each, one of the image and one of a patch.
    patches = scores["gl_mcm"] - scores["mcm"]
    assert (patches > 1 / 3).all() and (patches < 1).all() and np.ptp(patches) > 0


def test_a_threshold_decides(place, mine):
    granted = json_of("threshold", "--run", mine, "--max-miss", 0.5)
    assert read_json(mine / "threshold.json")["threshold"] == granted["threshold"]
    result = json_of("predict", "--run", mine, "world/test", cwd=place)
    assert result["rule"] == "base if r > threshold"
    assert result["threshold"] == {"value": granted["threshold"], "max_miss": 0.5,
                                   "confidence": 0.95}
    for answer in result["images"]:
        assert (answer["side"] == "base") == (answer["r"] > granted["threshold"])
        assert answer["class"] == answer[answer["side"]]["class"]
    assert {answer["side"] for answer in result["images"]} == {"base", "new"}
    # The guarantee, counted again: a base image is missed on the wrong side or under a wrong name.
    names = [name for name, count in TEST.items() for _ in range(count)]
    missed = sum(answer["class"] != name for answer, name in
                 zip(result["images"][:BASE * 8], names))
    assert missed == granted["miss_rate"]["count"] <= BASE * 8 / 2

    text = succeed("predict", "--run", mine, "world/test/blue", cwd=place)
    assert text.endswith(
        f"base if r > {granted['threshold']:g}: with confidence 95 % at most 50 % of base images "
        "are missed, if they are like those it was chosen on\n")


def test_three_answers(place, mine, folder):
    """A second threshold tells unknown images from new ones; the answers as JSON lines, CSV and folders."""
    for name, pixels in (("black", np.zeros((16, 16, 3), np.uint8)),
                         ("noise", np.random.default_rng(1).integers(0, 256, (16, 16, 3), np.uint8))):
        (folder / "odd").mkdir(exist_ok=True)
        (folder / "odd" / f"{name}.png").write_bytes(png(pixels))
    granted = json_of("threshold", "--run", mine, "--max-miss", 0.5, "--max-unknown", 0.4, "--unknown", folder / "odd",
                      cwd=place)
    unknown = granted["unknown"]
    assert unknown["kept_out_rate"]["total"] == granted["reject_rate"]["total"] == 2
    words = ["predict", "--run", mine, "world/test", folder / "odd"]
    result = json_of(*words, "--csv", folder / "answers.csv", "--sort-into", folder / "sorted", cwd=place)
    assert result["rule"] == "base if r > threshold, else unknown if fit <= unknown.value, else new"
    assert result["threshold"]["unknown"] == {"value": unknown["threshold"], "max_unknown": 0.4, "confidence": 0.95}
    for answer in result["images"]:
        side = ("base" if answer["r"] > granted["threshold"] else
                "unknown" if answer["fit"] <= unknown["threshold"] else "new")
        assert answer["side"] == side
        assert answer["class"] == (None if side == "unknown" else answer[side]["class"])
    counts = Counter(answer["side"] for answer in result["images"])
    assert set(counts) == {"base", "new", "unknown"}, "the images prove nothing"
    # The same of the test images as of their predictions, to the last bit of fit.
    of_test = Counter(answer["side"] for answer in result["images"][:-2])
    assert of_test["unknown"] == unknown["answers"]["base"]["unknown"] + unknown["answers"]["new"]["unknown"]

    lines = succeed(*words, "--jsonl", cwd=place).splitlines()
    assert [json.loads(line) for line in lines] == result["images"]
    with open(folder / "answers.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["path"], row["side"], row["class"] or None, float(row["r"]), float(row["fit"])) for row in rows] == [
        (answer["path"], answer["side"], answer["class"], answer["r"], answer["fit"]) for answer in result["images"]]
    links = list((folder / "sorted").glob("**/*.png"))
    assert Counter(link.relative_to(folder / "sorted").parts[0] for link in links) == counts
    assert {str(link.readlink()) for link in links} == {answer["path"] for answer in result["images"]}
    refused(*words, "--sort-into", folder / "sorted", cwd=place, says=["is there already; expected a new or an empty folder"])
    refused(*words, "--jsonl", "--json", cwd=place, says=["--json"])

    text = succeed(*words, cwd=place)
    assert text.splitlines()[0].split() == ["image", "side", "class", "%", "r", "fit"]
    assert text.endswith(f"else unknown if fit <= {unknown['threshold']:g}: with confidence 95 % at most 40 % of images of "
                         "listed names are called unknown\n")


def test_without_a_threshold_it_says_so(place, good_run):
    text = succeed("predict", "--run", good_run, "world/test", cwd=place)
    lines = text.splitlines()
    assert lines[0].split() == ["image", "side", "class", "%", "r"]
    for line, path, answer in zip(lines[1:], paths_of_test_images(place),
                                  expected_answers(good_run)):
        cells = line.split()
        assert cells[:3] == [path, answer["side"], answer["class"]]
        assert float(cells[3]) == pytest.approx(
            100 * answer[answer["side"]]["probability"].expected, abs=0.06)
        assert float(cells[4]) == pytest.approx(answer["r"].expected, abs=6e-5)
    assert lines[-2] == ""
    assert lines[-1].startswith(GONE)
    assert f"`openworld threshold --run {good_run} --max-miss 0.3`" in lines[-1]


def test_files_and_folders_in_the_order_given(place, good_run):
    files = ["world/test/white/3.png", "world/train/blue", "world/test/green/0.png"]
    result = json_of("predict", "--run", good_run, *files, "--batch", 2, cwd=place)
    paths = [answer["path"] for answer in result["images"]]
    blue = [str(place / "world" / "train" / "blue" / f"{i}.png") for i in range(5)]
    assert paths == [str(place / files[0]), *blue, str(place / files[2])]
    expected = expected_answers(good_run)
    for answer, i in ((result["images"][0], 4 * 8 + 3), (result["images"][-1], 2 * 8)):
        answer.pop("path")
        assert answer == expected[i]


def test_without_new_names(place, folder):
    json_of(*call("coop", folder / "run", base="all"), cwd=place)
    result = json_of("predict", "--run", folder / "run", "world/test/white", cwd=place)
    for answer in result["images"]:
        assert answer["side"] == "base" and answer["class"] in COLOURS
        assert "new" not in answer


def test_images_that_cannot_be_read_are_skipped(place, good_run, folder):
    (folder / "bad.png").write_bytes(b"no image")
    words = ["predict", "--run", good_run, folder / "bad.png", "world/test/blue/0.png", "none.png"]
    ran = run(*words, "--json", cwd=place)
    assert ran.code == 0
    lines = ran.err.splitlines()
    assert len(lines) == 2 and all(line.startswith("skipped: ") for line in lines)
    assert "bad.png" in lines[0] and "none.png: cannot open" in lines[1]
    result = json.loads(ran.out)
    assert result["skipped"] == 2
    assert [answer["path"] for answer in result["images"]] == [
        str(place / "world" / "test" / "blue" / "0.png")]

    ran = run("predict", "--run", good_run, folder / "bad.png", cwd=place)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-1].endswith("none of 1 images could be read")


def test_other_files_in_a_folder_are_counted(place, good_run, folder):
    for name in ("photo.gif", "scan.bmp", "notes.txt"):
        (folder / name).write_bytes(b"something")
    shutil.copy(place / "world" / "test" / "blue" / "0.png", folder / "0.png")
    ran = run("predict", "--run", good_run, folder, "--json", cwd=place)
    assert ran.code == 0 and json.loads(ran.out)["not_images"] == 3
    assert ran.err == "skipped: 3 files are not named like an image; expected .jpg, .jpeg, .png or .webp\n"


def test_names_of_files_stay_in_their_row(place, good_run, folder):
    for name in ("new\nline.png", "tab\there.png", "red\x1b[31m.png"):
        shutil.copy(place / "world" / "test" / "blue" / "0.png", folder / name)
    lines = succeed("predict", "--run", good_run, folder, cwd=place).splitlines()
    assert len(lines) == 6 and len({line.index(" base ") if " base " in line else line.index(" new ") for line in lines[1:4]}) == 1
    assert "new line.png" in lines[1] and "red\\x1b[31m.png" in lines[2] and "tab here.png" in lines[3]


def test_a_folder_without_images(place, good_run, folder):
    refused("predict", "--run", good_run, folder, cwd=place, says=[f"{folder}: has no images"])


@pytest.mark.parametrize("run, why", [("model", "it has no run.json"), ("world", "it has no run.json"),
                                      ("nowhere", "it does not exist")])
def test_no_run(place, run, why):
    refused("predict", "--run", run, "world/test", cwd=place, says=[f"[predict] {run}: not a run folder, {why}"])
    refused("threshold", "--run", run, "--max-miss", 0.5, "--unknown", "world/test", cwd=place,
            says=[f"[threshold] {run}: not a run folder, {why}"])


def test_a_run_that_is_not_finished(place, mine):
    (mine / "prompts.safetensors").unlink()
    (mine / "result.json").unlink()
    refused("predict", "--run", mine, "world/test", cwd=place,
            says=[f"[predict] {mine}: not finished", "openworld tune"])


def test_another_checkpoint(place, good_run):
    refused("predict", "--run", good_run, "world/test", "--model", "pocket", cwd=place,
            says=[f"pocket is not the checkpoint that {good_run} was tuned on", "SHA-256"])


def test_runs_can_be_moved(place, good_run, folder):
    """Used from another folder, moved alone, moved with its model; and named where it is now."""
    images = place / "world" / "test" / "blue"
    expected = json_of("predict", "--run", good_run, images, cwd=place)["images"]

    def predict(*words, **where):
        return json_of("predict", *words, images, **where)["images"]

    (folder / "model").mkdir()  # another one of that name: it has other weights
    assert predict("--run", good_run, cwd=folder) == expected
    alone = shutil.copytree(good_run, folder / "alone")
    assert predict("--run", alone, cwd=folder) == expected
    shutil.copytree(place / "model", folder / "work" / "model")
    shutil.copytree(good_run, folder / "work" / "runs" / "a")
    (folder / "work" / "runs" / "a" / "paths.json").unlink()  # as earlier versions left it
    assert predict("--run", "work/runs/a", cwd=folder) == expected

    (alone / "paths.json").unlink()
    shutil.rmtree(folder / "model")
    refused("predict", "--run", alone, images, cwd=folder,
            says=[f"{alone}/run.json: model: ", "No such file", "name the checkpoint's place now with --model"])
    assert predict("--run", alone, "--model", "work/model", cwd=folder) == expected


def test_damaged_prompts(place, mine, tuned):
    prompts = mine / "prompts.safetensors"
    whole = prompts.read_bytes()
    spoilt = {whole[:-40]: "is the file whole?",
              b"": "",
              struct.pack("<Q", 1 << 60) + whole[8:]: "",
              (tuned("gmop") / "prompts.safetensors").read_bytes(): "has no tensor context",
              whole.replace(b"[4,16]", b"[2,32]"): "context is F32 [2, 32]; expected F32 [4, 16]"}
    for data, says in spoilt.items():
        prompts.write_bytes(data)
        refused("predict", "--run", mine, "world/test", cwd=place, says=[f"{prompts}: ", says])


@pytest.mark.parametrize("change, says", [
    ({"method": "magic"}, 'no learner "magic"'),
    ({"schema": "openworld.run/9"}, 'schema is "openworld.run/9"; expected openworld.run/1'),
    ({"classes": [1, 2]}, "classes is [1,2]; expected a list of texts"),
    ({"classes": ["blue"]}, "base_classes is 3; expected 1 to 1, the number of classes"),
    ({"base_classes": 0}, "base_classes is 0; expected 1 to 6, the number of classes"),
    ({"options": {"tokens": "many"}}, 'option tokens is "many"; expected an integer'),
    ({"options": {"token": 4}}, 'no option "token"'),
    ({"model": "model"}, "has no model object"),
    ({"templates": []}, "has no templates"),
])
def test_a_damaged_description(place, mine, change, says):
    (mine / "run.json").write_text(json.dumps({**read_json(mine / "run.json"), **change}))
    refused("predict", "--run", mine, "world/test", cwd=place, says=[f"{mine}/run.json: ", says])


@pytest.mark.parametrize("name", ["run.json", "threshold.json"])
@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_file_that_is_something_else(place, mine, name, text):
    (mine / name).write_text(text)
    refused("predict", "--run", mine, "world/test", cwd=place, says=[f"[predict] {mine}/{name}: "])


def test_a_hash_that_is_no_text(place, mine):
    description = read_json(mine / "run.json")
    description["model"]["sha256"] = 3
    (mine / "run.json").write_text(json.dumps(description))
    refused("predict", "--run", mine, "world/test", cwd=place, says=[f"{mine}/run.json: "])


def entries(value, path=()):
    """(path, value) of all entries of a JSON object; of a list, the first stands for all."""
    if path:
        yield path, value
    if isinstance(value, list):
        value = dict(enumerate(value[:1]))
    for key, part in value.items() if isinstance(value, dict) else ():
        yield from entries(part, (*path, key))


def spoilt(whole):
    """(what was done, the object) with every entry gone or of another kind, in turn."""
    for path, value in entries(whole):
        for what in ("gone", -1 if isinstance(value, (str, int, float)) else None):
            copy = json.loads(json.dumps(whole))
            at = copy
            for key in path[:-1]:
                at = at[key]
            if what == "gone":
                del at[path[-1]]
            else:
                at[path[-1]] = what
            yield f"{path} {what}", copy


def answers_or_names(run_folder, *words, cwd):
    """An answer, or a line that names the run; never a crash, whatever somebody did to a file."""
    ran = run(*words, cwd=cwd)
    if ran.code != 0:
        assert ran.code == 2 and ran.out == "" and ran.err.count("\n") == 1, ran
        assert str(run_folder) in ran.err, ran


@pytest.mark.parametrize("name, command", [("run.json", ["eval"]),
                                           ("result.json", ["report", "--out", "page.html"])])
def test_any_entry_gone_or_of_another_kind(place, mine, name, command):
    """In commands that start at once; the reader is the same for all."""
    for what, text in spoilt(read_json(mine / name)):
        (mine / name).write_text(json.dumps(text))
        answers_or_names(mine, *command, mine, cwd=place)


def test_prompts_that_are_no_numbers(place, mine):
    prompts = mine / "prompts.safetensors"
    data = prompts.read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    nan = struct.pack("<f", float("nan"))
    prompts.write_bytes(data[:begin] + nan * ((len(data) - begin) // 4))
    refused("predict", "--run", mine, "world/test", cwd=place, says=[f"{prompts}: "])
