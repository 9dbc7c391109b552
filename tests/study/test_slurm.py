"""Studies on a real Slurm of one node (one_node_slurm.py): arrays, requeues, a killed node, time limits.

Each study ends with the same bytes as one that was computed here without Slurm. Nothing depends on how long something
takes: a cell of the learner "held" stops in the middle of its first attempt and waits for what the test does to it.
"""

import json
from pathlib import Path

import pytest
from fake import contents, leases, study
from one_node_slurm import OneNodeSlurm, wait_for, why_not

pytestmark = pytest.mark.skipif(why_not() != "", reason=why_not())

HOLD = {"FAKE_STUDY_HOLD": "held"}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with OneNodeSlurm(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


class SlurmStudy:
    """A plan and its study."""

    def __init__(self, slurm, folder, learners):
        self.slurm, self.folder, self.out = slurm, folder, folder / "study"
        self.plan = folder / "plan.toml"
        self.plan.write_text(f'models = ["m"]\ndata = ["d"]\nlearners = [{learners}]\n')

    def submit(self, *flags, environment=HOLD):
        """The arrays that were submitted."""
        done = study("run", self.plan, "--out", self.out, "--launcher", "slurm", "--json", *flags,
                     environment={**self.slurm.environment, **environment})
        return json.loads(done.stdout)["scripts"]

    def state(self):
        return json.loads(study("status", self.out, "--json", code=None).stdout)

    def wait_until_held(self, count=1):
        """Until so many cells wait in the middle of their first attempt."""
        def held():
            return len(list((self.out / "cells").glob("held*/state.txt"))) == count and self.state()["running"] == count
        wait_for(held, f"{count} cells to be held")

    def owner(self):
        (name,) = leases(self.out)
        return json.loads((self.out / "leases" / name).read_text())

    def expect_done(self):
        """With the results that a run without Slurm has."""
        wait_for(lambda: self.state()["done"] == self.state()["cells"], "the study to be done")
        study("run", self.plan, "--out", self.folder / "whole")
        assert contents(self.out) == contents(self.folder / "whole")
        assert leases(self.out) == []
        assert self.submit() == []

    def log(self, task):
        return (self.out / "slurm" / f"{task}.log").read_text()


HELD = '{name = "held", options = {steps = 4}}'


@pytest.fixture(scope="module", autouse=True)
def limited(slurm, tmp_path_factory):
    """A task with a limit of one minute. Slurm looks at time limits every half minute, so it starts before the other
    tests and is looked at after them."""
    limited = SlurmStudy(slurm, tmp_path_factory.mktemp("limited"), HELD)
    (script,) = limited.submit("--time", "1")
    limited.task = f"{script['job']}_0"
    return limited


def test_arrays(slurm, tmp_path):
    """Nine cells, two per task, are five tasks; the cluster takes arrays of up to four."""
    many = SlurmStudy(slurm, tmp_path, '{name = "coop", options = {steps = [1, 2, 3, 4, 5, 6, 7, 8, 9]}}')
    scripts = many.submit("--cells-per-task", 2, "--array-limit", 2)
    assert [(script["tasks"], script["cells"]) for script in scripts] == [(4, 8), (1, 1)]
    text = Path(scripts[0]["script"]).read_text()
    assert "#SBATCH --array=0-3%2\n" in text
    many.expect_done()
    logs = [many.log(f"{script['job']}_{task}") for script in scripts for task in range(script["tasks"])]
    assert sorted(log.count("done    ") for log in logs) == [1, 2, 2, 2, 2]


def test_a_requeued_task_resumes(slurm, tmp_path):
    requeued = SlurmStudy(slurm, tmp_path, HELD)
    (script,) = requeued.submit()
    task = f"{script['job']}_0"
    requeued.wait_until_held()
    assert requeued.owner()["slurm_array_job"] == script["job"]
    assert requeued.submit() == [], "what runs is not submitted again"
    slurm.call("scontrol", "requeue", task)
    slurm.wait_until_requeued(task)
    assert leases(requeued.out) == [], "it gave its lease back"
    assert requeued.submit() == [], "what is in the queue is not submitted again"
    slurm.start_now(task)
    requeued.expect_done()
    assert requeued.log(task).count("done    ") == 1


def test_a_killed_node_daemon_loses_nothing(slurm, tmp_path):
    """slurmd is killed and started again; its task goes on meanwhile and is then obedient to the new one."""
    orphan = SlurmStudy(slurm, tmp_path, HELD)
    (script,) = orphan.submit()
    task = f"{script['job']}_0"
    orphan.wait_until_held()
    before = orphan.owner()
    slurm.kill_node(with_jobs=False)
    assert Path(f"/proc/{before['pid']}").exists()
    slurm.start_node()
    assert orphan.owner() == before
    slurm.call("scontrol", "requeue", task)
    slurm.start_now(task)
    orphan.expect_done()


def test_what_was_cancelled_is_submitted_again(slurm, tmp_path):
    """One of two tasks; a failed cell only if asked for."""
    learners = '{name = "held", options = {steps = 4}}, {name = "bad", options = {fail = true, once = true}}, "coop"'
    cancelled = SlurmStudy(slurm, tmp_path, learners)
    (script,) = cancelled.submit("--cells-per-task", 1)
    cancelled.wait_until_held()
    wait_for(lambda: len(slurm.tasks().keys() & {f"{script['job']}_{task}" for task in (1, 2)}) == 0, "two tasks")
    assert (cancelled.state()["done"], cancelled.state()["failed"]) == (1, 1)
    slurm.call("scancel", f"{script['job']}_0")
    wait_for(lambda: f"{script['job']}_0" not in slurm.tasks(), "the task to be cancelled")
    (again,) = cancelled.submit("--cells-per-task", 1)
    assert (again["tasks"], again["cells"]) == (1, 1)
    wait_for(lambda: cancelled.state()["done"] == 2, "the task that was submitted again")
    (again,) = cancelled.submit("--retry-failed")
    assert again["cells"] == 1
    wait_for(lambda: cancelled.state()["done"] == 3, "the cell that failed")
    assert leases(cancelled.out) == []
    assert cancelled.submit() == []


def test_a_task_requeues_itself_before_its_time_limit(slurm, limited):
    slurm.start_now(limited.task)
    limited.expect_done()
    assert slurm.job(limited.task)[1] == 1, "requeued once"
    assert limited.log(limited.task).count("done    ") == 1


def test_a_node_without_power(slurm, tmp_path):
    """slurmd and all that runs on the node are killed. Slurm requeues the task when it finds the node down, and starts
    it when the node is back."""
    dead = SlurmStudy(slurm, tmp_path, HELD)
    (script,) = dead.submit()
    dead.wait_until_held()
    owner = dead.owner()
    slurm.kill_node(with_jobs=True)
    wait_for(lambda: dead.state()["stale"] == 1, f"process {owner['pid']} to end")
    # As Slurm itself does when a node has not answered for SlurmdTimeout, five minutes by default.
    slurm.call("scontrol", "update", "NodeName=node", "State=DOWN", "Reason=power")
    slurm.wait_until_requeued(f"{script['job']}_0")
    assert leases(dead.out) != [], "nobody was left to give it back"
    slurm.call("scontrol", "update", "NodeName=node", "State=RESUME")
    slurm.start_node()
    slurm.start_now(f"{script['job']}_0")
    dead.expect_done()
