"""The part of oracle.py that is about the learners of reference_prompted.py: their cases, and whole
trainings of a few epochs.

Inputs of a case: features (not normalised), labels, local (states of patches), pixels, step, and
the same of test images; parameter.NAME. Expected: loss, gradient.NAME, base_logits, new_logits,
score. A training has order [epochs, steps, batch], and expects curve [epochs * steps] of losses and
final.NAME.
"""

import math
import zlib
from typing import NamedTuple

import numpy as np
import torch

from oracle_model import BASE_NAMES, NEW_NAMES, TEMPLATES, tokenize
from reference_checks import along, close, slope
from reference_learners import TextTower
from reference_prompted import PROMPTED, GalLoP, MaPLe, ProDA, PromptSRC, RPO, VPT
from reference_towers import Towers

IMAGES, TESTS, EPOCHS, BATCH = 8, 10, 5, 4
WITH_PIXELS = (VPT, MaPLe, PromptSRC, RPO)
KIND = "a photo of a {}, a type of thing."


class Inputs(NamedTuple):
    """What a learner is given of images, as its batches."""
    features: torch.Tensor  # [n, embed], not normalised
    labels: torch.Tensor
    local: torch.Tensor  # [n, patches, vision width]
    pixels: torch.Tensor
    step: int = 0

    def some(self, rows, step):
        return Inputs(*(part[rows] for part in self[:4]), step)


class Case(NamedTuple):
    name: str
    method: str
    options: dict = {}
    step: int = 0
    templates: list = TEMPLATES
    lr: float = 0  # of a training; 0: none


def prompted_cases():
    yield Case("cocoop", "cocoop", lr=0.02)
    yield Case("cocoop_front", "cocoop", {"tokens": 3, "hidden": 5, "position": "front"})
    yield Case("cocoop_middle", "cocoop", {"tokens": 5, "position": "middle"})
    yield Case("vpt", "vpt", lr=0.1)
    yield Case("vpt_shallow", "vpt", {"tokens": 3, "depth": 1, "sentence": "template"},
               templates=[KIND])
    yield Case("vpt_two", "vpt", {"tokens": 2, "depth": 2})
    yield Case("maple", "maple", {"init": "auto"}, lr=0.02)
    yield Case("maple_shallow", "maple", {"tokens": 3, "depth": 1})
    yield Case("maple_two", "maple", {"tokens": 3, "init": "auto", "depth": 2})
    yield Case("promptsrc", "promptsrc", lr=0.02)
    yield Case("promptsrc_weights", "promptsrc",
               {"tokens": 3, "visual_tokens": 2, "depth": 2, "text_weight": 3.0,
                "image_weight": 40.0, "logits_weight": 7.0, "teacher": "template"})
    yield Case("promptsrc_mean", "promptsrc", {"gpa_mean": 2.0, "gpa_std": 1.5}, lr=0.02)
    yield Case("promptsrc_shallow", "promptsrc", {"depth": 1, "image_weight": 0.0})
    yield Case("rpo", "rpo", {"tokens": 6}, lr=0.05)
    yield Case("rpo_one", "rpo", {"tokens": 1, "sentence": "template"}, templates=["art of the {}."])
    yield Case("proda", "proda", {"tokens": 4, "prompts": 8}, step=5, lr=0.01)
    yield Case("proda_all", "proda", {"tokens": 3, "prompts": 8, "prompt_batch": 8, "lambda": 2.0,
                                      "divisor": "unbiased"})
    yield Case("tcp", "tcp", lr=0.01)
    yield Case("tcp_block", "tcp", {"tokens": 3, "block": 1, "weight": 2.0, "hidden": 7},
               templates=[KIND])
    yield Case("gallop", "gallop", {"patches": 2, "patches_step": 2}, step=3, lr=0.02)
    yield Case("gallop_whole", "gallop", {"tokens": 3, "global_prompts": 3, "local_prompts": 2,
                                          "patches": 7, "dropout": 0.0, "score": "gl_mcm"})
    yield Case("gallop_half", "gallop", {"patches": 1, "patches_step": 1, "dropout": 0.5,
                                         "score": "mcm"}, step=1)
    yield Case("dept", "dept", lr=0.01)
    yield Case("dept_coop", "dept", {"on": "coop", "tokens": 3, "head": 0.4, "score": "cosines"})
    yield Case("dept_cocoop", "dept", {"on": "cocoop", "tokens": 3, "hidden": 3, "head_lr": 2.0},
               lr=0.01)


def draw(random, name, shape, tower):
    """Values that make what is computed neither constant nor saturated."""
    noise = random.normal(0, 1, shape)
    if name == "context" and len(shape) == 3:  # of ProDA: some say the opposite of others
        return 0.5 * noise
    if name in ("context", "deep", "global", "local"):
        words = tower.embed(tokenize("a photo of a")).numpy()
        return words[np.arange(shape[-2]) % len(words)] + 0.1 * noise
    if name == "local_proj":
        return np.eye(shape[0]) + 0.1 * noise
    if name.endswith("channels.scale"):
        return 1 + 0.2 * noise
    return 0.3 * noise


