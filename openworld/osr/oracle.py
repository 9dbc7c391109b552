"""Writes what losses and networks of open-set training should compute, for the tests of this folder.

usage: oracle.py OUT

Plain PyTorch in double precision, written from the papers and the published definitions; it shares no line
with this code. Inputs are doubles too, so that differences are roundings.

OUT/losses.json         per case: method, options, file of tensors
OUT/loss-NAME.safetensors   features, labels, parameter.*, generated, order, share; expected loss, gradient.*, logits,
                        scores
OUT/net-NAME.safetensors    parameter.*, buffer.*, input, mask.*, upstream; expected train.*, after.*, features,
                        gradient.*, gradient_input, eval.*, eval_features
OUT/gan.safetensors     noise, real images; expected images, losses and digests of gradients. Weights are given by a formula
OUT/published.pth, published_criterion.pth, published.safetensors   weights as the published code saves them, and
                        the scores of images
"""

import json
import math
import pathlib
import struct
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TYPES = {np.dtype("f8"): "F64", np.dtype("f4"): "F32", np.dtype("i8"): "I64"}


def write(path, tensors):
    """A safetensors file."""
    header, parts, at = {}, [], 0
    for name, value in tensors.items():
        array = np.asarray(value.detach().numpy() if torch.is_tensor(value) else value)
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": TYPES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


# Losses.

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


# Networks.

class Block(nn.Module):
    """Convolution, one of several batch norms, LeakyReLU, and a mask of channels that is given."""

    def __init__(self, inputs, outputs, stride, sets):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(sets))

    def forward(self, x, mask, which):
        x = F.leaky_relu(self.norms[which](self.conv(x)), 0.2)
        return x if mask is None else x * mask[:, :, None, None]


VGG32 = [(3, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 128, 1), (128, 128, 2), (128, 128, 1),
         (128, 128, 1), (128, 128, 2)]
SMALL = [(3, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 2)]


class Net(nn.Module):
    def __init__(self, shapes, sets=1):
        super().__init__()
        self.blocks = nn.ModuleList(Block(*shape, sets) for shape in shapes)

    def forward(self, x, masks, which=0):
        trace = []
        if masks is not None and masks[0] is not None:
            x = x * masks[0][:, :, None, None]
        for i, block in enumerate(self.blocks):
            x = block(x, masks[i + 1] if masks is not None else None, which)
            trace.append(x)
        return x.mean((2, 3)), trace


def published_name(name, sets):
    """blocks.0.norms.1.weight -> bn1.bns.1.weight"""
    _, block, kind, *rest = name.split(".")
    number = int(block) + 1
    if kind == "conv":
        return f"conv{number}.weight"
    return f"bn{number}.bns.{rest[0]}.{rest[1]}" if sets > 1 else f"bn{number}.{rest[1]}"


def randomise(module, random):
    with torch.no_grad():
        for name, value in module.state_dict().items():
            if name.endswith("num_batches_tracked"):
                continue
            shape = tuple(value.shape)
            if "running_var" in name:
                new = random.uniform(0.5, 2, shape)
            elif "running_mean" in name or name.endswith("bias"):
                new = random.normal(0, 0.3, shape)
            elif value.dim() == 1:
                new = random.normal(1, 0.2, shape)
            else:
                new = random.normal(0, 1.3 / math.sqrt(np.prod(shape[1:])), shape)
            value.copy_(torch.from_numpy(np.asarray(new)))


def draw_masks(shapes, places, n, dropout, random):
    channels = [shapes[0][0]] + [shape[1] for shape in shapes]
    return [torch.tensor((random.uniform(0, 1, (n, c)) >= dropout) / (1 - dropout)) if i in places else None
            for i, c in enumerate(channels)]


