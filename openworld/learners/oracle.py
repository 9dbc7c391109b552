"""Writes what prompt learners should compute, for the tests of this folder. Needs PyTorch.

usage: oracle.py OUT

OUT/clip                a small random CLIP as a folder of Hugging Face, with its vocabulary
OUT/cases.json          names, and per case: method, stage, all options, templates, file of tensors
OUT/NAME.safetensors    inputs features, labels, local, parameter.*, test_features;
                        expected loss, gradient.*, base_logits, new_logits, score, threshold

Inputs are float32; expected values are computed from them in double. A method that trains nothing
has no loss, class-specific contexts have neither new_logits nor score, and only DeCoOp has a
threshold, the one of a training set that is the batch. Parameters that a loss does not touch have a
gradient of zeros; ProGrad's is the gradient after projection and its loss the cross-entropy.
oracle_prompted.py has the cases of learners that are not about features of images alone.
"""

import json
import pathlib
import sys
import zlib
from typing import Callable, NamedTuple

import numpy as np
import torch

from oracle_model import (BASE_NAMES, NEW_NAMES, SELECT, TEMPLATES, random_clip, tokenize,
                          write_clip)
from oracle_prompted import make_case, prompted_cases
from reference_checks import check_gradient
from reference_clip import normalized
from reference_learners import LEARNERS, Batch, TextTower
from make_clip import write_safetensors  # by the path that oracle_model sets

CLIP = random_clip(139)  # of 150 seeds the one whose names differ most
TOWER = TextTower(CLIP, tokenize)
BATCH, POSITIONS, TESTS = 24, 9, 40


class Trial(NamedTuple):
    learner: object
    parameters: dict
    batch: Batch
    tests: torch.Tensor
    test_local: torch.Tensor = None  # for learners that score patches


class Case(NamedTuple):
    name: str
    method: str
    options: dict = {}
    stage: int = 0
    labels: Callable = None  # of the classes of the images; by default those
    templates: list = TEMPLATES
    # Contexts are drawn until this holds of a trial; what a case is there for has to happen in it.
    when: Callable = lambda trial: True


def pictures(random, names, noise):
    """Features near the texts of names: the zero-shot model is mostly right."""
    texts = TOWER.texts([TEMPLATES[0].replace("{}", name) for name in names]).numpy()
    lengths = random.uniform(2, 12, (len(names), 1))
    return (lengths * (texts + random.normal(0, noise, texts.shape))).astype("f4")


def shared_inputs():
    random = np.random.default_rng(5)
    classes = np.arange(BATCH) % len(BASE_NAMES)
    random.shuffle(classes)
    names = BASE_NAMES + NEW_NAMES
    shown = [names[i] for i in random.integers(0, len(names), TESTS)]
    places = [BASE_NAMES[i] for i in random.integers(0, len(BASE_NAMES), BATCH * POSITIONS)]
    return {"features": pictures(random, [BASE_NAMES[c] for c in classes], 0.2),
            "labels": classes.astype(np.int64),
            "local": pictures(random, places, 0.3).reshape(BATCH, POSITIONS, -1),
            "test_features": pictures(random, shown, 0.2),
            "test_local": pictures(random, [name for name in shown for _ in range(POSITIONS)],
                                   0.3).reshape(TESTS, POSITIONS, -1)}


def draw_context(random, shape):
    """Words with noise: neither right about everything nor about nothing."""
    words = TOWER.embed(tokenize("a photo of a")).numpy()
    rows = words[np.arange(shape[-2]) % len(words)]
    return (rows + random.normal(0, 0.1, shape)).astype("f4")


def shown_everywhere(learner, parameters, batch):
    """Local features of the class itself at every position."""
    texts = learner.texts(BASE_NAMES, parameters).detach()[batch.labels]
    return texts[:, None].expand(-1, POSITIONS, -1).numpy().astype("f4") * 3


def double(array):
    tensor = torch.from_numpy(array)
    return tensor if tensor.dtype == torch.long else tensor.double()


def set_up(case, seed, shared):
    random = np.random.default_rng([zlib.crc32(case.name.encode()), seed])
    learner = LEARNERS[case.method](TOWER, BASE_NAMES, NEW_NAMES, case.templates, case.options,
                                    case.stage)
    inputs = dict(shared)
    if case.labels:
        inputs["labels"] = case.labels(inputs["labels"])
    for name, shape in learner.shapes().items():
        inputs[f"parameter.{name}"] = draw_context(random, shape)
    if case.method != "locoop":
        del inputs["local"], inputs["test_local"]
    elif "no_position" in case.name:
        parameters = {"context": double(inputs["parameter.context"])}
        labels = double(inputs["labels"])
        inputs["local"] = shown_everywhere(learner, parameters, Batch(None, labels, None))
    return learner, inputs


def trial(learner, inputs):
    parameters = {name.partition(".")[2]: double(value) for name, value in inputs.items()
                  if name.startswith("parameter.")}
    local = double(inputs["local"]) if "local" in inputs else None
    batch = Batch(double(inputs["features"]), double(inputs["labels"]), local)
    test_local = double(inputs["test_local"]) if "test_local" in inputs else None
    return Trial(learner, parameters, batch, double(inputs["test_features"]), test_local)


