"""`pretrain`: models from captioned images, stopped and resumed, and its errors."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest
from command import BIN, json_of, needs_models, refused, run
from PIL import Image

pytestmark = needs_models

COLOURS = {"red": (220, 30, 30), "green": (30, 160, 60), "blue": (40, 60, 220),
           "yellow": (230, 210, 40)}
CONFIG = {
    "model_type": "clip", "projection_dim": 16,
    "text_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
                    "num_attention_heads": 2, "max_position_embeddings": 16, "hidden_act": "gelu"},
    "vision_config": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
                      "num_attention_heads": 2, "image_size": 16, "patch_size": 8,
                      "hidden_act": "gelu"},
}
SMALL = {"--data": "photos", "--out": "model", "--config": "config.json", "--batch": 8,
         "--augment": "none", "--lr": 0.005, "--weight-decay": 0, "--threads": 1}


def write_square(path, colour, seed):
    random = np.random.default_rng(seed)
    pixels = np.array(colour) + random.normal(0, 12, (20, 20, 3))
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels.clip(0, 255).astype("u1")).save(path)


@pytest.fixture
def world(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    for number in range(32):
        name = list(COLOURS)[number % 4]
        image = tmp_path / "photos" / f"{number:02}.png"
        write_square(image, COLOURS[name], number)
        image.with_suffix(".txt").write_text(f"a photo of a {name} square.\na {name} one\n")
        write_square(tmp_path / "test" / f"{name}_square" / f"{number}.png", COLOURS[name], 100 + number)
    return tmp_path


def call(*flags, **values):
    """A call with the values of SMALL, but for those given: epochs=2 is --epochs 2."""
    values = SMALL | {f"--{key.replace('_', '-')}": value for key, value in values.items()}
    return ["pretrain", *(word for pair in values.items() for word in pair), *flags]


def pretrain(world, *flags, **values):
    return json_of(*call(*flags, **values), cwd=world)


def weights(world, folder="model"):
    return (world / folder / "model.safetensors").read_bytes()


def test_a_captioned_folder_becomes_a_model(world):
    result = pretrain(world, epochs=40, eval="test", shared=1)
    assert result["schema"] == "openworld.pretrain/2"
    assert result["steps"] == 160
    assert result["accuracy"]["test"] > 0.9
    assert result["batch_accuracy"] > 0.9
    assert result["options"]["data"] == "photos: 32 images with captions (text-files)"
    assert not (world / "model" / "state.safetensors").exists()
    lines = [json.loads(line) for line in (world / "model" / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == list(range(1, 41))
    assert lines[-1]["loss"] < lines[0]["loss"]
    assert lines[-1]["step"] == 160 and lines[0]["images"] == 32

    found = json_of("inspect", "model", cwd=world)
    assert found["parameters"] == result["parameters"]
    measured = json_of("zeroshot", "--model", "model", "--data", "test", "--no-cache", cwd=world)
    assert measured["accuracy"]["top1"]["value"] == pytest.approx(result["accuracy"]["test"])


def test_text_says_how_it_goes(world):
    ran = run(*call(epochs=2), cwd=world)
    assert ran.code == 0
    assert ran.out.startswith("wrote model: 0.")
    lines = ran.err.splitlines()
    assert lines[0].startswith("photos: 32 images with captions (text-files); 0.")
    assert lines[1].startswith("epoch 1/2  loss ")
    assert " images/s, " in lines[1] and " % of the GEMM rate  " in lines[1]
    assert lines[2].startswith("epoch 2/2  loss ") and lines[2].endswith("left")


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_resumes_where_it_was_stopped(world, name):
    flags = {"epochs": 30, "augment": "redraw", "bend": 0.05, "cover": 0.5, "average": 0.9}
    pretrain(world, **flags)
    whole = weights(world)
    whole_log = (world / "model" / "log.jsonl").read_text().splitlines()

    parts = call(out="parts", **flags)
    process = subprocess.Popen([BIN, *map(str, parts)], cwd=world, stderr=subprocess.PIPE)
    log = world / "parts" / "log.jsonl"
    while process.poll() is None and not (log.exists() and log.read_text().count("\n") > 1):
        time.sleep(0.01)
    process.send_signal(name)
    complaint = process.communicate()[1].decode().splitlines()[-1]
    if process.returncode != 0:  # it may have been quicker
        assert process.returncode == 2
        assert "[pretrain] stopped at step " in complaint and "the same command resumes there" in complaint
        assert (world / "parts" / "state.safetensors").exists()
        assert not (world / "parts" / "model.safetensors").exists()
        again = run(*parts, cwd=world)
        assert again.code == 0 and "resuming at step " in again.err
    assert weights(world, "parts") == whole
    losses = [[json.loads(line)["loss"] for line in text]
              for text in (whole_log, log.read_text().splitlines())]
    # The epoch it was stopped in is measured from there on.
    assert len(losses[1]) == 30
    assert sum(a != b for a, b in zip(*losses)) <= 1


def test_any_number_of_threads_gives_the_same_bits(world):
    pretrain(world, epochs=3, shards=4, threads=1)
    one = weights(world)
    pretrain(world, "--restart", epochs=3, shards=4, threads=3)
    assert weights(world) == one


def test_a_finished_run_is_not_done_again(world):
    first = pretrain(world, epochs=2)
    before = (world / "model" / "model.safetensors").stat().st_mtime_ns
    ran = run(*call("--json", epochs=2), cwd=world)
    assert json.loads(ran.out) == first
    assert "model is finished; --restart starts over" in ran.err
    assert (world / "model" / "model.safetensors").stat().st_mtime_ns == before
    refused(*call(epochs=3), cwd=world,
            says=["[pretrain] model/pretrain.json: holds a run with epochs 2, not 3", "restart"])
    again = pretrain(world, "--restart", epochs=3)
    assert again["steps"] == 12


def test_starts_from_a_checkpoint(world):
    pretrain(world, epochs=20)
    result = pretrain(world, "--half", out="more", init="model", epochs=1, warmup=0, lr=1e-9)
    assert result["options"]["init"] == "model"
    found = json_of("inspect", "more", cwd=world)
    assert found["parameters"] == result["parameters"]
    tokens = [(world / folder / "merges.txt").read_text() for folder in ("model", "more")]
    assert tokens[0] == tokens[1]


def towers(world, folder):
    """(image, text): the bytes of the tensors of either tower, by name."""
    data = weights(world, folder)
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8:8 + size]), data[8 + size:]
    header.pop("__metadata__", None)
    tensors = {name: body[slice(*entry["data_offsets"])] for name, entry in header.items()
               if name != "logit_scale"}
    return tuple({name: tensor for name, tensor in tensors.items()
                  if name.startswith("vis") == is_image} for is_image in (True, False))


def test_a_tower_may_be_locked_and_the_other_reinitialised(world):
    pretrain(world, epochs=2)
    image, text = towers(world, "model")
    pretrain(world, out="more", init="model", lock="image", epochs=1)
    more_image, more_text = towers(world, "more")
    assert more_image == image and all(more_text[name] != text[name] for name in text
                                       if name.endswith("weight"))
    # With a negligible learning rate: the reinitialised tower is that of a random model.
    still = {"epochs": 1, "lr": 1e-12, "warmup": 0}
    pretrain(world, "--no-centre", out="random", **still)
    result = pretrain(world, "--no-centre", out="new", init="model", reinit="text", lock="image",
                      **still)
    assert result["options"]["reinit"] == "text"
    new_image, new_text = towers(world, "new")
    _, random_text = towers(world, "random")
    assert new_image == image
    for name, tensor in new_text.items():
        close = np.allclose(np.frombuffer(tensor, "f4"), np.frombuffer(random_text[name], "f4"),
                            atol=1e-6)
        assert close, name
    refused(*call(out="none", init="model", lock="text", reinit="text"), cwd=world,
            says=["lock is text, which would keep a tower with a random init",
                  "another reinit than text"])
    # --fresh is the earlier name of --reinit: the same run, which is finished.
    old = run(*call("--json", "--no-centre", out="new", init="model", fresh="text", lock="image",
                    **still), cwd=world)
    assert json.loads(old.out) == result


def test_a_long_tail_shows_most_classes_rarely(world):
    result = pretrain(world, data="test", epochs=1, long_tail=8, batch=2)
    # Of 8 images each: 8, 4, 2 and 1.
    assert result["options"]["data"].endswith("a long tail of 15 pairs, 1 : 8")
    assert result["options"]["long_tail"] == 8 and result["steps"] == 7


def test_labels_become_captions(world):
    result = pretrain(world, data="test", templates="a {} thing.", epochs=1)
    assert "4 classes, called by 1 template (imagefolder)" in result["options"]["data"]
    assert "thing</w>" in (world / "model" / "vocab.json").read_text()


def test_images_that_cannot_be_read_are_skipped(world):
    (world / "photos" / "05.png").write_bytes(b"no image")
    ran = run(*call(epochs=2), cwd=world)
    assert ran.code == 0
    assert ran.err.count("skipped: ") == 2 and "05.png" in ran.err
    line = json.loads((world / "model" / "log.jsonl").read_text().splitlines()[0])
    assert line["images"] == 31 and line["unreadable"] == 1


@pytest.mark.parametrize("values, says", [
    ({"data": "nowhere"}, ["nowhere: does not exist"]),
    ({"config": "none.json"}, ["none.json: does not exist; expected one of pocket, vit-b-32"]),
    ({"init": "nothing"}, ["nothing"]),
    ({"vocabulary": "nothing"}, ["nothing"]),
    ({"batch": 1}, ["--batch"]),
    ({"epochs": 0}, ["--epochs"]),
    ({"eval": "photos"}, ["photos: the classes have no names; expected a dataset with classes"]),
    ({"out": "config.json"}, ["config.json"]),
    ({"templates": "no place"}, ["no place"]),
    ({"lock": "image"}, ["lock is image, which would keep a tower with a random init; expected init"]),
    ({"reinit": "text"}, ["--reinit requires --init"]),
    ({"fresh": "text"}, ["[pretrain] reinit is text without init; expected a checkpoint"]),
    ({"lock": "both"}, ["--lock"]),
    ({"long_tail": 0.5}, ["--long-tail"]),
    ({"naming": 1}, ["photos: 32 images with captions", "no list of classes", "naming"]),
])
def test_refused(world, values, says):
    refused(*call(**values), cwd=world, says=says)
    assert not (world / "model" / "model.safetensors").exists()


def test_refused_zoom(world):
    refused(*call("--zoom", 1.5, 1), cwd=world,
            says=["zoom is 1.5 1; expected two factors above 0"])


def test_every_option_has_a_flag_with_its_default(world):
    shown = " ".join(run("pretrain", "--help").out.split())
    for text in ["--epochs INT:INT in [1 - 1073741824]=30 ", "--lr FLOAT:FLOAT in [0 - 1e+06]=0.001 ",
                 "--eps FLOAT:FLOAT in [0 - 1e+06]=1e-06 ", "--augment TEXT:{crop,redraw,none}=crop ",
                 "--zoom FLOAT=[0.8,1.1] x 2 ", "--reinit TEXT:{image,text} Needs: --init ",
                 "--half write ", "--no-centre "]:
        assert text in shown, text
    assert "--fresh" not in shown and "--zoom-low" not in shown
    options = pretrain(world, "--zoom", 0.5, 2, "--no-centre", epochs=1)["options"]
    assert options["redraw"]["zoom"] == [0.5, 2] and options["centre"] is False


def write_icons(folder, count, named, seed):
    """Bars at the sides of 16 x 16 pixels, as a folder of arrays."""
    random = np.random.default_rng(seed)
    images = 255 - random.integers(0, 30, (count, 16, 16), dtype="u1")
    names = ["left bar", "right bar", "top bar", "low bar"]
    lines = []
    for number, image in enumerate(images):
        part = [image[:, :5], image[:, 11:], image[:5], image[11:]][number % 4]
        part[:] = 30
        name = names[number % 4]
        lines.append({"name": name, "captions": [f"a {name}", f"an icon of a {name}."],
                      "words": name.split(), "weight": 1 + number % 2} if named else {})
    folder.mkdir()
    np.savez_compressed(folder / "images.npz", images=images)
    (folder / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


STAGES = {
    "sources": {"icons": {"data": "icons"},
                "drawings": {"data": "drawings", "unnamed": True, "views": 2, "outline": 0.2}},
    "stages": [
        {"name": "words", "lock": "text", "pairs": 0, "words": 1, "agreement": 0.3, "epochs": 12,
         "sources": {"icons": 3, "drawings": 1}},
        {"name": "text", "lock": "image", "texts": 1, "batch_texts": 4, "epochs": 10, "reuse": 2,
         "shared": 1, "sources": {"icons": 1}},
        {"name": "both", "lr": 1e-4, "steps": 5, "shared": 1, "sources": {"icons": 1}}]}


@pytest.fixture
def icons(world):
    write_icons(world / "icons", 80, True, 1)
    write_icons(world / "drawings", 40, False, 2)
    stem = {"openworld_stem": [[8, 2], [16, 2]], "patch_size": 1}
    config = CONFIG | {"vision_config": CONFIG["vision_config"] | stem}
    (world / "config.json").write_text(json.dumps(config))
    (world / "stages.json").write_text(json.dumps(STAGES))
    return world


def staged(*flags, **values):
    words = call("--batch-norm", "--stages", "stages.json", "--min-names", 5, "--min-words", 5, *flags,
                 augment="redraw", flip=0, tint=0.1, warp=0.02, ink=0.5, **values)
    at = words.index("--data")
    return words[:at] + words[at + 2:]


def test_stages_build_on_each_other(icons):
    """Icons have names of their own in the text tower at the end, which only the stages before told it."""
    write_icons(icons / "more", 40, True, 3)
    for number, image in enumerate(np.load(icons / "more" / "images.npz")["images"]):
        path = icons / "held" / ["left bar", "right bar", "top bar", "low bar"][number % 4] / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path)
    result = json_of(*staged(eval="held", average=0.9), cwd=icons)
    # 80 icons and 40 drawings by 8 a step; 80 icons twice; 5 steps.
    assert result["steps"] == 12 * 15 + 10 * 20 + 5
    assert result["accuracy"]["held"] > 0.9
    assert result["options"]["word_vectors"] == 8  # four names, four words; "bar" is too common
    assert result["options"]["stages"][1]["reuse"] == 2
    assert result["options"]["sources"]["icons"]["lines"]["tint"] == 0.1
    lines = [json.loads(line) for line in (icons / "model" / "log.jsonl").read_text().splitlines()]
    assert [line["stage"] for line in lines] == ["words"] * 12 + ["text"] * 10 + ["both"]
    assert set(lines[0]["losses"]) == {"words", "agreement"}
    assert lines[11]["accuracy"]["held, 4 of 4 names by vectors"] > 0.9
    assert 0 < lines[0]["gemm_share"] < 1
    assert lines[-1]["step"] == result["steps"]


def test_stages_resume_where_they_were_stopped(icons):
    json_of(*staged(), cwd=icons)
    whole = weights(icons)
    parts = staged(out="parts")
    stops = 0
    for stage in ("words", "text"):
        process = subprocess.Popen([BIN, *map(str, parts)], cwd=icons, stderr=subprocess.DEVNULL)
        log = icons / "parts" / "log.jsonl"
        while process.poll() is None and not (log.exists() and f'"{stage}"' in log.read_text()):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        stops += process.wait() == 2
    again = run(*parts, cwd=icons)
    assert again.code == 0 and stops >= 1
    assert weights(icons, "parts") == whole
    text = (icons / "stages.json").read_text().replace('"epochs": 10', '"epochs": 11')
    (icons / "stages.json").write_text(text)
    refused(*parts, cwd=icons, says=["holds a run with stages text: epochs 10, not 11"])


@pytest.mark.parametrize("change, says", [
    ({"stages": [{"lock": "image"}]}, ["stage 1: lock is image, which would keep a tower with a random init"]),
    ({"stages": [{"texts": 1}]}, ["stage 1: texts needs vectors of names"]),
    ({"stages": [{"epochs": 0}]}, ["stages.json: stages[0].epochs is 0; expected an integer from 1"]),
    ({"stages": [{"sources": {"icon": 1}}]}, ["stages[0].sources.icon is 1; expected the name of a source"]),
    ({"sources": {"icons": {"data": "nothing"}}}, ["nothing: does not exist"]),
    ({"sources": {"icons": {"data": "icons", "blur": 1}}}, ["sources.icons.blur is 1; expected no such key"]),
])
def test_refused_stages(icons, change, says):
    (icons / "stages.json").write_text(json.dumps({"sources": {"icons": {"data": "icons"}},
                                                   "stages": [{}]} | change))
    refused(*staged(), cwd=icons, says=says)
    assert not (icons / "model" / "model.safetensors").exists()


def test_either_data_or_stages(icons):
    refused("pretrain", "--out", "model", cwd=icons, says=["[pretrain] no images; expected --data, or --stages"])
    refused("pretrain", "--out", "model", "--data", "photos", "--stages", "stages.json", cwd=icons,
            says=["--data excludes --stages"])
    (icons / "stages.json").unlink()
    refused(*staged(), cwd=icons, says=["[pretrain] stages.json: "])


def test_images_without_names(world):
    refused(*call("--unnamed", epochs=1), cwd=world,
            says=["[pretrain] no image has captions, from which a vocabulary is learned"])
    pretrain(world, out="words", epochs=1)
    unnamed = {"epochs": 1, "vocabulary": "words/merges.txt"}
    refused(*call("--unnamed", **unnamed), cwd=world,
            says=["photos: 32 images with captions (text-files), without names: no image with anything"])
    # Two views of each teach an image tower all the same.
    result = pretrain(world, "--unnamed", agreement=1, pairs=0, views=2, **unnamed | {"augment": "crop"})
    assert result["options"]["data"].endswith("without names")


def test_a_damaged_state_is_refused(world):
    (world / "model").mkdir()
    (world / "model" / "state.safetensors").write_bytes(b"x" * 100)
    refused(*call(epochs=1), cwd=world, says=["model/state.safetensors"])
    assert (world / "model" / "state.safetensors").read_bytes() == b"x" * 100
    pretrain(world, "--restart", epochs=1)