def draw_images(random, towers, count):
    classes = np.arange(count) % len(BASE_NAMES)
    pattern = np.random.default_rng(3).normal(0, 1, [len(BASE_NAMES), 3, 24, 24])
    pixels = (pattern[classes] + random.normal(0, 0.7, [count, 3, 24, 24])).astype("f4")
    with torch.no_grad():
        features = towers.images(torch.from_numpy(pixels).double()).numpy().astype("f4")
    states = random.normal(0, 1, [count, 9, towers.sizes.vision.width]).astype("f4")
    return {"features": features, "labels": classes.astype(np.int64), "local": states,
            "pixels": pixels}


def inputs_of(tensors, prefix, dtype, step=0):
    parts = [torch.from_numpy(tensors[prefix + name])
             for name in ("features", "labels", "local", "pixels")]
    return Inputs(*(part if part.dtype == torch.long else part.to(dtype) for part in parts), step)


def learning_rate(base, epoch):
    return 1e-5 if epoch == 0 else base * (1 + math.cos(math.pi * (epoch - 1) / EPOCHS)) / 2


def train(learner, case, parameters, images, order):
    """Losses of the steps of SGD as Dassl sets it up, and the parameters after them."""
    decay = 1e-2 if isinstance(learner, GalLoP) else 5e-4
    values = {name: value.clone() for name, value in parameters.items()}
    speed, mean, losses = {}, {name: 0 for name in values}, []
    for epoch, steps in enumerate(order):
        for rows in steps:
            batch = images.some(torch.from_numpy(rows), len(losses))
            loss, gradients = learner.gradients(values, batch)
            losses.append(float(loss))
            for name, value in values.items():
                factor = 1
                if case.method == "dept" and ("head" in name or "channels" in name):
                    factor = learner.options["head_lr"]
                if case.method == "gallop":
                    lr = case.lr * (1 + math.cos(math.pi * epoch / EPOCHS)) / 2
                else:
                    lr = learning_rate(factor * case.lr, epoch)
                step = gradients[name] + decay * value
                speed[name] = step if name not in speed else 0.9 * speed[name] + step
                values[name] = value - lr * speed[name]
        if isinstance(learner, PromptSRC):
            weight = learner.epoch_weights(EPOCHS)[epoch]
            mean = {name: mean[name] + weight * value for name, value in values.items()}
    return losses, mean if isinstance(learner, PromptSRC) else values


def expectations(learner, parameters, images, tests):
    loss, gradients = learner.gradients(parameters, images)
    prediction = learner.predict(parameters, tests)
    return {"loss": loss.reshape(1), "base_logits": prediction.base_logits,
            "new_logits": prediction.new_logits, "score": prediction.score,
            **{f"gradient.{name}": value for name, value in gradients.items()}}


def check_gradient(learner, parameters, images, gradients):
    generator = torch.Generator().manual_seed(1)
    direction = {name: torch.randn(value.shape, generator=generator, dtype=value.dtype)
                 for name, value in parameters.items()}
    found = slope(lambda p: learner.loss(p, images), parameters, direction, step=1e-6)
    expected = along({name: gradients[f"gradient.{name}"] for name in parameters}, direction)
    assert close(found, expected, 1e-5), (found, expected)


def make_case(case, clip):
    """The tensors of a case and the options of its learner."""
    tower = TextTower(clip, tokenize)
    learner = PROMPTED[case.method](tower, BASE_NAMES, NEW_NAMES, case.templates, case.options)
    random = np.random.default_rng([zlib.crc32(case.name.encode()), 7])
    towers = Towers(tower)
    tensors = draw_images(random, towers, IMAGES)
    tensors.update({f"test_{name}": value
                    for name, value in draw_images(random, towers, TESTS).items()})
    tensors["step"] = np.array([case.step], np.int64)
    for name, shape in learner.shapes().items():
        tensors[f"parameter.{name}"] = draw(random, name, shape, tower).astype("f4")
    parameters = {name: torch.from_numpy(tensors[f"parameter.{name}"]).double()
                  for name in learner.shapes()}
    images = inputs_of(tensors, "", torch.double, case.step)
    tests = inputs_of(tensors, "test_", torch.double)
    expected = expectations(learner, parameters, images, tests)
    check_gradient(learner, parameters, images, expected)
    if isinstance(learner, ProDA):
        assert learner.overlaps(parameters).min() < -0.05, case.name
    if case.lr:
        order = np.stack([random.permutation(IMAGES).reshape(-1, BATCH) for _ in range(EPOCHS)])
        losses, final = train(learner, case, parameters, images, order)
        assert losses[-1] < losses[0], (case.name, losses)
        tensors["order"] = order.astype(np.int64)
        expected["curve"] = torch.tensor(losses)
        expected.update({f"final.{name}": value for name, value in final.items()})
    if not isinstance(learner, WITH_PIXELS):
        del tensors["pixels"], tensors["test_pixels"]
    if not isinstance(learner, GalLoP):
        del tensors["local"], tensors["test_local"]
    tensors.update({name: value.detach().numpy() for name, value in expected.items()})
    assert all(np.isfinite(value).all() for value in tensors.values()), case.name
    options = dict(learner.options)
    if case.lr:
        options.update({"epochs": EPOCHS, "batch": BATCH, "lr": case.lr, "optimizer": "sgd"})
    return tensors, options
