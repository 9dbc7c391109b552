"""Makes the n-th call of a kind into the system fail, for n = 1, 2, ..., and looks at what a command makes of it. Or
kills it before that call.

After every fault: exit code 2 and one line that says what is wrong, or exit code 0 and the same results as without
the fault; no temporary file and no half-written one; and the same command, run again, ends with the same bits as if
nothing had happened; also after a kill, which may leave a temporary file until then. tests/shims/fault_shim.cc makes
calls fail.
"""

import concurrent.futures
import errno
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, NamedTuple

import workplace
from tuning import call

SHIM = Path(os.environ.get("OPENWORLD_SHIMS", "")) / "fault_shim.so"
KILL = 0  # in place of an error
# What fails, and how. A full disk stays full.
FAULTS = [("open", errno.EMFILE), ("open", errno.EIO), ("read", errno.EIO), ("write", errno.ENOSPC),
          ("write", errno.EIO), ("sync", errno.EIO), ("rename", errno.EIO), ("map", errno.ENOMEM),
          ("truncate", errno.EIO), ("close", errno.EIO), ("mkdir", errno.ENOSPC),
          ("allocate", errno.ENOMEM), ("write", KILL), ("sync", KILL), ("rename", KILL)]
# The smallest allocation that fails: there are too many smaller ones to try each.
LEAST = 4096
# What is lost must be said, even where it is not needed.
LOSES = {"write", "rename", "truncate", "mkdir"}
# Lines that are not errors: a warning, and what a resumed run says.
NOTES = (": resuming from step ", " is finished", "features are not kept: ", "images are not claimed")


class Command(NamedTuple):
    words: list
    start: Callable = lambda place: None  # fills the folder `trial`
    heavy: bool = False  # loads libtorch


def copy_of(name):
    return lambda place: shutil.copytree(place / name, place / "trial" / "run")


COMMANDS = {
    "eval": Command(["eval", "compact.npz", "table.csv", "arrays", "--ci", "bootstrap", "--resamples", 20]),
    "eval-runs": Command(["eval", "tuned", "other", "--resamples", 20]),
    "curve": Command(["curve", "arrays", "tuned", "--svg", "trial/curve.svg"]),
    "threshold": Command(["threshold", "--run", "trial/run", "--max-miss", 0.9], copy_of("tuned")),
    "report": Command(["report", "tuned", "other", "--out", "trial/page.html", "--resamples", 20]),
    "openset": Command(["openset", "--logits", "logits.npz", "--resamples", 20, "--out", "trial/scores.npz",
                        "--html", "trial/page.html", "--figures", "trial/figures"]),
    "encode": Command(["encode", "--model", "model", "--data", "world", "--split", "test", "--out",
                       "trial/features.npz"], heavy=True),
    "tune": Command(call("coop", "trial/run"), heavy=True),
    "tune-resume": Command(workplace.resumed_call("trial/run"), copy_of("stopped"), heavy=True),
    "predict": Command(["predict", "--run", "tuned", "world/test/blue", "world/test/pink"], heavy=True),
    "osr": Command(workplace.osr_call("trial/run"), heavy=True),
    "osr-resume": Command(workplace.osr_call("trial/run", workplace.OSR_EPOCHS), copy_of("osr-stopped"), heavy=True),
    "osr-eval": Command(["osr", "eval", "osr-trained"]),
}
# Files that a stopped run may leave unlike a finished one: a log is appended to, a state is of some step, and a lock
# stays when its owner is killed.
UNFINISHED = {"log.jsonl", "state.safetensors", ".lock"}


class Outcome(NamedTuple):
    """What a command printed and left."""
    printed: dict
    files: dict


