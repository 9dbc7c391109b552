"""Prompt tuning beside PyTorch, in one run, as ratios. Run through `scripts/bench tune [step|run]`.

The rival is the reference as its authors train it, at the text size of ViT-B/16 with random
weights: nn.MultiheadAttention, prompts padded to 77 tokens, autograd through frozen weights and
torch's SGD. It is spared what a careful user would spare it: features of images and of zero-shot
prompts are computed once. 50 base classes with 16 shots, batches of 32, fp32, the same number of
threads (OMP_NUM_THREADS, by default all cores).

gmop: 3 detectors of 16 tokens over 34 names each and a classifier of 4 tokens over 50 names.
coop: 16 tokens over 50 names.

Every measurement is a process of its own, ours and theirs in turn. Sections: step, one step of each
method; run, 40 epochs of GMoP, which for the rival are 1000 times its best step. The rival alone,
of any size: tune.py rival gmop|coop STEPS [--classes N] [--layers N].
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

from clip import (EMBED, END, LAYERS, PLACEHOLDER, START, STOP, THREADS, WIDTH, TextTower,
                  name_tokens, prompt_ids)
import torch
from torch import nn
from torch.nn.functional import cross_entropy, normalize

CLASSES, SHOTS, BATCH, EPOCHS, PARTITIONS, SCALE = 50, 16, 32, 40, 3, 100
ROUNDS, OUR_STEPS, RIVAL_STEPS = 2, 20, 3


class PromptLearner(nn.Module):
    """Logits of names after a learned context, as CoOp's code computes them."""

    def __init__(self, tower, classes, tokens):
        super().__init__()
        prompts = [[START] + [PLACEHOLDER] * tokens + name_tokens(c) + [STOP, END] for c in classes]
        ids, self.ends = prompt_ids(prompts)
        embedded = tower.tokens[ids]
        self.register_buffer("prefix", embedded[:, :1].clone())
        self.register_buffer("suffix", embedded[:, 1 + tokens:].clone())
        self.context = nn.Parameter(torch.empty(tokens, WIDTH).normal_(std=0.02))
        self.encode = tower.forward  # not a submodule: its weights are not parameters of a learner

    def forward(self, images):
        context = self.context.expand(len(self.prefix), -1, -1)
        texts = self.encode(torch.cat([self.prefix, context, self.suffix], 1), self.ends)
        return SCALE * images @ normalize(texts).t()


class CoOp(nn.Module):
    def __init__(self, tower, classes):
        super().__init__()
        self.learner = PromptLearner(tower, range(classes), 16)

    def optimisers(self):
        return [torch.optim.SGD(self.parameters(), lr=0.002, momentum=0.9, weight_decay=5e-4)]

    def forward(self, images, labels):
        return cross_entropy(self.learner(images), labels)


class GMoP(nn.Module):
    def __init__(self, tower, classes):
        super().__init__()
        columns = -(-classes * (PARTITIONS - 1) // PARTITIONS)
        self.detectors, self.columns = nn.ModuleList(), []
        for k in range(PARTITIONS):
            names = [c for c in range(classes) if c % PARTITIONS != k]
            where = torch.full([classes], -1)
            where[names] = torch.arange(len(names))
            self.columns.append(where)
            names += [k] * (columns - len(names))
            self.detectors.append(PromptLearner(tower, names, 16))
        self.classifier = PromptLearner(tower, range(classes), 4)
        ids, ends = prompt_ids([[START, 320, 1125, 539, 320] + name_tokens(c) + [STOP, END]
                                for c in range(classes)])
        with torch.no_grad():
            self.zero_shot = normalize(tower(tower.tokens[ids], ends))

    def optimisers(self):
        return [torch.optim.SGD(part.parameters(), lr=0.002)
                for part in (self.detectors, self.classifier)]

    def forward(self, images, labels):
        rows = torch.arange(len(labels))
        g, h = self.classifier(images), SCALE * images @ self.zero_shot.t()
        g_gate, h_gate = (logits.softmax(1)[rows, labels].sigmoid() for logits in (g, h))
        loss = cross_entropy(g, labels)
        for detector, where in zip(self.detectors, self.columns):
            targets = where[labels]
            inside = targets >= 0
            if inside.all() or not inside.any():
                continue
            z = detector(images)
            rho = z.softmax(1).amax(1)
            gaps = 1 - (rho[inside][:, None] - rho[~inside])
            pairs = (g_gate[inside][:, None] * h_gate[~inside] * gaps**2).mean()
            warm = cross_entropy(z, targets, ignore_index=-1)
            loss = loss + (0.5 * warm + pairs) / PARTITIONS
        return loss


def run_rival(method, steps, classes, layers):
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    learner = {"gmop": GMoP, "coop": CoOp}[method](TextTower(layers), classes)
    optimisers = learner.optimisers()
    images = normalize(torch.randn(classes * SHOTS, EMBED))
    labels = torch.arange(classes).repeat_interleave(SHOTS)
    times = []
    for _ in range(steps):
        batch = torch.randperm(len(images))[:BATCH]
        start = time.perf_counter()
        loss = learner(images[batch], labels[batch])
        for optimiser in optimisers:
            optimiser.zero_grad()
        loss.backward()
        for optimiser in optimisers:
            optimiser.step()
        times.append(time.perf_counter() - start)
    return {"seconds_per_step": min(times), "median": statistics.median(times), "steps": steps,
            "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "parameters": sum(p.numel() for p in learner.parameters())}


def measure(*command):
    environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS),
                   "OPENBLAS_NUM_THREADS": str(THREADS)}
    command = [str(part) for part in command]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(out.stdout)


