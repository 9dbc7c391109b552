"""`openworld study`, as a user calls it."""

import json
import os
import re
import signal
import subprocess
import time

import pytest

from fake import contents, leases, status, study, words, write_plan


def test_runs_a_plan_and_does_not_repeat_it(tmp_path):
    plan = write_plan(tmp_path)
    out = tmp_path / "study"
    done = study("run", plan, "--out", out)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert sum(line.startswith("done    coop-") for line in lines) == 6
    assert f"{out}: 6 cells: 6 done" in lines
    before = {path: path.stat().st_mtime_ns for path in (out / "cells").rglob("*.json")}
    again = study("run", plan, "--out", out)
    assert "done    " not in again.stdout
    assert before == {path: path.stat().st_mtime_ns for path in (out / "cells").rglob("*.json")}
    assert leases(out) == []


def test_jobs_give_the_same_bits(tmp_path):
    plan = write_plan(tmp_path, seeds=10)
    study("run", plan, "--out", tmp_path / "one")
    study("run", plan, "--out", tmp_path / "three", "--jobs", 3)
    assert contents(tmp_path / "one") == contents(tmp_path / "three")
    assert len(contents(tmp_path / "one")) == 40


def test_status_and_its_exit_codes(tmp_path):
    plan = write_plan(tmp_path)
    out = tmp_path / "study"
    study("run", plan, "--out", out, "--limit", 2, code=3)
    now = status(out, 3)
    assert (now["cells"], now["done"], now["waiting"], now["failed"]) == (6, 2, 4, 0)
    assert now["seconds_per_cell"] >= 0
    text = study("status", out, code=3).stdout
    assert text.startswith(f"{out}: 6 cells: 2 done, 4 waiting\n")
    study("work", out)
    assert status(out)["done"] == 6


BAD = """models = ["m"]
data = ["d"]
seeds = "1-3"
learners = ["good", {name = "bad", options = {OPTION = true}}, "late"]
"""


def write_bad(folder, option, once=False):
    path = folder / "plan.toml"
    text = BAD.replace("OPTION = true", f"{option} = true" + (", once = true" if once else ""))
    path.write_text(text)
    return path


def test_failures_are_listed_once_and_others_go_on(tmp_path):
    out = tmp_path / "study"
    done = study("run", write_bad(tmp_path, "fail"), "--out", out, code=1)
    assert done.stdout.count("failed  bad-d-") == 3
    now = status(out, 1)
    assert (now["done"], now["failed"]) == (6, 3)
    assert [(group["error"], len(group["cells"]), group["attempts"]) for group in now["failures"]] \
        == [("[fake] this cell fails", 3, 1)]
    text = study("status", out, code=1).stdout
    assert text.count("[fake] this cell fails") == 1
    study("run", tmp_path / "plan.toml", "--out", out, code=1)
    assert status(out, 1)["failures"][0]["attempts"] == 1
    study("run", tmp_path / "plan.toml", "--out", out, "--retry-failed", code=1)
    assert status(out, 1)["failures"][0]["attempts"] == 2
    study("run", tmp_path / "plan.toml", "--out", out, "--retry-failed", "--jobs", 2, code=1)
    assert status(out, 1)["failures"][0]["attempts"] == 3


def test_retry_succeeds(tmp_path):
    out = tmp_path / "study"
    plan = write_bad(tmp_path, "fail", once=True)
    study("run", plan, "--out", out, code=1)
    study("run", plan, "--out", out, "--retry-failed")
    assert not list((out / "cells").rglob("failed.json"))


@pytest.mark.parametrize("flags", [["--fail-fast"], ["--max-failures", 1]])
def test_fail_fast(tmp_path, flags):
    out = tmp_path / "study"
    study("run", write_bad(tmp_path, "fail"), "--out", out, *flags, code=1)
    now = status(out, 1)
    assert (now["done"], now["failed"], now["waiting"]) == (3, 1, 5)


