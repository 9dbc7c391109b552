"""Generator and discriminator of ARPL+CS, in plain PyTorch; see oracle.py."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from oracle_file import write


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
