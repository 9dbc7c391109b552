"""Losses and scores of every method, and learning rates, in plain PyTorch; see oracle.py."""

import json

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from oracle_file import write


def smooth_targets(labels, classes, smoothing):
    target = torch.full((len(labels), classes), smoothing / (classes - 1), dtype=torch.double)
    target[torch.arange(len(labels)), labels] = 1 - smoothing
    return target


def closed_loss(logits, labels, o):
    log = F.log_softmax(logits / o["temperature"], dim=1)
    target = smooth_targets(labels, logits.shape[1], o["smoothing"])
    return -(target * log).sum(1).mean()


def squared_distance(x, p):
    return ((x[:, None, :] - p[None, :, :]) ** 2).mean(2)


def own(x, p, labels):
    return ((x - p[labels]) ** 2).mean(1)


def linear(x, t, o):
    return x @ t["weight"].T


def softmax_loss(x, labels, t, o):
    return closed_loss(linear(x, t, o), labels, o)


def gcpl_loss(x, labels, t, o):
    return (closed_loss(-squared_distance(x, t["centers"]), labels, o)
            + o["center_weight"] * F.mse_loss(x, t["centers"][labels]) / 2)


def rpl_loss(x, labels, t, o):
    distance = own(x, t["centers"], labels)
    return (closed_loss(squared_distance(x, t["centers"]), labels, o)
            + o["center_weight"] * F.mse_loss(distance, t["radius"].expand_as(distance)))


def arpl_logits(x, t, o):
    return squared_distance(x, t["centers"]) - x @ t["centers"].T


def arpl_loss(x, labels, t, o):
    distance = own(x, t["centers"], labels)
    margin = F.margin_ranking_loss(t["radius"].expand_as(distance), distance,
                                   torch.ones_like(distance), margin=1.0)
    loss = closed_loss(arpl_logits(x, t, o), labels, o) + o["center_weight"] * margin
    if "generated" in t:
        p = F.softmax(squared_distance(t["generated"], t["centers"]), dim=1)
        loss = loss + o["generated_weight"] * torch.exp((p * torch.log(p)).sum(1).mean())
    return loss


def openauc_loss(x, labels, t, o):
    logits = linear(x, t, o)
    loss = closed_loss(logits, labels, o)
    if o["order"] is None:
        return loss
    n = len(o["order"])
    second, of_second = x[len(x) - n:], labels[len(x) - n:]
    terms = []
    for i in range(n):
        j = o["order"][i]
        if o["only_other_class"] and of_second[i] == of_second[j]:
            continue
        if o["only_right"] and logits[i].argmax() != labels[i]:
            continue
        fake = o["share"] * second[i] + (1 - o["share"]) * second[j]
        terms.append((1 + (t["weight"] @ fake).max() - logits[i].max()) ** 2)
    return loss + o["open_weight"] * sum(terms) / len(terms) if terms else loss


DEFAULTS = {"temperature": 1.0, "smoothing": 0.0, "center_weight": 0.1, "generated_weight": 0.1, "open_weight": 0.1,
            "only_right": True, "only_other_class": True, "order": None, "share": 1.0}
METHODS = {
    "softmax": (softmax_loss, linear, ["weight"], "softmax"),
    "ce-plus": (softmax_loss, linear, ["weight"], "logit"),
    "gcpl": (gcpl_loss, lambda x, t, o: -squared_distance(x, t["centers"]), ["centers"], "softmax"),
    "rpl": (rpl_loss, lambda x, t, o: squared_distance(x, t["centers"]), ["centers", "radius"], "softmax"),
    "arpl": (arpl_loss, arpl_logits, ["centers", "radius"], "logit"),
    "arpl-plus": (arpl_loss, arpl_logits, ["centers", "radius"], "logit"),
    "arpl-cs": (arpl_loss, arpl_logits, ["centers", "radius"], "logit"),
    "openauc": (openauc_loss, linear, ["weight"], "logit"),
}

