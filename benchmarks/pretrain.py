"""Pre-training on icons beside PyTorch, in one run, as ratios. Run through `scripts/bench pretrain`.

The rival is the same training written in PyTorch as one would: nn.Conv2d, nn.BatchNorm2d, attention
by matrix products, augmentation of whole batches by torch.nn.functional, AdamW with clipping and a
running mean of the weights. 1.9 million parameters, images of 32 pixels, fp32, the same number of
threads (OMP_NUM_THREADS, by default all cores).

words: the image tower against vectors of 3432 names; 96 icons and two views of 24 drawings a step.
text: the text tower on features of the locked image tower; 192 captions and 192 names a step.
augment: changes of shapes and lines, images a second on one core, 32 and 48 pixels.

Images a second are all that go through the tower, views included; for text they are captions that
have one. Every measurement is a process of its own, ours and theirs in turn.
"""

import argparse
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import torch
import torch.nn.functional as F
from torch import nn

THREADS = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
NAMES, ICONS, DRAWINGS, CAPTIONS, TOKENS, SIDE, WIDTH = 3432, 96, 24, 192, 4000, 32, 128
STEM = ((32, 2), (64, 2), (128, 1), (128, 2))
ROUNDS, OUR_STEPS, RIVAL_STEPS = 3, 30, 15
SECTIONS = ("words", "text", "augment")


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, mask=None):
        n, rows, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(n, rows, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        scores = (query * (width // self.heads)**-0.5) @ key.transpose(-1, -2)
        if mask is not None:
            scores = scores + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(n, rows, width)
        x = x + self.out(mixed)
        return x + self.mlp(self.norm2(x))


class ImageTower(nn.Module):
    def __init__(self):
        super().__init__()
        layers, channels = [], 3
        for out, stride in STEM:
            layers += [nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.GELU()]
            channels = out
        self.stem, self.patch = nn.Sequential(*layers), nn.Conv2d(channels, WIDTH, 1, bias=False)
        self.head = nn.Parameter(0.1 * torch.randn(WIDTH))
        self.positions = nn.Parameter(0.1 * torch.randn(17, WIDTH))
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.blocks = nn.ModuleList([Block(WIDTH, 4) for _ in range(2)])
        self.projection = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, images):
        x = self.patch(self.stem(images)).flatten(2).transpose(1, 2)
        x = torch.cat([self.head.expand(len(x), 1, -1), x], 1) + self.positions
        x = self.before(x)
        for block in self.blocks:
            x = block(x)
        return self.projection(self.after(x[:, 0]))


class TextTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, WIDTH)
        self.positions = nn.Parameter(0.01 * torch.randn(40, WIDTH))
        self.blocks = nn.ModuleList([Block(WIDTH, 4) for _ in range(3)])
        self.after, self.projection = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, ids, ends):
        rows = ids.shape[1]
        x = self.tokens(ids) + self.positions[:rows]
        mask = torch.full((rows, rows), -math.inf).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.projection(self.after(x[torch.arange(len(x)), ends]))


