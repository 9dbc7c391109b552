"""`tune`: what a run writes, that it is what the flags ask for, and that it is always the same."""

import json
import random
import shutil

import numpy as np
import pytest
from command import json_of, needs_models, refused, run, succeed
from tuning import (BASE, COLOURS, LEARNERS, METHODS, TEST, TRAIN, call, defaults_of, fewer_tokens,
                    files_of, learned, read_json, read_log, read_predictions, read_prompts, softmax,
                    write_squares)

pytestmark = needs_models

WIDTH, EMBED = 16, 12  # of the tiny model's towers and features
# Numbers that are learned where it is not a context of four rows for all names. The text tower has
# two blocks, the vision tower one.
LEARNED = {
    "zero-shot": 0, "decoop": 3 * (4 + 4) * WIDTH, "gmop": (3 * 4 + 4) * WIDTH,
    "cocoop": 4 * WIDTH + (EMBED + 1) + (WIDTH + WIDTH),
    "proda": 32 * 4 * WIDTH, "vpt": 4 * WIDTH, "maple": 2 * WIDTH + (WIDTH + 1) * WIDTH,
    "promptsrc": (4 + 4 + 4) * WIDTH, "rpo": (4 + 4) * WIDTH,
    "tcp": 4 * WIDTH + 3 * (EMBED + 1) + 4 * WIDTH * (3 + 1),
    "gallop": 8 * 4 * WIDTH + WIDTH**2, "dept": 4 * WIDTH + BASE * (EMBED + 1) + 4 * EMBED,
}
STAGES = {"zero-shot": {}, "decoop": {"detectors": 3, "classifiers": 6}}
FILES = ["log.jsonl", "paths.json", "predictions.npz", "prompts.safetensors", "result.json", "run.json"]
METRICS = {"base_acc", "new_acc", "hm", "auroc", "openworld_auc"}


def learned_values(method):
    return LEARNED.get(method, 4 * WIDTH)


def tune(place, *args, **values):
    return json_of(*call(*args, **values), cwd=place)


@pytest.mark.parametrize("method", METHODS)
def test_files_of_a_run(place, tuned, method):
    done = tuned(method)
    assert files_of(done) == [name for name in FILES
                              if (method, name) != ("zero-shot", "log.jsonl")]

    changed = {} if method == "zero-shot" else {"epochs": 3, **fewer_tokens(method)}
    description = read_json(done / "run.json")
    assert description["schema"] == "openworld.run/1"
    assert (description["method"], description["title"]) == (method, LEARNERS[method]["title"])
    assert description["options"] == {**defaults_of(method), **changed}
    assert description["changed"] == changed
    assert (description["seed"], description["shots"]) == (1, 2)
    assert description["model"]["path"] == "model"
    assert description["model"]["sha256"] == json_of("inspect", place / "model")["sha256"]
    data = description["data"]
    assert (data["path"], data["train_split"], data["test_split"]) == ("world", "train", "test")
    assert (data["image_root"], data["names"], data["format"]) == ("", "", "")
    assert description["templates"] == ["a photo of a {}."]
    assert (description["base_classes"], description["new_classes"]) == (BASE, len(COLOURS) - BASE)
    assert description["classes"] == list(COLOURS)


