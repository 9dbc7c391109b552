"""The runner of studies under faults of the system, and on a disk that fills.

Every call of a worker into the system fails once (tests/shims/fault_shim.cc). Whatever happens: it ends with one line
for each thing that went wrong, no file is half-written, what it called done stays done, and the next run ends with
the bytes of a study that was left alone.
"""

import errno
import os
import signal
import subprocess
from pathlib import Path

import pytest
from fake import contents, leases, status, study, words, write_plan

SHIM = Path(os.environ["OPENWORLD_SHIMS"]) / "fault_shim.so"
KILL = 0
FAULTS = [("open", errno.EMFILE), ("open", errno.EIO), ("read", errno.EIO), ("write", errno.ENOSPC),
          ("write", errno.EIO), ("sync", errno.EIO), ("rename", errno.EIO), ("link", errno.EIO),
          ("close", errno.EIO), ("mkdir", errno.ENOSPC), ("write", KILL), ("sync", KILL), ("rename", KILL),
          ("link", KILL)]  # not map: files of a worker are small, and read


def under_fault(folder, *args, **plan):
    """The process, and the lines that the shim reported."""
    report = folder / "report"
    report.unlink(missing_ok=True)
    variables = {f"OPENWORLD_FAULT_{key.upper()}": str(value) for key, value in plan.items()}
    done = subprocess.run(words(*args), capture_output=True, text=True, timeout=120, env={
        **os.environ, **variables, "LD_PRELOAD": str(SHIM), "OPENWORLD_FAULT_FOLDER": str(folder / "study"),
        "OPENWORLD_FAULT_REPORT": str(report)})
    return done, report.read_text().splitlines() if report.exists() else []


def names_done(printed):
    return {line.split()[1] for line in printed.splitlines() if line.startswith("done    ")}


class Trials:
    """Studies of the same plan, one for each fault."""

    def __init__(self, folder):
        self.folder, self.out = folder, folder / "study"
        self.plan = write_plan(folder, seeds=1, steps=2)
        study("run", self.plan, "--out", folder / "whole")
        self.whole = contents(folder / "whole")
        self.begin()
        done, lines = under_fault(folder, "work", self.out)
        assert done.returncode == 0
        self.counts = {kind: int(count) for _, kind, count in (line.split() for line in lines)}

    def begin(self):
        if self.out.exists():
            subprocess.run(["rm", "-r", str(self.out)], check=True)
        study("run", self.plan, "--out", self.out, "--only", "nothing", code=3)

    def check(self, done, killed):
        """What a command left behind."""
        assert killed or done.returncode in (0, 1, 2, 3), done
        assert "bug" not in done.stderr
        finished = status(self.out, None)
        assert finished["damaged"] == 0
        for name in names_done(done.stdout):
            assert (self.out / "cells" / name / "cell.json").exists(), "what was finished is there"
        if not killed:
            assert not [path for path in self.out.rglob("*.tmp.*")], done
            assert done.returncode != 0 or finished["done"] == finished["cells"], done
            lines = done.stderr.splitlines() + [line for line in done.stdout.splitlines() if line.startswith("failed")]
            assert done.returncode == 0 or lines, "it says what went wrong"
        study("run", self.plan, "--out", self.out, "--retry-failed")
        assert contents(self.out) == self.whole
        # A claim that was killed before its first byte names no owner, and is removed when it is five minutes old.
        assert [name for name in leases(self.out) if (self.out / "leases" / name).stat().st_size > 0] == []


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    return Trials(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("kind, error", FAULTS)
def test_every_call_of_a_worker_fails_once(trials, kind, error):
    assert trials.counts[kind] > 0
    for at in range(1, trials.counts[kind] + 1):
        trials.begin()
        done, lines = under_fault(trials.folder, "work", trials.out, kind=kind, at=at, errno=error)
        assert any(line.startswith("fault ") for line in lines), f"{kind} {at} did not happen"
        assert error != KILL or done.returncode == -signal.SIGKILL
        trials.check(done, error == KILL)


@pytest.mark.parametrize("at", range(1, 6))
def test_the_disk_of_two_workers_fills(trials, at):
    """The n-th write of each process is its last."""
    trials.begin()
    done, lines = under_fault(trials.folder, "run", trials.plan, "--out", trials.out, "--jobs", 2, kind="write", at=at,
                              errno=errno.ENOSPC)
    assert any(line.startswith("fault ") for line in lines)
    assert done.returncode in (1, 2, 3), done
    trials.check(done, False)


def can_mount(folder):
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True)
    return done.returncode == 0


def test_a_disk_that_really_fills(tmp_path):
    """A file system of 64 pages, which two workers fill; then there is room again."""
    disk = tmp_path / "disk"
    if not can_mount(disk):
        pytest.skip("no right to mount a file system; the fault shim stands for it above")
    try:
        plan = write_plan(tmp_path, seeds=20)
        study("run", plan, "--out", tmp_path / "whole")
        out = disk / "study"
        done = subprocess.run(words("run", plan, "--out", out, "--jobs", 2), capture_output=True, text=True, timeout=120)
        assert done.returncode in (1, 2, 3), done
        assert "No space left on device" in done.stdout + done.stderr
        assert "bug" not in done.stderr
        finished = {path: path.read_bytes() for path in out.rglob("cell.json")}
        assert finished and not [path for path in out.rglob("*.tmp.*")]
        assert status(out, None)["done"] == len(finished)
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        study("run", plan, "--out", out, "--jobs", 2, "--retry-failed")
        assert contents(out) == contents(tmp_path / "whole")
        assert all(path.read_bytes() == data for path, data in finished.items()), "nothing finished was repeated"
    finally:
        subprocess.run(["umount", str(disk)], check=True)