def augment(images):
    """Outlines, an affine and an elastic change, strength, inversion and tint of uint8 images."""
    n = len(images)
    chance = lambda p: (torch.rand(n) < p)[:, None, None, None]
    x = images.float() / 255
    grey = x.mean(1, keepdim=True)
    x = torch.where(chance(0.5), grey.expand_as(x), x)
    padded = F.pad(grey, (1, 1, 1, 1), value=1.0)
    thick = F.max_pool2d(padded, 3, 1) + F.max_pool2d(-padded, 3, 1)
    padded = F.pad(grey, (0, 1, 0, 1), value=1.0)
    thin = F.max_pool2d(padded, 2, 1) + F.max_pool2d(-padded, 2, 1)
    outline = 1 - (torch.where(chance(0.6), thin, thick) * 1.3).clamp(0, 1)
    x = torch.where(chance(0.5), outline.expand_as(x), x)
    angle, zoom, shear = 0.16 * torch.randn(n), 1 / (0.8 + 0.28 * torch.rand(n)), 0.1 * torch.randn(n)
    flip = torch.where(torch.rand(n) < 0.5, -1.0, 1.0)
    affine = torch.zeros(n, 2, 3)
    affine[:, 0, 0], affine[:, 0, 1] = angle.cos() * zoom * flip, shear - angle.sin() * zoom
    affine[:, 1, 0], affine[:, 1, 1] = angle.sin() * zoom * flip, angle.cos() * zoom
    affine[:, :, 2] = 0.05 * torch.randn(n, 2)
    grid = F.affine_grid(affine, x.shape, align_corners=False)
    nodes = torch.randn(n, 2, 5, 5) * (0.02 + 0.07 * torch.rand(n, 1, 1, 1))
    bend = F.interpolate(nodes, size=x.shape[2:], mode="bicubic", align_corners=True)
    x = 1 - F.grid_sample(1 - x, grid + bend.permute(0, 2, 3, 1), align_corners=False)
    x = (1 - (1 - x) * (0.8 + 0.6 * torch.rand(n, 1, 1, 1))).clamp(0, 1)
    x = torch.where(chance(0.07), 1 - x, x)
    ink, paper = 0.7 * torch.rand(n, 3, 1, 1), 1 - 0.3 * torch.rand(n, 3, 1, 1)
    x = torch.where(chance(0.12), ink + (paper - ink) * x, x)
    return (x - 0.85) / 0.28


def unit(x):
    return F.normalize(x, dim=-1)


class WordStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower = ImageTower()
        self.vectors = nn.Parameter(0.1 * torch.randn(NAMES, WIDTH))
        self.scale = nn.Parameter(torch.tensor(math.log(12.0)))
        self.icons = torch.randint(0, 256, (2 * NAMES, 3, SIDE, SIDE), dtype=torch.uint8)
        self.images = ICONS + 2 * DRAWINGS

    def forward(self):
        icons = torch.randint(0, len(self.icons), (ICONS,))
        drawings = torch.randint(0, len(self.icons), (DRAWINGS,))
        shown = torch.cat([self.icons[icons], self.icons[drawings], self.icons[drawings]])
        features = unit(self.tower(augment(shown)))
        logits = self.scale.exp() * features @ unit(self.vectors).t()
        # A name, and two words that share the rest.
        rows = torch.arange(ICONS).repeat_interleave(3)
        columns = (icons[:, None] * torch.tensor([1, 7, 11]) % NAMES).flatten()
        shares = torch.tensor([0.6, 0.2, 0.2]).repeat(ICONS)
        words = -(logits.log_softmax(1)[rows, columns] * shares).sum() / ICONS
        first, second = features[ICONS:].chunk(2)
        views, own = 10 * first @ second.t(), torch.arange(DRAWINGS)
        return words + 0.15 * (F.cross_entropy(views, own) + F.cross_entropy(views.t(), own))


class TextStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.tower, self.scale = TextTower(), nn.Parameter(torch.tensor(math.log(20.0)))
        self.features = unit(torch.randn(3072, WIDTH))
        self.vectors = unit(torch.randn(NAMES, WIDTH))
        self.images = CAPTIONS

    def forward(self):
        # Captions as long as those of pretrain_bench: 11 tokens with a name of 6.
        lengths = torch.cat([torch.full((CAPTIONS,), 13), torch.randint(8, 14, (CAPTIONS,))])
        ids = torch.randint(0, TOKENS, (2 * CAPTIONS, int(lengths.max())))
        texts = unit(self.tower(ids, lengths - 1))
        images = self.features[torch.randint(0, len(self.features), (CAPTIONS,))]
        logits, own = self.scale.exp() * images @ texts[:CAPTIONS].t(), torch.arange(CAPTIONS)
        pairs = F.cross_entropy(logits, own) + F.cross_entropy(logits.t(), own)
        names = F.cross_entropy(20 * texts[CAPTIONS:] @ self.vectors.t(), torch.randint(0, NAMES, (CAPTIONS,)))
        return 0.25 * pairs + names