def test_a_cell_that_crashes_its_worker_fails(tmp_path):
    out = tmp_path / "study"
    plan = write_bad(tmp_path, "crash")
    done = study("run", plan, "--out", out, "--jobs", 2, code=1)
    now = status(out, 1)
    assert (now["done"], now["failed"]) == (6, 3), done
    assert now["failures"][0]["error"] == "the worker was ended by a signal: Killed"
    study("run", write_bad(tmp_path, "crash", once=True), "--out", tmp_path / "other", code=1)
    study("work", tmp_path / "other", "--retry-failed")
    assert status(tmp_path / "other")["done"] == 9


def test_a_cell_that_crashes_again_is_repeated_once(tmp_path):
    """The worker that replaces one that crashed does not take that for a failure of before."""
    out = tmp_path / "study"
    plan = write_bad(tmp_path, "crash")
    study("run", plan, "--out", out, code=1)
    study("run", plan, "--out", out, "--retry-failed", "--jobs", 2, code=1)
    assert [group["attempts"] for group in status(out, 1)["failures"]] == [2]


def test_a_changed_plan_is_refused(tmp_path):
    out = tmp_path / "study"
    plan = write_plan(tmp_path, seeds=2)
    study("run", plan, "--out", out)
    write_plan(tmp_path, seeds=2, steps=5)
    done = study("run", plan, "--out", out, code=2)
    assert done.stderr.count("\n") == 1
    assert "4 of the 4 cells of this study are not in the plan any more" in done.stderr
    assert "learner.options.steps was 1 and is 5" in done.stderr
    write_plan(tmp_path, seeds=3)
    assert f"{out}: 2 new cells in the plan" in study("run", plan, "--out", out).stdout
    assert status(out)["cells"] == 6
    write_plan(tmp_path, seeds=2, steps=5)
    study("run", plan, "--out", out, "--force")
    assert status(out)["cells"] == 4


def test_plan_lists_cells(tmp_path):
    plan = write_plan(tmp_path)
    text = study("plan", plan).stdout.splitlines()
    assert len(text) == 7 and text[0].split()[2] == "waiting"
    assert text[0].endswith("coop millis=0 steps=1 on d, recognition, 16 shots, seed 1")
    assert study("plan", plan, "--out", tmp_path / "study").stdout.count(" waiting ") == 6
    assert not (tmp_path / "study").exists()
    study("run", plan, "--out", tmp_path / "study", "--limit", 4, code=3)
    listed = json.loads(study("plan", plan, "--out", tmp_path / "study", "--json").stdout)
    assert [cell["state"] for cell in listed["list"]] == ["done"] * 4 + ["waiting"] * 2
    assert listed["seconds_of_work_left"] is not None
    assert len({cell["id"] for cell in listed["list"]}) == 6


def test_only_and_ranges(tmp_path):
    plan = write_plan(tmp_path)
    out = tmp_path / "study"
    study("run", plan, "--out", out, "--only", "on e,", "--jobs", 2, code=3)
    assert status(out, 3)["done"] == 3
    study("work", out, "--from", 1, "--to", 2)
    assert status(out, 3)["done"] == 5