def net_case(name, shapes, places, dropout, sets, which, n, out):
    random = np.random.default_rng(sum(name.encode()))
    net = Net(shapes, sets).double()
    randomise(net, random)
    x = torch.tensor(random.normal(0, 1, (n, 3, 32, 32)), requires_grad=True)
    masks = draw_masks(shapes, places, n, dropout, random)
    upstream = torch.tensor(random.normal(0, 1, (n, shapes[-1][1])))
    tensors = {"input": x, "upstream": upstream, "norm_set": np.array([which], dtype="i8")}
    for key, value in net.state_dict().items():
        if not key.endswith("num_batches_tracked"):
            kind = "buffer" if "running" in key else "parameter"
            tensors[f"{kind}.{published_name(key, sets)}"] = value.clone()
    for i, mask in enumerate(masks):
        if mask is not None:
            tensors[f"mask.{i}"] = mask
    net.eval()
    with torch.no_grad():
        features, trace = net(x, None)
    tensors["eval_features"] = features
    tensors.update({f"eval.{i}": layer for i, layer in enumerate(trace)})
    net.train()
    features, trace = net(x, masks, which)
    features.backward(upstream)
    tensors["features"] = features
    tensors.update({f"train.{i}": layer for i, layer in enumerate(trace)})
    tensors["gradient_input"] = x.grad
    for key, value in net.named_parameters():
        if value.grad is not None:
            tensors[f"gradient.{published_name(key, sets)}"] = value.grad
    for key, value in net.named_buffers():
        if "running" in key:
            tensors[f"after.{published_name(key, sets)}"] = value.clone()
    write(out / f"net-{name}.safetensors", tensors)


def mlp_case(out):
    random = np.random.default_rng(11)
    n, width = 20, 12
    samples = torch.tensor(random.normal(1, 3, (60, width)))
    samples[:, 4] = 2.5  # a column that says nothing
    first, norm, second = nn.Linear(width, 256), nn.BatchNorm1d(256), nn.Linear(256, 128)
    net = nn.ModuleDict({"fc1": first, "bn1": norm, "fc2": second}).double()
    randomise(net, random)
    deviation = samples.std(0, unbiased=False)
    deviation[4] = 1
    x = samples[:n].clone().requires_grad_()
    upstream = torch.tensor(random.normal(0, 1, (n, 128)))
    tensors = {"samples": samples, "input": x, "upstream": upstream, "norm_set": np.array([0], dtype="i8")}
    for key, value in net.state_dict().items():
        if not key.endswith("num_batches_tracked"):
            tensors[f"{'buffer' if 'running' in key else 'parameter'}.{key}"] = value.clone()

    def run():
        shown = (x - samples.mean(0)) / deviation
        hidden = F.leaky_relu(norm(first(shown)), 0.2)
        return [shown, hidden, second(hidden)]

    net.eval()
    with torch.no_grad():
        trace = run()
    tensors["eval_features"] = trace[-1]
    tensors.update({f"eval.{i}": layer for i, layer in enumerate(trace)})
    net.train()
    trace = run()
    trace[-1].backward(upstream)
    tensors["features"] = trace[-1]
    tensors.update({f"train.{i}": layer for i, layer in enumerate(trace)})
    tensors["gradient_input"] = x.grad
    tensors.update({f"gradient.{key}": value.grad for key, value in net.named_parameters()})
    tensors.update({f"after.{key}": value.clone() for key, value in net.named_buffers() if "running" in key})
    write(out / "net-mlp.safetensors", tensors)


# The GAN.

def generator():
    return nn.Sequential(
        nn.ConvTranspose2d(100, 512, 4, 1, 0, bias=False), nn.BatchNorm2d(512), nn.ReLU(),
        nn.ConvTranspose2d(512, 256, 4, 2, 1, bias=False), nn.BatchNorm2d(256), nn.ReLU(),
        nn.ConvTranspose2d(256, 128, 4, 2, 1, bias=False), nn.BatchNorm2d(128), nn.ReLU(),
        nn.ConvTranspose2d(128, 3, 4, 2, 1, bias=False), nn.Sigmoid())


def discriminator():
    return nn.Sequential(
        nn.Conv2d(3, 128, 4, 2, 1, bias=False), nn.LeakyReLU(0.2),
        nn.Conv2d(128, 256, 4, 2, 1, bias=False), nn.BatchNorm2d(256), nn.LeakyReLU(0.2),
        nn.Conv2d(256, 512, 4, 2, 1, bias=False), nn.BatchNorm2d(512), nn.LeakyReLU(0.2),
        nn.Conv2d(512, 1024, 4, 2, 1, bias=False), nn.Sigmoid(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1), nn.Sigmoid())


GENERATOR = {0: "conv1", 1: "bn1", 3: "conv2", 4: "bn2", 6: "conv3", 7: "bn3", 9: "conv4"}
DISCRIMINATOR = {0: "conv1", 2: "conv2", 3: "bn2", 5: "conv3", 6: "bn3", 8: "conv4", 12: "classifier"}