def run_rival(section, steps):
    torch.set_num_threads(THREADS)
    torch.manual_seed(1)
    stage = {"words": WordStage, "text": TextStage}[section]()
    parameters = list(stage.parameters())
    decayed = [p for p in parameters if p.ndim > 1]
    groups = [{"params": decayed, "weight_decay": 0.05},
              {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0}]
    optimiser = torch.optim.AdamW(groups, lr=2e-3, betas=(0.9, 0.98))
    means = [p.detach().clone() for p in parameters]
    times = []
    for _ in range(steps + 2):  # the first two are not counted
        start = time.perf_counter()
        optimiser.zero_grad(set_to_none=True)
        stage().backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        with torch.no_grad():
            for mean, parameter in zip(means, parameters):
                mean.lerp_(parameter, 0.002)
        times.append(time.perf_counter() - start)
    times = sorted(times[2:])
    return {"seconds_per_step": times[0], "median": statistics.median(times),
            "images_per_second": stage.images / statistics.median(times),
            "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def rival_augment(side):
    torch.set_num_threads(1)
    images = torch.randint(0, 256, (144, 3, side, side), dtype=torch.uint8)
    times = []
    for _ in range(10):
        start = time.perf_counter()
        augment(images)
        times.append(time.perf_counter() - start)
    return {"images_per_second": len(images) / min(times)}


def measure(*command):
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def best_of(runs):
    return max(runs, key=lambda run: run["images_per_second"])


def in_turn(program, section, ours, theirs):
    pairs = [(measure(program, section, ours),
              measure(sys.executable, __file__, "rival", section, theirs)) for _ in range(ROUNDS)]
    return [best_of(runs) for runs in zip(*pairs)]


def print_row(what, ours, theirs):
    ratio = ours["images_per_second"] / theirs["images_per_second"]
    share = f"{100 * ours['gemm_share']:.0f} %" if "gemm_share" in ours else ""
    memory = [f"{run['peak_memory_bytes'] / 2**20:.0f} MiB" if "peak_memory_bytes" in run else ""
              for run in (ours, theirs)]
    print(f"| {what} | {ours['images_per_second']:.0f} | {theirs['images_per_second']:.0f} | {ratio:.2f}x | "
          f"{share} | {memory[0]} | {memory[1]} |", flush=True)


def compare(build, sections):
    program = f"{build}/bin/pretrain_bench"
    print(f"machine: {platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
          f"{THREADS} threads; Python {platform.python_version()}, torch {torch.__version__}; best of "
          f"{ROUNDS} medians of {OUR_STEPS} steps of ours and {RIVAL_STEPS} of theirs\n")
    print("| images a second | openworld | PyTorch | speed-up | of GEMM | memory | of PyTorch |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for section in ("words", "text"):
        if section in sections:
            print_row(section, *in_turn(program, section, OUR_STEPS, RIVAL_STEPS))
    for side in (32, 48):
        if "augment" in sections:
            print_row(f"augment, {side} pixels, one core", *in_turn(program, "augment", side, side))


def main():
    if sys.argv[1:2] == ["rival"]:
        section, number = sys.argv[2], int(sys.argv[3])
        run = rival_augment(number) if section == "augment" else run_rival(section, number)
        print(json.dumps(run))
        return
    parser = argparse.ArgumentParser(description="pre-training beside PyTorch")
    parser.add_argument("build", help="folder of the build, or: rival")
    parser.add_argument("sections", nargs="*", default=SECTIONS, metavar="SECTION",
                        help="words, text, augment; default: all")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}")
    compare(**vars(options))


main()