@pytest.mark.parametrize("method", METHODS)
def test_result_of_a_run(tuned, method):
    done = tuned(method)
    result = read_json(done / "result.json")
    assert result["schema"] == "openworld.tune/2"
    description = read_json(done / "run.json")
    for key in ("method", "title", "changed", "seed"):
        assert result[key] == description[key]
    assert result["data"] == "world"
    assert result["parameters"] == learned_values(method)
    assert result["train_images"] == 2 * BASE
    assert result["test_images"] == sum(TEST.values())
    stages = STAGES.get(method, {"prompts": 3})
    # What does not fill a batch is left out, but if that is all.
    steps = max(1, 2 * BASE // defaults_of(method).get("batch", 1))
    assert result["epochs"] == sum(stages.values())
    assert result["steps"] == steps * result["epochs"]
    assert set(result["cost"]) >= {"train_seconds", "encode_seconds", "score_seconds",
                                  "seconds_per_image", "seconds", "peak_memory_bytes", "version"}

    measured = json_of("eval", done)["metrics"]
    assert set(result["metrics"]) == METRICS
    for name, metric in result["metrics"].items():
        assert metric == measured[name]

    if method == "zero-shot":
        assert result["loss"] is None
        return
    log = read_log(done)
    assert [(line["stage"], line["epoch"]) for line in log] == [
        (stage, epoch + 1) for stage, epochs in stages.items() for epoch in range(epochs)]
    assert [line["step"] for line in log] == [steps * (i + 1) for i in range(len(log))]
    assert result["loss"] == log[-1]["loss"]
    assert all(np.isfinite(line["loss"]) and line["lr"] > 0 for line in log)


@pytest.mark.parametrize("method", METHODS)
def test_predictions_and_prompts_of_a_run(tuned, method):
    prompts = read_prompts(tuned(method))
    constants = {name for name in prompts if name.startswith("constant.")}
    assert constants == ({"constant.threshold"} if method == "decoop" else set())
    assert sum(prompts[name].size for name in prompts if name not in constants) == (
        learned_values(method))
    assert all(np.isfinite(tensor).all() for tensor in prompts.values())

    arrays = read_predictions(tuned(method))
    label = np.repeat(np.arange(len(COLOURS)), list(TEST.values()))
    assert arrays["side"].tolist() == (label >= BASE).astype(int).tolist()
    assert arrays["label"].tolist() == (label % BASE).tolist()
    assert arrays["classes"].tolist() == list(COLOURS)
    assert arrays["base_logits"].shape == arrays["new_logits"].shape == (len(label), BASE)
    meta = json.loads(str(arrays["meta"]))
    assert (meta["method"], meta["seed"], meta["shots"]) == (method, 1, 2)
    assert "samples" not in meta["data"]  # all of them

    both = np.hstack([arrays["base_logits"], arrays["new_logits"]])
    r = softmax(both)[:, :BASE].max(1)
    if "detector_tokens" not in defaults_of(method):
        assert arrays["score"] == pytest.approx(r, abs=1e-5)
    else:
        assert 0 <= arrays["score"].min() and arrays["score"].max() <= 1
        assert abs(arrays["score"] - r).max() > 0.01


def test_zero_shot_is_what_zeroshot_says(place, tuned, folder):
    succeed("zeroshot", "--model", "model", "--data", "world", "--split", "test", "--base", "half",
            "--out", folder / "z.npz", cwd=place)
    arrays = read_predictions(tuned("zero-shot"))
    with np.load(folder / "z.npz") as expected:
        for name in ("side", "label", "classes"):
            assert arrays[name].tolist() == expected[name].tolist()
        for name in ("base_logits", "new_logits", "score"):
            assert arrays[name] == pytest.approx(expected[name], abs=1e-5)


def test_tuning_helps(tuned, good_run):
    before, after = (read_json(done / "result.json") for done in (tuned("zero-shot"), good_run))
    assert after["metrics"]["base_acc"]["value"] > before["metrics"]["base_acc"]["value"] + 0.1
    log = read_log(good_run)
    assert log[-1]["loss"] < log[0]["loss"] / 4


def test_says_what_it_did(place, folder):
    out = succeed(*call("coop", folder / "run"), cwd=place)
    first, second = out.splitlines()
    assert first.startswith(f"{folder}/run: CoOp on world, seed 1; 64 parameters, 3 steps, ")
    metrics = read_json(folder / "run" / "result.json")["metrics"]
    assert second == "".join(
        f"  {name} {100 * metric['value']:.2f}" for name, metric in metrics.items())


def test_json_is_the_result(place, folder):
    assert tune(place, "gmop", folder / "run") == read_json(folder / "run" / "result.json")


def test_changed_are_options_that_differ(place, folder):
    tune(place, "coop", folder / "run", options={"batch": 32, "lr": 0.01, "init": "", "tokens": 16})
    assert read_json(folder / "run" / "run.json")["changed"] == {"lr": 0.01, "epochs": 3}


@pytest.mark.parametrize("method", ["locoop", "decoop", "gmop"])
def test_any_number_of_threads_gives_the_same_bits(place, folder, method):
    for threads in (1, 3):
        tune(place, method, folder / f"on{threads}", "--no-cache", threads=threads)
    assert learned(folder / "on1") == learned(folder / "on3")


def test_threads_of_the_pocket_model(folder):
    """Detectors and the classifier are encoded side by side; the cache has the images' features."""
    for threads in (1, 3):
        json_of("tune", "--method", "gmop", "--model", "pocket", "--data", "doodles:instruments",
                "--shots", 2, "--epochs", 4, "--threads", threads, "--out", f"on{threads}",
                cwd=folder)
    assert learned(folder / "on1") == learned(folder / "on3")
    assert read_json(folder / "on1" / "run.json")["templates"] == [
        "a doodle of a {}, a musical instrument."]
    result = read_json(folder / "on1" / "result.json")
    assert (result["train_images"], result["test_images"]) == (10, 300)
    assert result["metrics"]["new_acc"]["value"] > 2 / 5  # twice chance


def test_seeds(place, tuned, folder):
    runs = json_of(*call("coop", folder / "both", seeds="1-2"), cwd=place)["runs"]
    assert [(each["seed"], each["out"]) for each in runs] == [
        (seed, f"{folder}/both/seed-{seed}") for seed in (1, 2)]
    assert files_of(folder / "both") == ["seed-1", "seed-2"]
    tune(place, "coop", folder / "two", seed=2)
    first, second = learned(tuned("coop")), learned(folder / "two")
    assert learned(folder / "both" / "seed-1") == first
    assert learned(folder / "both" / "seed-2") == second
    assert first[0] != second[0] and first[1] != second[1]
    measured = json_of("eval", folder / "both")
    assert [(each["label"], each["seed"]) for each in measured["runs"]] == [
        ("coop epochs=3 tokens=4", 1), ("coop epochs=3 tokens=4", 2)]


def draw(rule, seed, shots):
    """The numbers of the training images of each class, as Python's random draws them."""
    drawn, stream = {}, random.Random(seed)
    for name, count in TRAIN.items():
        if rule == "decoop":
            stream = random.Random(seed)
        drawn[name] = stream.sample(range(count), shots)
    return drawn


@pytest.mark.parametrize("method, rule", [("coop", "coop"), ("gmop", "decoop"), ("coop", "decoop")])
def test_shots_are_those_of_python(place, folder, method, rule):
    """Tuning on all images of a folder that holds those drawn, in the order drawn, is the same."""
    own = "decoop" if method == "gmop" else "coop"
    flags = {} if rule == own else {"shot_rule": rule}
    tune(place, method, folder / "drawn", seed=7, **flags)
    for name, numbers in draw(rule, 7, 2).items():
        (folder / "few" / name).mkdir(parents=True)
        for i, number in enumerate(numbers):
            shutil.copy(place / "world" / "train" / name / f"{number}.png",
                        folder / "few" / name / f"{i}.png")
    tune(place, method, folder / "all", seed=7, shots=0, data=folder / "few", train_split=None,
         test_data="world", test_split="test")
    assert (folder / "all" / "prompts.safetensors").read_bytes() == (
        folder / "drawn" / "prompts.safetensors").read_bytes()
    # The rules draw different images here, or the test would not distinguish them.
    one, other = ([draw(rule, 7, 2)[name] for name in list(COLOURS)[:BASE]]
                  for rule in ("coop", "decoop"))
    assert one != other


def test_fewer_images_than_shots(place, folder):
    """CoOp takes what there is, DeCoOp repeats some."""
    counts = [tune(place, method, folder / method, "--allow-fewer", shots=6)["train_images"]
              for method in ("coop", "decoop")]
    assert counts == [5 + 6 + 4, 3 * 6]


def test_views(place, tuned, folder):
    for name in ("one", "two"):
        tune(place, "coop", folder / name, views=2)
    assert learned(folder / "one") == learned(folder / "two")
    assert read_json(folder / "one" / "run.json")["views"] == 2
    assert learned(folder / "one")[0] != learned(tuned("coop"))[0]


def test_the_rest_of_the_training_images_can_be_tested_on(place, tuned, folder):
    result = tune(place, "coop", folder / "run", test_split="train")
    total = sum(TRAIN.values())
    assert result["test_images"] == total - 2 * BASE
    assert learned(folder / "run")[0] == learned(tuned("coop"))[0]
    starts = np.cumsum([0, *TRAIN.values()])
    tuned_on = {starts[label] + number for label, numbers in enumerate(draw("coop", 1, 2).values())
                for number in numbers if label < BASE}
    arrays = read_predictions(folder / "run")
    samples = json.loads(str(arrays["meta"]))["data"]["samples"]
    assert samples == [i for i in range(total) if i not in tuned_on]
    labels = np.repeat(np.arange(len(COLOURS)), list(TRAIN.values()))[samples]
    assert arrays["side"].tolist() == (labels >= BASE).astype(int).tolist()
    assert arrays["label"].tolist() == (labels % BASE).tolist()


def test_all_classes_can_be_base(place, folder):
    result = tune(place, "coop", folder / "run", base="all")
    assert result["train_images"] == 2 * len(COLOURS)
    assert 0 <= result["metrics"]["base_acc"]["value"] <= 1
    for name in METRICS - {"base_acc"}:
        assert result["metrics"][name]["value"] is None
        assert "no new samples" in result["metrics"][name]["why"]
    assert read_predictions(folder / "run")["base_logits"].shape == (sum(TEST.values()), 6)


def test_a_number_of_classes_can_be_base(place, folder):
    assert tune(place, "coop", folder / "run", base=4)["train_images"] == 8
    arrays = read_predictions(folder / "run")
    assert (arrays["base_logits"].shape[1], arrays["new_logits"].shape[1]) == (4, 2)
    assert (arrays["side"] == 0).sum() == 4 * 8


def test_test_images_can_be_a_dataset_of_their_own(place, tuned, folder):
    tune(place, "coop", folder / "run", data="world/train", train_split=None,
         test_data="world/test")
    assert learned(folder / "run")[0] == learned(tuned("coop"))[0]
    arrays, expected = read_predictions(folder / "run"), read_predictions(tuned("coop"))
    assert all(arrays[name].tolist() == expected[name].tolist()
               for name in arrays if name != "meta")


def test_test_images_that_cannot_be_read_are_skipped(place, folder):
    write_squares(folder / "test", TEST, 100)
    (folder / "test" / "green" / "0.png").write_bytes(b"no image")
    ran = run(*call("coop", folder / "run", data="world/train", train_split=None,
                    test_data=folder / "test"), cwd=place)
    assert ran.code == 0
    assert ran.err.startswith("skipped: ") and "green/0.png" in ran.err
    assert ran.err.count("\n") == 1
    arrays = read_predictions(folder / "run")
    assert len(arrays["side"]) == sum(TEST.values()) - 1
    assert json.loads(str(arrays["meta"]))["data"]["samples"] == [
        i for i in range(sum(TEST.values())) if i != 2 * 8]


def test_train_is_where_shots_come_from(place, tuned, folder):
    tune(place, "coop", folder / "run", train_split=None)
    assert read_json(folder / "run" / "run.json")["data"]["train_split"] == "train"
    assert learned(folder / "run") == learned(tuned("coop"))


def test_runs_on_other_images_are_not_paired(place, folder):
    """Each seed leaves other images to test on, of the same classes."""
    for seed in (1, 2):
        tune(place, "coop", folder / f"{seed}", seed=seed, test_split="train")
    one, two = (read_predictions(folder / f"{seed}") for seed in (1, 2))
    assert one["label"].tolist() == two["label"].tolist()
    refused("eval", folder / "1", folder / "2", says=["samples"])


@pytest.mark.parametrize("method", ["locoop", "gmop"])
def test_images_give_the_same_bits_on_any_number_of_threads(folder, method):
    """With the pocket model, whose products are large enough for OpenBLAS to deal to threads."""
    for threads in (1, 2, 3):
        succeed("tune", "--method", method, "--model", "pocket", "--data", "doodles:instruments", "--epochs", 2,
                "--no-cache", "--threads", threads, "--out", folder / f"{threads}", cwd=folder)
    for name in ("prompts.safetensors", "predictions.npz"):
        assert len({(folder / f"{threads}" / name).read_bytes() for threads in (1, 2, 3)}) == 1


def test_a_label_and_a_factor_are_kept(folder):
    succeed("tune", "--method", "zero-shot", "--model", "pocket", "--data", "doodles:shapes", "--label", "sharp",
            "--logit-scale", 100, "--out", folder / "run", cwd=folder)
    run = json.loads((folder / "run" / "run.json").read_text())
    assert run["label"] == "sharp" and run["model"]["logit_scale"] == 100
    logits = read_predictions(folder / "run")["base_logits"]
    succeed("tune", "--method", "zero-shot", "--model", "pocket", "--data", "doodles:shapes", "--out", folder / "own")
    own = read_predictions(folder / "own")["base_logits"]
    ratio = logits / own
    assert abs(ratio - ratio[0, 0]).max() < 1e-3 * ratio[0, 0] and ratio[0, 0] > 2
    assert json_of("eval", folder / "run", folder / "own")["methods"][0]["label"] == "sharp"
