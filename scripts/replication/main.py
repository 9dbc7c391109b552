"""What scripts/replicate runs: every setting of a paper on every dataset, then the page."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import gmop
import openauc

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAPERS = {"gmop": gmop, "openauc": openauc}
PROGRAM = os.environ.get("OPENWORLD_BIN", ROOT / "build" / "release" / "bin" / "openworld")


def train(paper, run, args):
    """One setting on one dataset, all seeds; returns what went wrong, or None."""
    # One thread each: two small runs side by side are faster than one on two threads.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENWORLD_BIN": str(PROGRAM)}
    command = paper.command(run, PROGRAM, args.seeds or paper.SEEDS, 1)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    return None if done.returncode == 0 else f"{run.folder}: {done.stderr.strip()}"


def plan_of(paper, out, args):
    """What the flags leave of the paper's runs; flags that it does not know are refused."""
    chosen = {name: getattr(args, name) for name in ("nets", "methods", "datasets", "splits", "epochs")}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if chosen and paper is not openauc:
        sys.exit(f"--{next(iter(chosen))} is of openauc")
    return paper.runs(out, **chosen)


def main():
    parser = argparse.ArgumentParser(prog="scripts/replicate")
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--report-only", action="store_true")
    parser.add_argument("--nets", type=lambda text: text.split(","))
    parser.add_argument("--methods", type=lambda text: text.split(","))
    parser.add_argument("--datasets", type=lambda text: text.split(","))
    parser.add_argument("--splits", type=lambda text: [int(number) for number in text.split(",")])
    parser.add_argument("--epochs", type=int)
    args = parser.parse_args()
    paper = PAPERS[args.paper]
    out = args.out or ROOT / "runs" / f"replicate-{args.paper}"
    page = args.page or ROOT / "docs" / paper.PAGE
    runs = plan_of(paper, out, args)
    if not args.report_only:
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
    page.write_text(paper.page(str(PROGRAM), out))
    print(f"wrote {page}")


if __name__ == "__main__":
    main()
