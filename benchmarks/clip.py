"""CLIP's towers beside PyTorch, in one run, as ratios. Run through `scripts/bench clip [SECTION...]`.

The rival is the reference as its authors run it: nn.MultiheadAttention, all prompts padded to 77
tokens, autograd through frozen weights, at ViT-B/16 size with random weights, on the same BLAS and
the same number of threads (OMP_NUM_THREADS, by default all cores). Class names have 1, 2, 2 or 3
tokens in turn. Every measurement of ours is a process of its own; times are the best of several.
Sections: coop4, coop16, coop1000, zeroshot, zeroshot1000, image.
"""

import json
import os
import platform
import subprocess
import sys
import time

# OpenMP's idle threads otherwise spin on the cores that BLAS's threads need; good for both sides.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import torch
from torch import nn

THREADS = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
WIDTH, LAYERS, HEADS, CONTEXT, EMBED = 512, 12, 8, 77, 512
START, STOP, END, PLACEHOLDER = 49406, 269, 49407, 343


class QuickGELU(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


class Block(nn.Module):
    def __init__(self, width, heads, mask=None):
        super().__init__()
        self.attn = nn.MultiheadAttention(width, heads)
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), QuickGELU(), nn.Linear(4 * width, width))
        self.mask = mask

    def forward(self, x):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False, attn_mask=self.mask)[0]
        return x + self.mlp(self.ln_2(x))


class TextTower(nn.Module):
    def __init__(self, layers=LAYERS):
        super().__init__()
        mask = torch.full((CONTEXT, CONTEXT), float("-inf")).triu(1)
        self.blocks = nn.Sequential(*[Block(WIDTH, HEADS, mask) for _ in range(layers)])
        self.ln_final = nn.LayerNorm(WIDTH)
        self.register_buffer("tokens", 0.02 * torch.randn(END + 1, WIDTH))
        self.register_buffer("positions", 0.01 * torch.randn(CONTEXT, WIDTH))
        self.register_buffer("projection", torch.randn(WIDTH, EMBED) / WIDTH**0.5)
        self.requires_grad_(False)

    def forward(self, rows, ends):
        x = self.blocks((rows + self.positions).permute(1, 0, 2)).permute(1, 0, 2)
        return self.ln_final(x)[torch.arange(len(ends)), ends] @ self.projection


class VisionTower(nn.Module):
    def __init__(self, width=768):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 16, 16, bias=False)
        self.register_buffer("class_embedding", torch.randn(width) / width**0.5)
        self.register_buffer("positions", torch.randn(197, width) / width**0.5)
        self.ln_pre, self.ln_post = nn.LayerNorm(width), nn.LayerNorm(width)
        self.blocks = nn.Sequential(*[Block(width, 12) for _ in range(12)])
        self.register_buffer("projection", torch.randn(width, EMBED) / width**0.5)
        self.requires_grad_(False)

    def forward(self, images):
        x = self.conv1(images).flatten(2).permute(0, 2, 1)
        x = torch.cat([self.class_embedding.expand(len(x), 1, -1), x], 1) + self.positions
        x = self.blocks(self.ln_pre(x).permute(1, 0, 2)).permute(1, 0, 2)
        return self.ln_post(x[:, 0]) @ self.projection


def prompt_ids(prompts):
    ids = torch.zeros(len(prompts), CONTEXT, dtype=torch.long)
    for row, prompt in zip(ids, prompts):
        row[: len(prompt)] = torch.tensor(prompt)
    return ids, torch.tensor([len(prompt) - 1 for prompt in prompts])


def name_tokens(c):
    return [1000 + 10 * c + i for i in range((1, 2, 2, 3)[c % 4])]


def coop_step(tower, classes, context, chunk):
    """A function that computes the gradient of one step. Where the classes do not fit at once, by
    chunks with a given gradient of the features, which spares the rival a second forward pass."""
    prompts = [[START] + [PLACEHOLDER] * context + name_tokens(c) + [STOP, END] for c in range(classes)]
    ids, ends = prompt_ids(prompts)
    learned = (0.02 * torch.randn(context, WIDTH)).requires_grad_()
    images = nn.functional.normalize(torch.randn(32, EMBED))
    labels = torch.zeros(32, dtype=torch.long)

    def features(i):
        rows = tower.tokens[ids[i]]
        rows = torch.cat([rows[:, :1], learned.expand(len(rows), -1, -1), rows[:, 1 + context :]], 1)
        return tower(rows, ends[i])

    def whole():
        logits = 100 * images @ nn.functional.normalize(features(slice(None))).t()
        torch.autograd.grad(nn.functional.cross_entropy(logits, labels), [learned])

    def in_chunks():
        for at in range(0, classes, chunk):
            part = features(slice(at, at + chunk))
            torch.autograd.grad(part, [learned], torch.ones_like(part))

    return whole if classes <= chunk else in_chunks


