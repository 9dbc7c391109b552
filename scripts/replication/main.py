"""What scripts/replicate runs: every setting of a paper on every dataset, then the page.

A paper is a module with PAGE, SEEDS, FLAGS (the flags of its own), page(program, out), and either
  runs(out, **flags), command(run, program, seeds, threads)   commands that train and resume
  studies(out, seeds, **flags)                                {name: plan of a study, in TOML}
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import gmop
import learners
import openauc
import openpl

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAPERS = {"gmop": gmop, "openauc": openauc, "learners": learners, "openpl": openpl}
PROGRAM = os.environ.get("OPENWORLD_BIN", ROOT / "build" / "release" / "bin" / "openworld")


def train(paper, run, args):
    """One setting on one dataset, all seeds; returns what went wrong, or None."""
    # One thread each: two small runs side by side are faster than one on two threads.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENWORLD_BIN": str(PROGRAM)}
    command = paper.command(run, PROGRAM, args.seeds or paper.SEEDS, 1)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    return None if done.returncode == 0 else f"{run.folder}: {done.stderr.strip()}"


def train_all(paper, runs, args):
    print(f"{len(runs)} settings and datasets, seeds {args.seeds or paper.SEEDS}, {args.jobs} at a time")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = {pool.submit(train, paper, run, args): run for run in runs}
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            failure = job.result()
            if failure:
                pool.shutdown(cancel_futures=True)
                sys.exit(failure)
            run = jobs[job]
            print(f"[{number} of {len(runs)}] {run.label} on {run.dataset}", flush=True)


def compute_studies(plans, out, jobs):
    """One study after the other; each is resumed, and extended if its plan has more cells than before."""
    out.mkdir(parents=True, exist_ok=True)
    for number, (name, text) in enumerate(plans.items(), 1):
        plan = out / f"{name}.toml"
        plan.write_text(text)
        print(f"[{number} of {len(plans)}] {name}", flush=True)
        done = subprocess.run([PROGRAM, "study", "run", plan, "--out", out / name, "--jobs", str(jobs),
                               "--threads", str(jobs)])
        if done.returncode != 0:
            sys.exit(f"{out / name} is not complete; the same command resumes it")


def own_flags(paper, args):
    """The flags of the paper that were given; those of others are refused."""
    given = {name: value for name, value in vars(args).items()
             if name in {flag for other in PAPERS.values() for flag in other.FLAGS} and value not in (None, False)}
    for name in given:
        if name not in paper.FLAGS:
            papers = [key for key, other in PAPERS.items() if name in other.FLAGS]
            sys.exit(f"--{name.replace('_', '-')} is of {' and '.join(papers)}")
    return given


def listed(text):
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(prog="scripts/replicate")
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--report-only", action="store_true")
    parser.add_argument("--model", help="another model than pocket")
    parser.add_argument("--methods", type=listed)
    parser.add_argument("--datasets", type=listed)
    parser.add_argument("--scenarios", type=listed)
    parser.add_argument("--no-all", action="store_true", help="without the dataset of all 345 classes")
    parser.add_argument("--nets", type=listed)
    parser.add_argument("--splits", type=lambda text: [int(number) for number in text.split(",")])
    parser.add_argument("--epochs", type=int)
    args = parser.parse_args()
    paper = PAPERS[args.paper]
    out = args.out or ROOT / "runs" / f"replicate-{args.paper}"
    page = args.page or ROOT / "docs" / paper.PAGE
    flags = own_flags(paper, args)
    if args.report_only:
        pass
    elif hasattr(paper, "studies"):
        compute_studies(paper.studies(out, args.seeds or paper.SEEDS, **flags), out, args.jobs)
    else:
        train_all(paper, paper.runs(out, **flags), args)
    page.write_text(paper.page(str(PROGRAM), out))
    print(f"wrote {page}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; the same command resumes")
