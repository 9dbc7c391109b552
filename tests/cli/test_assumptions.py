"""What a checkpoint does not say and is assumed is said once, wherever it is used."""

import dataclasses
import json

import numpy as np
import pytest
from command import json_of, needs_models, run
from make_clip import Tower, shapes, write_safetensors
from tiny_model import SIZES, write_vocabulary
from tuning import call, read_json, write_world

pytestmark = needs_models

ACTIVATION = "no configuration names the activation; gelu is assumed, and OpenAI's weights need quick_gelu"
NORMALISATION = "no configuration gives the image normalisation; CLIP's mean and std are assumed"
BOTH = [ACTIVATION, NORMALISATION]
# Heads are 64 wide where no configuration says otherwise.
BARE = dataclasses.replace(SIZES, vision=Tower(64, 1, 1, 128), text=Tower(64, 1, 1, 128))


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Weights without a configuration, and a world."""
    folder = tmp_path_factory.mktemp("bare")
    random = np.random.default_rng(3)
    tensors = {name: random.normal(0, 0.3, shape).astype("f4") for name, shape in shapes(BARE).items()}
    write_safetensors(folder / "weights.safetensors", {**tensors, "logit_scale": np.array(3, "f4")})
    write_vocabulary(folder)
    write_world(folder / "world")
    return folder


def said(folder, *words):
    """The JSON, and the lines on stderr about the weights."""
    ran = run(*words, "--json", cwd=folder)
    assert ran.code == 0, ran
    prefix = "weights.safetensors: "
    return json.loads(ran.out), [line.removeprefix(prefix) for line in ran.err.splitlines() if line.startswith(prefix)]


def test_everywhere(bare):
    data = ["--model", "weights.safetensors", "--data", "world/test", "--out", "x.npz"]
    for command in ("encode", "zeroshot"):
        result, lines = said(bare, command, *data)
        assert lines == result["model"]["assumptions"] == BOTH
        with np.load(bare / "x.npz") as arrays:
            assert json.loads(str(arrays["meta"]))["model"]["assumptions"] == BOTH

    result, lines = said(bare, *call("coop", "run", model="weights.safetensors", epochs=1))
    assert lines == result["assumptions"] == BOTH
    assert read_json(bare / "run" / "run.json")["model"]["assumptions"] == BOTH
    assert read_json(bare / "run" / "result.json")["assumptions"] == BOTH
    result, lines = said(bare, "predict", "--run", "run", "world/test/blue")
    assert lines == result["assumptions"] == BOTH


def test_where_images_are_scored_beside_a_run(bare):
    """threshold --unknown, doctor --model and openset run the model, too."""
    said(bare, *call("coop", "scored", model="weights.safetensors", epochs=1))
    result, lines = said(bare, "threshold", "--run", "scored", "--max-miss", 0.99, "--unknown", "world/test/blue")
    assert lines == result["assumptions"] == BOTH
    ran = run("doctor", "world", "--model", "weights.safetensors", cwd=bare)
    assert [line for line in ran.err.splitlines()] == [f"weights.safetensors: {each}" for each in BOTH]
    result, lines = said(bare, "openset", "--model", "weights.safetensors", "--data", "world/test", "--ci", "none")
    assert lines == result["assumptions"] == BOTH


def test_what_is_said_is_not_assumed(bare):
    result, lines = said(bare, "encode", "--model", "weights.safetensors", "--activation", "quick_gelu",
                         "--data", "world/test", "--out", "y.npz")
    assert lines == result["model"]["assumptions"] == [NORMALISATION]


def test_nothing_is_assumed_of_a_whole_checkpoint(model, pets, folder):
    assert json_of("encode", "--model", model, "--data", pets, "--out", folder / "x.npz")["model"]["assumptions"] == []
