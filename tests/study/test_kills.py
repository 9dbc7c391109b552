"""A study with two workers, killed at random moments again and again, ends with the bytes of one that was left alone.

STUDY_KILLS sets how many kills are delivered (scripts/torture study N).
"""

import os
import random
import signal
import subprocess
import threading
import time

from fake import contents, study, words, write_plan

KILLS = int(os.environ.get("STUDY_KILLS", "40"))


class Worker(threading.Thread):
    """Starts `study work` again and again, killing it at random moments, until its share of kills is delivered."""

    def __init__(self, out, kills, seed):
        super().__init__()
        self.out, self.kills = out, kills
        self.dice = random.Random(seed)
        self.delivered = 0
        self.problems = []

    def run(self):
        while self.delivered < self.kills:
            process = subprocess.Popen(words("work", self.out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(self.dice.uniform(0, 0.4))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            _, errors = process.communicate()
            if process.returncode == -signal.SIGKILL:
                self.delivered += 1
            elif process.returncode != 0 or errors:
                self.problems.append((process.returncode, errors))
                return
            else:
                return  # nothing is left to compute


def test_kills(tmp_path):
    plan = write_plan(tmp_path, seeds=10, steps=10, millis=5)
    study("run", plan, "--out", tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    assert len(whole) == 40
    delivered, round_number = 0, 0
    while delivered < KILLS:
        out = tmp_path / f"study{round_number}"
        study("run", plan, "--out", out, "--only", "nothing", code=3)
        workers = [Worker(out, KILLS - delivered, f"{round_number} {k}") for k in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.problems for worker in workers] == [[], []]
        delivered += sum(worker.delivered for worker in workers)
        round_number += 1
        study("run", plan, "--out", out)
        assert contents(out) == whole
        assert not [path for path in (out / "cells").rglob("*") if ".tmp." in path.name]
        # A claim that was killed before its first byte is removed when it is five minutes old.
        leases = [path.name for path in (out / "leases").iterdir() if path.stat().st_size > 0]
        assert leases == []
    print(f"{delivered} kills in {round_number} studies")


def test_kills_of_the_supervisor(tmp_path):
    """`study run --jobs 2` itself is killed; its workers notice, and the next run goes on."""
    plan = write_plan(tmp_path, seeds=5, steps=10, millis=5)
    study("run", plan, "--out", tmp_path / "whole")
    out = tmp_path / "study"
    dice = random.Random(7)
    for _ in range(max(5, KILLS // 5)):
        process = subprocess.Popen(words("run", plan, "--out", out, "--jobs", 2), stdout=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, 0.4))
        process.kill()
        process.wait()
    for _ in range(100):  # workers of the last one may still be ending
        if subprocess.run(words("run", plan, "--out", out), capture_output=True).returncode == 0:
            break
        time.sleep(0.1)
    assert contents(out) == contents(tmp_path / "whole")