def best(runs):
    """The fastest of several runs, with the largest memory of any."""
    peak = max(run["peak_memory_bytes"] for run in runs)
    fastest = min(runs, key=lambda run: run["seconds_per_step"])
    return {**fastest, "peak_memory_bytes": peak}


def in_turn(program, method):
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(measure(program, method, OUR_STEPS))
        theirs.append(measure(sys.executable, __file__, "rival", method, RIVAL_STEPS))
    ours, theirs = best(ours), best(theirs)
    assert ours["parameters"] == theirs["parameters"], (ours, theirs)
    return ours, theirs


def memory(run):
    return f"{run['peak_memory_bytes'] / 2**20:.0f} MiB"


def print_step(what, ours, theirs):
    ratio = theirs["seconds_per_step"] / ours["seconds_per_step"]
    saved = theirs["peak_memory_bytes"] / ours["peak_memory_bytes"]
    times = " | ".join(f"{run['seconds_per_step']:.3g} s (median {run['median']:.3g})"
                       for run in (ours, theirs))
    print(f"| {what}, {ours['parameters']} numbers | {times} | {ratio:.3g}x | {memory(ours)} | "
          f"{memory(theirs)} | {saved:.3g}x |", flush=True)


def print_run(ours, theirs):
    """theirs is the rival's step; nobody waits for it a thousand times."""
    steps = EPOCHS * -(-CLASSES * SHOTS // BATCH)
    assert ours["steps"] == steps, ours
    expected = steps * theirs["seconds_per_step"]
    saved = theirs["peak_memory_bytes"] / ours["peak_memory_bytes"]
    print(f"| GMoP, {EPOCHS} epochs, {steps} steps | {ours['seconds']:.0f} s | {expected:.0f} s, "
          f"extrapolated from its best step | {expected / ours['seconds']:.3g}x | {memory(ours)} | "
          f"{memory(theirs)} | {saved:.3g}x |", flush=True)


def compare(build, section):
    program = f"{build}/bin/tune_bench"
    print(f"machine: {platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
          f"{THREADS} threads; Python {platform.python_version()}, torch {torch.__version__}; "
          f"best of {ROUNDS} x {OUR_STEPS} steps of ours, {ROUNDS} x {RIVAL_STEPS} of theirs\n")
    print("| what | openworld | PyTorch | speed-up | memory | memory of PyTorch | less memory |")
    print("|---|---|---|---|---|---|---|", flush=True)
    theirs = None
    if section != "run":
        print_step("CoOp step", *in_turn(program, "coop"))
        ours, theirs = in_turn(program, "gmop")
        print_step("GMoP step", ours, theirs)
    if section != "step":
        theirs = theirs or measure(sys.executable, __file__, "rival", "gmop", RIVAL_STEPS)
        print_run(measure(program, "run"), theirs)


def main():
    if sys.argv[1:2] == ["rival"]:
        parser = argparse.ArgumentParser(prog="tune.py rival")
        parser.add_argument("method", choices=["gmop", "coop"])
        parser.add_argument("steps", type=int)
        parser.add_argument("--classes", type=int, default=CLASSES)
        parser.add_argument("--layers", type=int, default=LAYERS)
        print(json.dumps(run_rival(**vars(parser.parse_args(sys.argv[2:])))))
        return
    parser = argparse.ArgumentParser(description="prompt tuning beside PyTorch")
    parser.add_argument("build", help="folder of the build, or: rival")
    parser.add_argument("section", nargs="?", choices=["step", "run"], help="default: both")
    compare(**vars(parser.parse_args()))


main()