def expectations(of):
    learner, parameters, batch, tests, test_local = of
    result = {}
    if parameters:
        loss, gradients = learner.gradients(parameters, batch)
        result["loss"] = loss.reshape(1)
        result.update({f"gradient.{name}": value for name, value in gradients.items()})
    if hasattr(learner, "threshold"):
        threshold = learner.threshold(parameters, batch.features)
        result["threshold"] = torch.tensor([threshold])
        prediction = learner.predict(parameters, tests, threshold)
    else:
        local = () if test_local is None else (test_local,)
        prediction = learner.predict(parameters, tests, *local)
    known = {name: value for name, value in prediction._asdict().items() if value is not None}
    result.update(known)
    return {name: value.detach().numpy() for name, value in result.items()}


def assert_stable(of, expected):
    """The same in float: no branch of the case hangs on the last digits."""
    learner, parameters, batch, tests, test_local = of
    tower = TextTower(CLIP, tokenize, torch.float)
    single = type(learner)(tower, learner.base, learner.new, learner.templates, learner.options,
                           learner.stage)
    batch = Batch(*(part.float() if part is not None and part.dtype == torch.double else part
                    for part in batch))
    parameters = {name: value.float() for name, value in parameters.items()}
    test_local = None if test_local is None else test_local.float()
    single_trial = Trial(single, parameters, batch, tests.float(), test_local)
    for name, value in expectations(single_trial).items():
        error = np.abs(value - expected[name]).max()
        assert error <= 2e-5 * max(1e-3, np.abs(expected[name]).max()), (name, error)


def only(*residues, of=3):
    """Labels of other residues than these moved to classes that have them."""
    allowed = [c for c in range(len(BASE_NAMES)) if c % of in residues]
    return lambda labels: np.array([y if y in allowed else allowed[y % len(allowed)]
                                    for y in labels])


def every_second_wrong(labels):
    """Far from the true class, the sigmoid of a logit is not yet 1."""
    return np.where(np.arange(BATCH) % 2, labels, (labels + 3) % len(BASE_NAMES))


def cosine_of_gradients(trial):
    _, g, q = trial.learner.both_gradients(trial.parameters, trial.batch)
    return float((g * q).sum() / g.norm() / q.norm())


def some(flags):
    return bool(flags.any() and not flags.all())


def gates_differ(trial):
    """Both classifiers are right about some images and wrong about others, and g is unsure."""
    learner, parameters, batch, *_ = trial
    g = learner.base_classifier(parameters, batch.features)
    h = learner.new_classifier(parameters, batch.features, BASE_NAMES)
    right = g.softmax(1)[torch.arange(BATCH), batch.labels].mean()
    return 0.2 < right < 0.8 and all(some(logits.argmax(1) == batch.labels) for logits in (g, h))


def locations_differ(trial):
    local = TOWER.logits(trial.batch.local, trial.learner.texts(BASE_NAMES, trial.parameters))
    best = local.topk(trial.learner.options["top"]).indices
    return some((best == trial.batch.labels[:, None, None]).any(-1))


def margins_differ(trial):
    """Some margins are kept, some not; none nearly."""
    gaps = []
    for i, partition in enumerate(trial.learner.partitions()):
        logits = trial.learner.detector_logits(trial.parameters, i, trial.batch.features)
        inside = partition.labels(trial.batch.labels) >= 0
        if some(inside):
            entropies = torch.distributions.Categorical(logits=logits).entropy()
            gap = entropies[inside].mean() - entropies[~inside].mean()
            gaps.append(float(gap) + trial.learner.margin(partition.size))
    return min(gaps) < -0.01 and max(gaps) > 0.01 and min(map(abs, gaps)) > 0.01


def switches_differ(trial):
    """Each classifier is on for some images of both sets, some test images have all off, and no
    score is near the threshold."""
    learner, parameters, batch, tests, _ = trial
    threshold = learner.threshold(parameters, batch.features)
    train = learner.detections(parameters, batch.features, BASE_NAMES)
    test = learner.detections(parameters, tests, BASE_NAMES + NEW_NAMES)
    near = min(float((q - threshold).abs().min()) for q in (train, test)) < 2e-4
    on = test >= threshold
    return not near and all(map(some, train >= threshold)) and all(map(some, on)) \
        and some(on.any(0)) and some(on.all(0))


