"""Kills `openworld tune` with SIGKILL at random moments and starts it again, until it ends.

Two workers tune two runs at the same time, into folders of their own, and share a feature cache. What each run has at
its end must be, to the last bit, what a run that was left alone has. Most kills come in mid-training: after a line of
the log was written and before the result.
"""

import random
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import workplace
from command import BIN
from tuning import call, write_place

# Two to four seconds each when left alone; a state is saved once a second.
RUNS = {"coop": {"epochs": 3000}, "decoop": {"epochs": 200, "options": {"batch": 2}}}
# Kills at any moment from the start on; the others wait for training.
ANY_MOMENT = 0.2


class Worker(threading.Thread):
    """Runs one method until its share of kills is delivered and the last run has ended."""

    def __init__(self, method, place, folder, kills, seed, expected):
        super().__init__()
        self.method, self.place, self.folder, self.expected = method, place, folder, expected
        self.dice = random.Random(f"{seed} {method}")
        self.kills = kills
        self.delivered = self.in_training = self.finished = 0
        self.problems = []

    def run(self):
        while self.delivered < self.kills:
            run = self.folder / f"{self.method}-{self.finished}"
            try:
                self.tune(run)
                self.compare(run)
            except Exception as error:  # a worker must not end in silence
                self.problems.append(f"{run.name}: {error!r}")
                return
            self.finished += 1

    def tune(self, run):
        """Starts the command again and again until it ends by itself."""
        words = [BIN, *map(str, call(self.method, run, **RUNS[self.method]))]
        for _ in range(self.kills + 20):
            process = subprocess.Popen(words, cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env={**workplace.ENVIRONMENT, "XDG_CACHE_HOME": str(self.folder / "cache")})
            if self.delivered < self.kills:
                self.kill(process, run)
            _, errors = process.communicate(timeout=120)
            if process.returncode == 0:
                return
            if process.returncode != -signal.SIGKILL:
                raise AssertionError(f"exit code {process.returncode}: {errors.decode()}")
        raise AssertionError(f"did not end after {self.kills + 20} starts")

    def kill(self, process, run):
        """At a random moment of the process; counts where it hit."""
        before = lines_in(run)
        if self.dice.random() < ANY_MOMENT:
            delay = self.dice.uniform(0, 1.5)
        else:
            while process.poll() is None and lines_in(run) == before:
                time.sleep(0.005)
            delay = self.dice.uniform(0, 1.8)
        try:
            process.wait(delay)
            return  # it was quicker
        except subprocess.TimeoutExpired:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.returncode != -signal.SIGKILL:
            return
        self.delivered += 1
        self.in_training += lines_in(run) != before and not (run / "result.json").exists()

    def compare(self, run):
        files = workplace.contents(run)
        # paths.json says where the run lies.
        paths = {path for path in {*files, *self.expected} if path.name != "paths.json"}
        different = sorted(str(path) for path in paths if files.get(path) != self.expected.get(path))
        if left := workplace.temporary_files(run):
            self.problems.append(f"{run.name}: {[path.name for path in left]} left")
        if different:
            self.problems.append(f"{run.name}: {', '.join(different)} not as in a run that was left alone")


def lines_in(run):
    log = run / "log.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def main(kills, seed):
    with tempfile.TemporaryDirectory(prefix="openworld-kill-") as name:
        folder = Path(name).resolve()
        place = write_place(folder / "place")
        workers = []
        for number, method in enumerate(RUNS):
            (place / "trial").mkdir(exist_ok=True)
            workplace.expect(call(method, folder / "whole" / method, **RUNS[method]), place)
            share = kills // len(RUNS) + (number < kills % len(RUNS))
            expected = workplace.contents(folder / "whole" / method)
            workers.append(Worker(method, place, folder / "work", share, seed, expected))
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        problems = [problem for worker in workers for problem in worker.problems]
        delivered = sum(worker.delivered for worker in workers)
        in_training = sum(worker.in_training for worker in workers)
        finished = sum(worker.finished for worker in workers)
        if delivered != kills:
            problems.append(f"{delivered} kills were delivered; expected {kills}")
        if 2 * in_training <= kills:
            problems.append(f"only {in_training} of {delivered} kills came in mid-training; expected most")
        print(f"kill: {delivered} kills, {in_training} in mid-training; {finished} runs ended; "
              f"{len(problems)} problems")
        for problem in problems:
            print(f"  {problem}")
    return 1 if problems else 0