def zeroshot(tower, templates, names, chunk=100):
    prompts = []
    for t in range(templates):
        prefix = [START, 320] + [500 + 8 * t + i for i in range(3 + t % 4)]
        prompts += [prefix + name_tokens(c) + [STOP, END] for c in range(names)]
    ids, ends = prompt_ids(prompts)

    def run():
        with torch.no_grad():
            for at in range(0, len(prompts), chunk):
                tower(tower.tokens[ids[at : at + chunk]], ends[at : at + chunk])

    return run


def best(repeats, f):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


class Report:
    def __init__(self, build):
        self.build = build
        self.environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS),
                            "OPENBLAS_NUM_THREADS": str(THREADS)}
        self.gemm = self.ours("gemm", 10)["gflops"]
        print(f"machine: {platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
              f"{THREADS} threads; torch {torch.__version__}; GEMM of 2048: {self.gemm:.0f} GFLOP/s\n")
        print("| what | openworld | PyTorch | speed-up | of the GEMM rate | peak memory |")
        print("|---|---|---|---|---|---|", flush=True)

    def ours(self, *arguments):
        command = [f"{self.build}/bin/clip_bench", *map(str, arguments)]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=self.environment)
        return json.loads(out.stdout)

    def compare(self, what, arguments, rival, repeats, wanted, limit_mib=None):
        """Ours before and after the rival, so that a slow minute hits both."""
        runs = [self.ours(*arguments)]
        theirs = best(repeats, rival) if rival else None
        if rival:
            runs.append(self.ours(*arguments))
        ours = min(runs, key=lambda run: run["seconds"])
        peak = max(run["peak_mib"] for run in runs)
        ratio = "" if theirs is None else f"{theirs / ours['seconds']:.3g}x"
        if wanted:
            missed = "" if theirs / ours["seconds"] >= wanted else ", MISSED"
            ratio += f" (want >= {wanted}x{missed})"
        memory = f"{peak:.0f} MiB"
        if limit_mib:
            memory += f" (want < {limit_mib}{'' if peak < limit_mib else ', MISSED'})"
        print(f"| {what} | {ours['seconds']:.3g} s | {'' if theirs is None else f'{theirs:.3g} s'} | "
              f"{ratio} | {100 * ours['gflops'] / self.gemm:.0f} % | {memory} |", flush=True)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    sections = set(sys.argv[2:]) or {"coop4", "coop16", "coop1000", "zeroshot", "zeroshot1000", "image"}
    report = Report(sys.argv[1])
    text = TextTower()
    if "coop16" in sections:
        report.compare("CoOp step, 50 classes, 16 tokens", ("coop", 50, 16, 1024, 10),
                       coop_step(text, 50, 16, 50), 3, 10)
    if "coop4" in sections:
        report.compare("CoOp step, 50 classes, 4 tokens", ("coop", 50, 4, 1024, 10),
                       coop_step(text, 50, 4, 50), 3, 8)
    if "coop1000" in sections:
        report.compare("CoOp step, 1000 classes, 16 tokens", ("coop", 1000, 16, 1024, 3),
                       coop_step(text, 1000, 16, 50), 1, 10, limit_mib=2048)
    if "zeroshot" in sections:
        report.compare("classifier, 80 templates x 20 names", ("zeroshot", 80, 20, 3),
                       zeroshot(text, 80, 20), 1, 8)
    if "zeroshot1000" in sections:
        report.compare("classifier, 80 templates x 1000 names", ("zeroshot", 80, 1000, 1), None, 0, None)
    if "image" in sections:
        del text
        images = torch.randn(8, 3, 224, 224)
        vision = VisionTower()

        def rival():
            with torch.no_grad():
                vision(images)

        rival()
        report.compare("image tower, batch of 8", ("image", 8, 5), rival, 5, 1)


if __name__ == "__main__":
    main()
