"""Prompt tuning beside PyTorch, in one run, as ratios. Run through `scripts/bench tune [SECTION...]`.

One training step of each learner at ViT-B/16 size with random weights: 50 base classes with 16 shots, the
released batch size, fp32, the same BLAS and number of threads (OMP_NUM_THREADS, by default all cores). The
rivals are in tune_rivals.py.

Every measurement is a process of its own, ours and theirs in turn. Sections: the name of a learner, for its
step; step, for all of them; run, 40 epochs of GMoP, which for the rival are 1000 times its best step. The
rival alone, of any size: tune.py rival METHOD STEPS [--classes N] [--layers N].
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

from clip import LAYERS, THREADS
import torch
from tune_rivals import BATCHES, METHODS, Towers, make_batch

CLASSES, SHOTS, EPOCHS = 50, 16, 40
ROUNDS, OUR_STEPS, RIVAL_STEPS = 2, 10, 3


def run_rival(method, steps, classes, layers):
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    learner = METHODS[method](Towers(method, classes, layers))
    optimisers = learner.optimisers()
    draw = make_batch(method, classes, SHOTS)
    times = []
    for _ in range(steps):
        batch = draw()
        start = time.perf_counter()
        for optimiser in optimisers:
            optimiser.zero_grad()
        learner.step(batch)
        for optimiser in optimisers:
            optimiser.step()
        times.append(time.perf_counter() - start)
    parameters = sum(p.numel() for p in learner.parameters()) + getattr(learner, "untrained", 0)
    return {"seconds_per_step": min(times), "median": statistics.median(times), "steps": steps,
            "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "parameters": parameters}


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


def in_turn(program, method, rounds):
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(measure(program, method, OUR_STEPS))
        theirs.append(measure(sys.executable, __file__, "rival", method, RIVAL_STEPS))
    ours, theirs = best(ours), best(theirs)
    assert ours["parameters"] == theirs["parameters"], (ours, theirs)
    return ours, theirs


def memory(run):
    return f"{run['peak_memory_bytes'] / 2**20:.0f} MiB"


def print_step(method, ours, theirs):
    ratio = theirs["seconds_per_step"] / ours["seconds_per_step"]
    saved = theirs["peak_memory_bytes"] / ours["peak_memory_bytes"]
    times = " | ".join(f"{run['seconds_per_step']:.3g} s (median {run['median']:.3g})"
                       for run in (ours, theirs))
    print(f"| {method}, batch {BATCHES[method]}, {ours['parameters']} numbers | {times} | {ratio:.3g}x | "
          f"{100 * ours['gemm_share']:.0f} % | {memory(ours)} | {memory(theirs)} | {saved:.3g}x |",
          flush=True)


def print_run(ours, theirs):
    """theirs is the rival's step; nobody waits for it a thousand times."""
    steps = EPOCHS * -(-CLASSES * SHOTS // BATCHES["gmop"])
    assert ours["steps"] == steps, ours
    expected = steps * theirs["seconds_per_step"]
    saved = theirs["peak_memory_bytes"] / ours["peak_memory_bytes"]
    print(f"| GMoP, {EPOCHS} epochs, {steps} steps | {ours['seconds']:.0f} s | {expected:.0f} s, "
          f"extrapolated from its best step | {expected / ours['seconds']:.3g}x | | {memory(ours)} | "
          f"{memory(theirs)} | {saved:.3g}x |", flush=True)


def compare(build, sections, rounds):
    program = f"{build}/bin/tune_bench"
    print(f"machine: {platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
          f"{THREADS} threads; Python {platform.python_version()}, torch {torch.__version__}; "
          f"best of {rounds} x {OUR_STEPS} steps of ours, {rounds} x {RIVAL_STEPS} of theirs\n")
    print("| what | openworld | PyTorch | speed-up | of GEMM | memory | memory of PyTorch | less memory |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for method in METHODS:
        if method in sections or "step" in sections:
            print_step(method, *in_turn(program, method, rounds))
    if "run" in sections:
        theirs = measure(sys.executable, __file__, "rival", "gmop", RIVAL_STEPS)
        print_run(measure(program, "run"), theirs)


def main():
    if sys.argv[1:2] == ["rival"]:
        parser = argparse.ArgumentParser(prog="tune.py rival")
        parser.add_argument("method", choices=METHODS)
        parser.add_argument("steps", type=int)
        parser.add_argument("--classes", type=int, default=CLASSES)
        parser.add_argument("--layers", type=int, default=LAYERS)
        print(json.dumps(run_rival(**vars(parser.parse_args(sys.argv[2:])))))
        return
    parser = argparse.ArgumentParser(description="prompt tuning beside PyTorch")
    parser.add_argument("build", help="folder of the build, or: rival")
    parser.add_argument("sections", nargs="*", default=["step", "run"], metavar="SECTION",
                        help="step, run, or the name of a learner; default: step run")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of both in turn [{ROUNDS}]")
    options = parser.parse_args()
    unknown = set(options.sections) - {"step", "run", *METHODS}
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}")
    compare(**vars(options))


main()
