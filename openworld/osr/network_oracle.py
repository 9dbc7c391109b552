"""Networks in training and evaluation mode, and weights as the published code saves them, in plain PyTorch; see oracle.py."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from loss_oracle import squared_distance
from oracle_file import write


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


def write_cases(out):
    net_case("vgg32", VGG32, {0, 3, 6}, 0.2, 1, 0, 11, out)
    net_case("vgg32_two_norms", VGG32, {0, 3, 6}, 0.2, 2, 1, 4, out)
    net_case("small", SMALL, {2, 4}, 0.1, 1, 0, 19, out)
    mlp_case(out)
    published_case(out)