def given(part, name, shape, fan):
    """Weights that need no file: a million of them, and a formula gives the same to the test."""
    i = np.arange(np.prod(shape), dtype="f8")
    wave = np.sin(12.9898 * i + sum(f"{part}.{name}".encode())).reshape(shape)
    return wave * math.sqrt(2 / fan) if fan > 1 else 1 + 0.2 * wave


def digest(gradient):
    """Two numbers that any other gradient would change."""
    flat = gradient.reshape(-1).numpy()
    return np.array([flat.sum(), (flat * np.cos(0.11 * np.arange(len(flat)))).sum()])


def gan_case(out):
    """The gradients of -log D(G(noise)), with D on real images besides."""
    random = np.random.default_rng(3)
    g, d = generator().double().train(), discriminator().double().train()
    names = {"generator": GENERATOR, "discriminator": DISCRIMINATOR}

    def named(part, module):
        for key, value in module.named_parameters():
            index, _, tensor = key.partition(".")
            yield f"{names[part][int(index)]}.{tensor}", value

    for part, module in (("generator", g), ("discriminator", d)):
        for name, value in named(part, module):
            fan = value[0].numel() if value.dim() > 1 else 1
            value.data = torch.from_numpy(given(part, name, tuple(value.shape), fan))
    noise = torch.tensor(random.normal(0, 1, (6, 100, 1, 1)))
    real = torch.tensor(random.uniform(0, 1, (6, 3, 32, 32)), requires_grad=True)
    of_real = d(real).squeeze(1)
    real_loss = F.binary_cross_entropy(of_real, torch.ones(6, dtype=torch.double))
    real_loss.backward()
    tensors = {"noise": noise, "real": real, "real_loss": real_loss.reshape(1), "real_probability": of_real,
               "gradient.real": real.grad}
    for name, value in named("discriminator", d):
        tensors[f"gradient.discriminator.{name}"] = digest(value.grad)
    images = g(noise)
    loss = F.binary_cross_entropy(d(images).squeeze(1), torch.ones(6, dtype=torch.double))
    loss.backward()
    tensors.update({"images": images, "loss": loss.reshape(1)})
    for name, value in named("generator", g):
        tensors[f"gradient.generator.{name}"] = digest(value.grad)
    write(out / "gan.safetensors", tensors)


# Weights as the published code saves them.

def published_case(out):
    random = np.random.default_rng(17)
    classes, n = 6, 5
    images = torch.tensor(random.normal(0, 1, (n, 3, 32, 32)).astype("f4"))
    tensors = {"images": images}
    for sets, name in ((1, "published"), (2, "published_abn")):
        net = Net(VGG32, sets)
        randomise(net, random)
        net.eval()
        fc = torch.tensor(random.normal(0, 0.1, (classes, 128)).astype("f4"))
        centers = torch.tensor(random.normal(0, 0.3, (classes, 128)).astype("f4"))
        state = {}
        for key, value in net.state_dict().items():
            state["module." + published_name(key, sets)] = value
        for norm in (["bn10"] if sets == 1 else ["bn10.bns.0", "bn10.bns.1"]):
            state.update({f"module.{norm}.{key}": value
                          for key, value in nn.BatchNorm2d(128).state_dict().items()})
        state["module.fc.weight"] = fc
        torch.save(state, out / f"{name}.pth")
        torch.save({"points": centers, "radius": torch.tensor([0.5]), "Dist.centers": centers},
                   out / f"{name}_criterion.pth")
        with torch.no_grad():
            features = net.double()(images.double(), None)[0]
            tensors[f"{name}.logits"] = features @ fc.double().T
            tensors[f"{name}.arpl"] = (squared_distance(features, centers.double())
                                       - features @ centers.double().T)
    write(out / "published.safetensors", tensors)


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


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    cases = [loss_case(*case, out) for case in CASES]
    (out / "losses.json").write_text(json.dumps(cases))
    net_case("vgg32", VGG32, {0, 3, 6}, 0.2, 1, 0, 11, out)
    net_case("vgg32_two_norms", VGG32, {0, 3, 6}, 0.2, 2, 1, 4, out)
    net_case("small", SMALL, {2, 4}, 0.1, 1, 0, 19, out)
    mlp_case(out)
    gan_case(out)
    published_case(out)
    schedule_case(out)


if __name__ == "__main__":
    main()