def coop_cases():
    yield Case("coop_end", "coop", {"tokens": 16})
    yield Case("coop_middle", "coop", {"tokens": 5, "position": "middle"})
    yield Case("coop_front", "coop", {"tokens": 4, "position": "front"})
    yield Case("coop_class_specific", "coop", {"tokens": 4, "class_specific": True})
    yield Case("coop_class_specific_middle", "coop",
               {"tokens": 5, "class_specific": True, "position": "middle"})
    yield Case("kgcoop", "kgcoop", {"tokens": 4, "weight": 8.0})
    yield Case("kgcoop_middle", "kgcoop", {"tokens": 6, "weight": 2.5, "position": "middle"})
    # Labels that the zero-shot model is wrong about: the two gradients disagree.
    against = dict(labels=lambda labels: (labels + 1) % len(BASE_NAMES),
                   when=lambda trial: cosine_of_gradients(trial) < -0.1)
    yield Case("prograd_against", "prograd", {"tokens": 16}, **against)
    yield Case("prograd_against_part", "prograd",
               {"tokens": 4, "lambda": 0.8, "temperature": 2.0}, **against)
    yield Case("prograd_along", "prograd", {"tokens": 16},
               when=lambda trial: cosine_of_gradients(trial) > 0.1)
    yield Case("locoop", "locoop", {"tokens": 16, "top": 2}, when=locations_differ)
    yield Case("locoop_top", "locoop", {"tokens": 4, "top": 5, "lambda": 0.75},
               when=locations_differ)
    yield Case("locoop_mcm", "locoop", {"tokens": 4, "top": 2, "score": "mcm"},
               when=locations_differ)
    yield Case("locoop_gl_mcm", "locoop", {"tokens": 4, "top": 2, "score": "gl_mcm"},
               when=locations_differ)
    yield Case("locoop_no_position", "locoop", {"tokens": 4, "top": 2},
               when=lambda trial: not locations_differ(trial))


def decoop_cases():
    short = {"detector_tokens": 5, "classifier_tokens": 3}
    yield Case("decoop_detectors", "decoop", {}, when=margins_differ)
    yield Case("decoop_detectors_auto", "decoop", {**short, "margin": "auto", "partitions": 4})
    yield Case("decoop_detectors_no_new", "decoop", short, labels=only(1, 2))
    yield Case("decoop_detectors_no_base", "decoop", short, labels=only(0))
    yield Case("decoop_classifiers", "decoop", {}, stage=1, when=switches_differ)
    yield Case("decoop_classifiers_two", "decoop", {**short, "partitions": 2}, stage=1,
               when=switches_differ)


def gmop_cases():
    def case(name, labels=None, **options):
        options = {"detector_tokens": 6, "classifier_tokens": 4, **options}
        return Case(f"gmop_{name}", "gmop", options, labels=labels, when=gates_differ)

    yield case("default", detector_tokens=16)
    yield case("gate_logit", every_second_wrong, gate="logit")
    yield case("gate_zero_one", gate="zero_one")
    yield case("gate_none", gate="none")
    yield case("detach", detach=True)
    yield case("detach_logit", every_second_wrong, detach=True, gate="logit")
    yield case("alpha_zero", alpha=0.0)
    yield case("weights", alpha=1.5, **{"lambda": 0.5})
    for k in (2, 4, 5):
        yield case(f"partitions_{k}", partitions=k)
    yield case("trained", new="trained")
    yield case("trained_logit", every_second_wrong, new="trained", gate="logit")
    yield case("single", single=True)
    yield case("single_zero_one", single=True, gate="zero_one")
    yield case("ensemble", zero_shot="ensemble")
    yield case("one_skipped", only(1, 2))
    yield case("all_skipped", only(0))


def all_cases():
    yield Case("zero_shot_single", "zero-shot", {"ensemble": "none"})
    yield Case("zero_shot_features", "zero-shot", {"ensemble": "features"},
               templates=SELECT + TEMPLATES)
    yield Case("zero_shot_logits", "zero-shot", {"ensemble": "logits"}, templates=SELECT)
    yield from coop_cases()
    yield from decoop_cases()
    yield from gmop_cases()


def write_case(out, case, shared):
    for seed in range(200):
        learner, inputs = set_up(case, seed, shared)
        of = trial(learner, inputs)
        if case.when(of):
            break
    else:
        raise SystemExit(f"{case.name}: no draw of contexts shows what the case is for")
    expected = expectations(of)
    assert all(np.isfinite(value).all() for value in expected.values()), case.name
    if of.parameters:
        check_gradient(learner, of.parameters, of.batch)
    assert_stable(of, expected)
    file = f"{case.name}.safetensors"
    write_safetensors(out / file, {**inputs, **expected})
    return {"name": case.name, "method": case.method, "stage": case.stage,
            "options": learner.options, "templates": case.templates, "tensors": file}


def write_prompted(out, case):
    tensors, options = make_case(case, CLIP)
    file = f"{case.name}.safetensors"
    write_safetensors(out / file, tensors)
    return {"name": case.name, "method": case.method, "stage": 0, "options": options,
            "task_templates": case.templates, "tensors": file}


def main(out):
    torch.set_num_threads(1)  # tensors are tiny
    out.mkdir(parents=True, exist_ok=True)
    write_clip(out / "clip", CLIP)
    shared = shared_inputs()
    cases = [write_case(out, case, shared) for case in all_cases()]
    cases += [write_prompted(out, case) for case in prompted_cases()]
    (out / "cases.json").write_text(json.dumps(
        {"base_names": BASE_NAMES, "new_names": NEW_NAMES, "templates": TEMPLATES, "cases": cases},
        indent=1))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