class Trials:
    """Trials of one command, in a place of its own."""

    def __init__(self, name, inputs, folder):
        self.name, self.command = name, COMMANDS[name]
        # One thread, or which call is the n-th would vary; two commands have no threads to set.
        has_threads = name in ("threshold", "curve") or "--threads" in self.command.words
        self.words = [*self.command.words, *(() if has_threads else ("--threads", 1)), "--json"]
        self.place = shutil.copytree(inputs, folder / name)
        self.problems = []
        self.prepare()
        done = workplace.expect(self.words, self.place)
        self.expected = Outcome(workplace.printed(done), workplace.contents(self.trial))
        self.counts = self.count()

    @property
    def trial(self):
        return self.place / "trial"

    def prepare(self):
        shutil.rmtree(self.trial, ignore_errors=True)
        self.trial.mkdir()
        self.command.start(self.place)

    def run(self, **plan):
        """With the shim; the process and the lines of its report."""
        report = self.place / "report"
        report.unlink(missing_ok=True)
        variables = {f"OPENWORLD_FAULT_{key.upper()}": str(value) for key, value in plan.items()}
        done = workplace.run(self.words, self.place, LD_PRELOAD=str(SHIM),
                             OPENWORLD_FAULT_FOLDER=str(self.place), OPENWORLD_FAULT_REPORT=str(report),
                             OPENWORLD_FAULT_BYTES=str(LEAST), **variables)
        return done, report.read_text().splitlines() if report.exists() else []

    def count(self):
        """How often each kind is called without a fault."""
        self.prepare()
        done, lines = self.run()
        assert done.returncode == 0, done.stderr
        counts = {kind: int(n) for word, kind, n in (line.split(" ", 2) for line in lines) if word == "count"}
        assert counts, "the shim reported nothing; was it loaded?"
        return counts

    def try_fault(self, kind, error, at):
        """Whether the fault happened. Problems are collected."""
        self.prepare()
        where = f"{self.name}: {kind} {at}, {errno.errorcode.get(error, 'killed')}"

        def problem(text):
            self.problems.append(f"{where}: {text}")

        try:
            done, lines = self.run(kind=kind, at=at, errno=error)
        except subprocess.TimeoutExpired:
            problem("did not end")
            return True
        faults = [line for line in lines if line.startswith("fault ")]
        if not faults:
            if done.returncode != 0:
                problem(f"no fault, but exit code {done.returncode}: {done.stderr.decode()}")
            return False
        where += " (" + faults[0].split(" ", 2)[2].replace(f"{self.place}/", "") + ")"
        if error == KILL:
            assert done.returncode == -signal.SIGKILL, done
        else:
            self.check_end(done, kind, problem)
            self.expect_no_temporary_files(self.place, problem)
        if done.returncode != 0:
            self.check_files(problem)
        if any(self.trial.iterdir()):  # else the next run is like any other
            self.check_again(problem)
        return True

    def expect_no_temporary_files(self, folder, problem):
        if left := workplace.temporary_files(folder):
            problem(f"left {[str(path.relative_to(self.place)) for path in left]}")

    def check_end(self, done, kind, problem):
        lines = done.stderr.decode().splitlines()
        notes = [line for line in lines if any(note in line for note in NOTES)]
        errors = [line for line in lines if line not in notes]
        if done.returncode == 2:
            if len(errors) != 1 or not errors[0].startswith("openworld"):
                problem(f"{len(errors)} lines of errors: {errors}")
            elif "bug" in errors[0]:
                problem(f"called a bug: {errors[0]}")
            if done.stdout:
                problem(f"printed {done.stdout[:80]!r} although it failed")
        elif done.returncode == 0:
            if workplace.printed(done) != self.expected.printed:
                problem(f"exit code 0, but other results; stderr: {errors}")
            elif workplace.contents(self.trial) != self.expected.files:
                problem(f"exit code 0, but other files; stderr: {errors}")
            if kind in LOSES and not any("not kept" in note or "not claimed" in note for note in notes):
                problem("something was lost and nothing said")
            if errors:
                problem(f"exit code 0, but errors: {errors}")
        else:
            problem(f"exit code {done.returncode}: {errors[-3:]}")

    def check_files(self, problem):
        """What a command that failed leaves: nothing, or whole files."""
        for path in workplace.files_in(self.trial):
            if path.name in UNFINISHED or workplace.is_temporary(path):
                continue
            if path not in self.expected.files:
                problem(f"left {path}")
                continue
            try:
                whole = workplace.comparable(self.trial / path) == self.expected.files[path]
            except (json.JSONDecodeError, UnicodeDecodeError):
                whole = False
            if not whole:
                problem(f"left a {path} that is not whole")

    def check_again(self, problem):
        """The same command without a fault, on what was left. `tune` and `osr` clean their folder of what a kill left;
        in other folders it cannot be told from a file that is being written."""
        done = workplace.run(self.words, self.place)
        if self.name.startswith(("tune", "osr")):
            self.expect_no_temporary_files(self.trial / "run", problem)
        if done.returncode != 0:
            problem(f"the next run failed: {done.stderr.decode()}")
        elif workplace.printed(done) != self.expected.printed:
            problem("the next run printed other results")
        elif workplace.contents(self.trial) != self.expected.files:
            now = workplace.contents(self.trial)
            paths = sorted(str(path) for path in {*now, *self.expected.files}
                           if now.get(path) != self.expected.files.get(path))
            problem(f"the next run left other files: {paths}")


def chosen(count, most, dice):
    """Which calls to try: all, or a sample."""
    calls = range(1, count + 1)
    return calls if most is None or count <= most else sorted(dice.sample(calls, most))


def torture(name, inputs, folder, most, seed):
    """Tries the faults of a command; how many there were, and what went wrong."""
    trials = Trials(name, inputs, folder)
    dice = random.Random(f"{seed} {name}")
    tried = 0
    for kind, error in FAULTS:
        # How often libtorch allocates varies, and with it which call a sample meets.
        if most and trials.command.heavy and kind == "allocate":
            continue
        for at in chosen(trials.counts[kind], 1 if most and trials.command.heavy else most, dice):
            tried += trials.try_fault(kind, error, at)
        # One more than there were: the run without faults that ends the loop.
        if most is None and trials.try_fault(kind, error, trials.counts[kind] + 1):
            for at in itertools.count(trials.counts[kind] + 2):
                if not trials.try_fault(kind, error, at):
                    break
                tried += 1
    return tried, trials.counts, trials.problems


def main(names, most, seed):
    """most: at most so many calls of each kind, one for commands that load libtorch; None for all."""
    if not SHIM.is_file():
        raise SystemExit(f"faults: no {SHIM}; OPENWORLD_SHIMS must name the folder of the shims of the build")
    for name in names:
        if name not in COMMANDS:
            raise SystemExit(f"faults: no command '{name}'; there are {' '.join(COMMANDS)}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="openworld-faults-") as name:
        folder = Path(name).resolve()
        inputs = workplace.write_inputs(folder / "inputs")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = {each: pool.submit(torture, each, inputs, folder, most, seed) for each in names}
            for each, result in results.items():
                tried, counts, problems = result.result()
                calls = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
                print(f"{each}: {tried} faults, {len(problems)} problems; calls: {calls}", flush=True)
                for problem in problems:
                    print(f"  {problem}", flush=True)
                failed += len(problems)
    return 1 if failed else 0
