"""What scripts/replicate runs: every setting of a paper on every dataset, then the page."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

import gmop

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAPERS = {"gmop": gmop}
PROGRAM = os.environ.get("OPENWORLD_BIN", ROOT / "build" / "release" / "bin" / "openworld")


def tune(run, seeds):
    """One setting on one dataset, all seeds; returns what went wrong, or None."""
    # One thread each: two small runs side by side are faster than one on two threads.
    command = [ROOT / "scripts" / "tune-pocket", run.method, run.dataset, run.folder, "--seeds", seeds,
               "--threads", 1, "--label", run.label, "--cache", run.folder.parents[1] / "features", *run.flags]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENWORLD_BIN": str(PROGRAM)}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    return None if done.returncode == 0 else f"{run.folder}: {done.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(prog="scripts/replicate")
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds", default="1-5")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "replication.md")
    parser.add_argument("--report-only", action="store_true")
    args = parser.parse_args()
    paper = PAPERS[args.paper]
    out = args.out or ROOT / "runs" / f"replicate-{args.paper}"
    runs = paper.runs(out)
    if not args.report_only:
        print(f"{len(runs)} settings and datasets, seeds {args.seeds}, {args.jobs} at a time")
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            jobs = {pool.submit(tune, run, args.seeds): run for run in runs}
            for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                failure = job.result()
                if failure:
                    pool.shutdown(cancel_futures=True)
                    sys.exit(failure)
                run = jobs[job]
                print(f"[{number} of {len(runs)}] {run.label} on {run.dataset}", flush=True)
    args.page.write_text(paper.page(str(PROGRAM), out))
    print(f"wrote {args.page}")


if __name__ == "__main__":
    main()