def test_paths_begin_at_the_plan(tmp_path):
    """From any folder: a worker enters that of the plan."""
    plan = write_plan(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    study("run", "../plan.toml", "--out", "study", "--limit", 1, code=3, cwd=tmp_path / "elsewhere")
    out = tmp_path / "elsewhere" / "study"
    assert json.loads((out / "study.json").read_text())["folder"] == str(tmp_path)
    study("work", "study", cwd=tmp_path / "elsewhere")
    assert status(out)["done"] == 6
    study("run", out / "plan.toml", "--out", out)  # the copy is as good as the plan
    assert json.loads((out / "study.json").read_text())["folder"] == str(tmp_path)
    assert plan.exists()


@pytest.mark.parametrize("name, code", [(signal.SIGTERM, 143), (signal.SIGUSR1, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("command", ["run", "work"])
def test_a_signal_stops_and_the_study_resumes(tmp_path, name, code, command):
    plan = write_plan(tmp_path, seeds=1, steps=40, millis=20)
    out = tmp_path / "study"
    study("run", plan, "--out", out, "--limit", 0, "--only", "nothing", code=3)
    args = ["run", plan, "--out", out, "--jobs", 2] if command == "run" else ["work", out]
    process = subprocess.Popen(words(*args), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not list((out / "cells").rglob("state.txt")):
        time.sleep(0.01)
    process.send_signal(name)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == code, (output, errors)
    assert list((out / "cells").rglob("state.txt")), "it stopped within a cell"
    assert leases(out) == [], "the lease is released"
    assert not list((out / "cells").rglob("failed.json"))
    study("run", plan, "--out", out)
    study("run", plan, "--out", tmp_path / "whole")
    assert contents(out) == contents(tmp_path / "whole")


def test_a_second_signal_stops_at_once(tmp_path):
    plan = write_plan(tmp_path, seeds=1, steps=2, millis=20000)
    out = tmp_path / "study"
    study("run", plan, "--out", out, "--only", "nothing", code=3)
    process = subprocess.Popen(words("work", out), stdout=subprocess.PIPE)
    while not any(".tmp." not in name for name in leases(out)):
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    assert process.poll() is None
    start = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert time.monotonic() - start < 10
    assert status(out, 3)["stale"] == 1  # its process is gone, so nobody waits for it


def test_workers_end_with_their_parent(tmp_path):
    plan = write_plan(tmp_path, seeds=2, steps=300, millis=20)
    out = tmp_path / "study"
    process = subprocess.Popen(words("run", plan, "--out", out, "--jobs", 2), stdout=subprocess.DEVNULL)
    while len(list((out / "cells").rglob("state.txt"))) < 2:
        time.sleep(0.01)
    process.kill()
    process.wait()
    for _ in range(500):
        if leases(out) == []:
            break
        time.sleep(0.02)
    assert leases(out) == []


def test_refusals(tmp_path):
    plan = write_plan(tmp_path)
    assert "study.json" in study("status", tmp_path, code=2).stderr
    assert "is neither empty nor a study" in study("run", plan, "--out", tmp_path, code=2).stderr
    plan.write_text(plan.read_text() + "seed = 3\n")
    error = study("plan", plan, code=2).stderr
    assert f"{plan}: line 5: unknown key \"seed\"; did you mean seeds?" in error
    plan.write_text('models = ["m"]\ndata = ["d"]\nlearners = ["unknown"]\n')
    assert "unknown learner" in study("run", plan, "--out", tmp_path / "study", code=2).stderr
    assert not (tmp_path / "study").exists()


def test_a_truncated_result_is_redone(tmp_path):
    plan = write_plan(tmp_path, seeds=1)
    out = tmp_path / "study"
    study("run", plan, "--out", out)
    whole = contents(out)
    result = sorted((out / "cells").rglob("cell.json"))[0]
    data = result.read_bytes()
    for size in [0, 1, len(data) // 2, len(data) - 2, len(data) - 1]:
        result.write_bytes(data[:size])
        assert status(out, 3)["damaged"] == 1
        study("work", out)
        assert contents(out) == whole
    predictions = sorted((out / "cells").rglob("predictions.txt"))[0]
    predictions.write_bytes(b"x" * predictions.stat().st_size)
    assert status(out)["damaged"] == 0
    assert status(out, 3, "--verify")["damaged"] == 1
    study("run", plan, "--out", out, "--verify")
    assert contents(out) == whole


def test_a_full_disk_fails_cells_with_one_line(tmp_path):
    """`ulimit -f` stands for the disk: no file may grow past it."""
    plan = write_plan(tmp_path, seeds=2)
    out = tmp_path / "study"
    study("run", plan, "--out", out, "--only", "nothing", code=3)
    limited = subprocess.run(["bash", "-c", "ulimit -f 0; exec \"$@\"", "x", *words("work", out)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
    assert limited.returncode in (1, 2), limited
    assert limited.stderr.count("bug") == 0
    assert not [path for path in out.rglob("*") if ".tmp." in path.name]
    study("run", plan, "--out", out, "--retry-failed")
    study("run", plan, "--out", tmp_path / "whole")
    assert contents(out) == contents(tmp_path / "whole")


def write_fake_slurm(folder):
    """sbatch and scontrol that write down how they were called."""
    folder.mkdir()
    (folder / "sbatch").write_text(f'#!/bin/sh\necho "sbatch $@" >> {folder}/calls\necho "17;cluster"\n')
    (folder / "scontrol").write_text(f'#!/bin/sh\necho "scontrol $@" >> {folder}/calls\n'
                                     'if [ "$1" = show ]; then echo "MaxArraySize = 2"; fi\n')
    (folder / "squeue").write_text(f'#!/bin/sh\ncat {folder}/queue 2>/dev/null\n')
    for name in ("sbatch", "scontrol", "squeue"):
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_slurm_scripts_run_their_cells(tmp_path):
    """Written, submitted, and then run as Slurm would run their tasks."""
    plan = write_plan(tmp_path, seeds=5)
    out = tmp_path / "study"
    environment = write_fake_slurm(tmp_path / "bin")
    run = ["run", plan, "--out", out, "--launcher", "slurm", "--cells-per-task", 2, "--array-limit", 3]
    dry = json.loads(study(*run, "--dry-run", "--json", environment=environment).stdout)
    assert [script["job"] for script in dry["scripts"]] == [None]
    assert not (tmp_path / "bin" / "calls").exists()
    done = json.loads(study(*run, "--json", environment=environment).stdout)
    assert [(s["job"], s["tasks"], s["cells"]) for s in done["scripts"]] == [("17", 2, 4), ("17", 2, 4), ("17", 1, 2)]
    calls = (tmp_path / "bin" / "calls").read_text().splitlines()
    assert calls == ["scontrol show config",
                     *(f"sbatch --parsable {script['script']}" for script in done["scripts"])]
    finished = 0
    for script in done["scripts"]:
        for task in range(script["tasks"]):
            subprocess.run(["bash", script["script"]], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "SLURM_ARRAY_TASK_ID": str(task)})
        finished += script["cells"]
        assert status(out, 0 if finished == 10 else 3)["done"] == finished
    assert "nothing is left to submit" in study(*run, environment=environment).stdout


def test_what_is_in_the_queue_is_not_submitted_again(tmp_path):
    plan = write_plan(tmp_path, seeds=5)
    out = tmp_path / "study"
    environment = write_fake_slurm(tmp_path / "bin")
    (tmp_path / "bin" / "scontrol").write_text("#!/bin/sh\necho MaxArraySize = 100\n")
    run = ["run", plan, "--out", out, "--launcher", "slurm", "--cells-per-task", 3, "--json"]

    def submit(*flags):
        done = json.loads(study(*run, *flags, environment=environment).stdout)
        return [(script["tasks"], script["cells"]) for script in done["scripts"]], done["queued"]

    assert submit("--limit", 7) == ([(3, 7)], 0)
    queue = tmp_path / "bin" / "queue"
    queue.write_text("17_0\n17_2\n")  # of 3 + 1 cells
    assert submit("--dry-run") == ([(2, 6)], 4)
    queue.write_text("")
    write_plan(tmp_path, seeds=6)
    first = sorted((out / "slurm").glob("submit-*.sbatch"), key=lambda path: path.stat().st_mtime)[0]
    (name,) = re.findall(r"cells-\w+\.txt(?=')", first.read_text())
    before = (out / "slurm" / name).read_text()
    assert submit("--dry-run") == ([(4, 12)], 0)
    subprocess.run(["bash", first], check=True, env={**os.environ, "SLURM_ARRAY_TASK_ID": "1"})
    done = {path.parent.name for path in out.rglob("cell.json")}
    assert done == set(before.split()[3:6]), "cells that were added later change nothing for it"


def test_dry_run(tmp_path):
    """Lists what would be computed, and writes nothing."""
    plan = write_plan(tmp_path)
    out = tmp_path / "study"
    text = study("run", plan, "--out", out, "--dry-run", "--only", "on e,").stdout.splitlines()
    assert len([line for line in text if " on e," in line]) == 3 and text[-1] == "3 cells would be computed"
    assert not out.exists()
    study("run", plan, "--out", out, "--limit", 2, code=3)
    listed = json.loads(study("run", plan, "--out", out, "--dry-run", "--json", "--limit", 3).stdout)
    assert [(cell["seed"], cell["state"]) for cell in listed["list"]] == [(3, "waiting"), (1, "waiting"), (2, "waiting")]
    assert status(out, 3)["done"] == 2
    write_plan(tmp_path, steps=7)
    assert "not in the plan any more" in study("run", plan, "--out", out, "--dry-run", code=2).stderr


def test_flags_of_the_other_launcher_are_refused(tmp_path):
    plan = write_plan(tmp_path)
    out = tmp_path / "study"
    error = study("run", plan, "--out", out, "--partition", "gpu", code=2).stderr
    assert "--partition is of Slurm; expected --launcher slurm" in error
    error = study("run", plan, "--out", out, "--launcher", "slurm", "--jobs", 2, code=2).stderr
    assert "--jobs is of local workers" in error
    assert not out.exists()


def test_failures_are_shown_when_they_happen(tmp_path):
    """Before the run ends; with --json on standard error."""
    plan = tmp_path / "plan.toml"
    plan.write_text('models = ["m"]\ndata = ["d"]\n'
                    'learners = [{name = "bad", options = {fail = true}}, {name = "held", options = {steps = 4}}]\n')
    for flags, stream in (((), "stdout"), (("--json",), "stderr")):
        process = subprocess.Popen(words("run", plan, "--out", tmp_path / f"study{stream}", *flags), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "FAKE_STUDY_HOLD": "held"})
        line = getattr(process, stream).readline()
        assert line.startswith("failed  bad-d-") and line.endswith("[fake] this cell fails\n")
        assert process.poll() is None, "the other cell waits to be stopped"
        process.terminate()
        process.communicate(timeout=60)
        assert process.returncode == 143


def test_eval_needs_predictions(tmp_path):
    """Fake cells have none; real ones are tried in tests/cli."""
    plan = write_plan(tmp_path, seeds=1)
    out = tmp_path / "study"
    study("run", plan, "--out", out)
    before = contents(out)
    done = study("eval", out, code=1)
    assert done.stdout == f"{out}: 0 cells measured from predictions, 0 changed\n"
    assert done.stderr.count("0 .npz files for the values of 1 views") == 2
    assert contents(out) == before
    assert "unknown metric" in study("eval", out, "--metrics", "no", code=2).stderr


def test_a_task_requeues_itself_before_its_time_limit(tmp_path):
    plan = write_plan(tmp_path, seeds=1, steps=200, millis=20)
    out = tmp_path / "study"
    environment = write_fake_slurm(tmp_path / "bin")
    study("run", plan, "--out", out, "--only", "nothing", code=3)
    process = subprocess.Popen(words("work", out, "--requeue"), stdout=subprocess.DEVNULL, env={
        **os.environ, **environment, "SLURM_JOB_ID": "16", "SLURM_ARRAY_JOB_ID": "15", "SLURM_ARRAY_TASK_ID": "3"})
    while not list((out / "cells").rglob("state.txt")):
        time.sleep(0.01)
    lease = next(path for path in (out / "leases").iterdir() if not path.name.startswith(".")).read_text()
    process.send_signal(signal.SIGUSR1)
    assert process.wait(60) == 143
    assert (tmp_path / "bin" / "calls").read_text() == "scontrol requeue 15_3\n"
    assert json.loads(lease)["slurm_array_task"] == "3"