CASES = [
    ("softmax", "softmax", {}, {}),
    ("softmax_warm_smooth", "softmax", {"temperature": 2.5, "smoothing": 0.3}, {}),
    ("softmax_logit", "softmax", {"score": "logit"}, {}),
    ("gcpl", "gcpl", {}, {}),
    ("gcpl_warm", "gcpl", {"temperature": 0.5, "center_weight": 2.0}, {}),
    ("rpl", "rpl", {}, {}),
    ("rpl_heavy", "rpl", {"center_weight": 3.0, "temperature": 1.7}, {}),
    ("arpl", "arpl", {}, {}),
    ("arpl_warm", "arpl", {"temperature": 3.0, "center_weight": 1.5}, {}),
    ("arpl_inside", "arpl", {}, {"radius": 40.0}),  # no sample outside the margin
    ("arpl_cs", "arpl-cs", {}, {"generated": 9}),
    ("arpl_cs_heavy", "arpl-cs", {"generated_weight": 0.7, "temperature": 2.0}, {"generated": 30}),
    ("ce_plus", "ce-plus", {}, {}),
    ("ce_plus_smooth", "ce-plus", {"smoothing": 0.9}, {}),
    ("arpl_plus", "arpl-plus", {"smoothing": 0.2}, {}),
    ("openauc", "openauc", {}, {"mixed": 12}),
    ("openauc_smooth", "openauc", {"smoothing": 0.3, "open_weight": 0.6}, {"mixed": 12}),
    ("openauc_shuffled", "openauc", {"pairs": "shuffled", "open_weight": 2.0}, {"mixed": 24}),
    ("openauc_all_pairs", "openauc", {"only_right": False, "only_other_class": False}, {"mixed": 12}),
    ("openauc_nothing_mixed", "openauc", {}, {}),
    ("openauc_one_class", "openauc", {}, {"mixed": 12, "labels": 1}),  # no pair counts
]


def loss_case(name, method, options, extra, out):
    random = np.random.default_rng(sum(name.encode()))
    loss_of, logits_of, parameters, score = METHODS[method]
    classes, width, n = 5, 7, 24
    labels = random.integers(0, extra.get("labels", classes), n)
    means = random.normal(0, 2, (classes, width))
    x = torch.tensor(means[labels] + random.normal(0, 1.2, (n, width)), requires_grad=True)
    t = {}
    if "weight" in parameters:
        t["weight"] = means / 3 + random.normal(0, 0.3, means.shape)
    if "centers" in parameters:
        t["centers"] = random.normal(0, 1, means.shape)
    if "radius" in parameters:
        t["radius"] = np.array([extra.get("radius", 1.3)])
    if "generated" in extra:
        t["generated"] = random.normal(0, 1.5, (extra["generated"], width))
    t = {key: torch.tensor(value, requires_grad=True) for key, value in t.items()}
    o = {**DEFAULTS, **options}
    if "mixed" in extra:
        o["order"] = [int(i) for i in random.permutation(extra["mixed"])]
        o["share"] = 0.37
    loss = loss_of(x, torch.tensor(labels), t, o)
    loss.backward()
    logits = logits_of(x, t, o)
    shown = F.softmax(logits, 1) if options.get("score", score) == "softmax" else logits
    tensors = {"features": x, "labels": labels.astype("i8"), "loss": loss.reshape(1), "logits": logits,
               "scores": shown, "gradient.features": x.grad}
    for key, value in t.items():
        kind = "generated" if key == "generated" else f"parameter.{key}"
        tensors[kind] = value
        tensors[f"gradient.{key}"] = value.grad if value.grad is not None else torch.zeros_like(value)
    if o["order"] is not None:
        tensors["order"] = np.array(o["order"], dtype="i8")
        tensors["share"] = np.array([o["share"]])
    write(out / f"loss-{name}.safetensors", tensors)
    return {"name": name, "method": method, "options": options}


def schedule_case(out):
    """Learning rates of torch's own schedulers, stepped as the published loops step them."""
    rates = {}
    for name, epochs in (("steps", 100), ("restarts", 600), ("restarts", 30), ("restarts", 7)):
        parameter = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.SGD([parameter], lr=0.1)
        if name == "steps":
            schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[30, 60, 90, 120])
        else:
            schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=int(epochs / 3),
                                                                            eta_min=0.1 * 1e-3)
        of_epochs = []
        for epoch in range(epochs):
            of_epochs.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if name == "steps":
                schedule.step()
            else:
                schedule.step(epoch=epoch)
        rates[f"{name}.{epochs}"] = np.array(of_epochs)
    write(out / "schedules.safetensors", rates)


def write_cases(out):
    cases = [loss_case(*case, out) for case in CASES]
    (out / "losses.json").write_text(json.dumps(cases))
    schedule_case(out)
