"""What the runner of studies costs. Run through `scripts/bench study [SECTION...]`.

overhead   1,000 cells of 10 ms (fake cells: they sleep)
status     `study status` of 5,000 finished cells
memory     of a worker that computes 100 cells, and one that computes 5,000, of a plan of 5,000
jobs       two local jobs against one: cells that keep a core busy for two seconds, and cells of `openworld tune`
table      the bundled study openworld:table2 --quick beside the same cells as separate `openworld tune` calls

Times are the best of several; processor time is that of the process and its children. Ratios of two jobs to one need
two cores that are otherwise idle.
"""

import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    wall: float
    cpu: float
    memory: float  # MiB, of the largest process


def run(words, expect=(0,), **environment):
    """What a command costs with its children."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                               env={**os.environ, **environment})
    _, status, usage = os.wait4(process.pid, 0)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in expect, (words, process.returncode)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, usage.ru_maxrss / 1024)


def best(costs):
    costs = list(costs)
    return Cost(*(min(values) for values in zip(*costs)))


def line(what, value, limit=None, kind="at most"):
    verdict = ""
    if limit is not None:
        met = value <= limit if kind == "at most" else value >= limit
        verdict = f"   {kind} {limit:g}: {'met' if met else 'NOT MET'}"
    print(f"{what:<70} {value:9.2f}{verdict}", flush=True)


class Bench:
    def __init__(self, build, folder):
        self.program = build / "bin" / "openworld"
        self.fake = build / "bin" / "openworld_fake_study"
        self.folder = folder
        self.count = 0

    def plan(self, text):
        self.count += 1
        path = self.folder / f"plan{self.count}.toml"
        path.write_text(text)
        return path, self.folder / f"study{self.count}"

    def fake_plan(self, cells, options="steps = 1"):
        """Cells are seeds of one learner."""
        return self.plan(f'models = ["m"]\ndata = ["d"]\nseeds = "1-{cells}"\n'
                         f'learners = [{{name = "coop", options = {{{options}}}}}]\n')

    def overhead(self, cells=1000, millis=10, repeats=3):
        costs = []
        for _ in range(repeats):
            plan, out = self.fake_plan(cells, f"steps = 1, millis = {millis}")
            costs.append(run([self.fake, "study", "run", plan, "--out", out]))
            shutil.rmtree(out)
        cost = best(costs)
        line(f"{cells} cells of {millis} ms, s", cost.wall)
        line("overhead a cell, ms", 1000 * cost.wall / cells - millis, 20)
        line("processor time a cell, ms", 1000 * cost.cpu / cells)
        # Of which the disk itself takes most: predictions and the result are flushed, each with its folder.
        line("two flushed files on this disk, ms", 1000 * self.flush_seconds())

    def flush_seconds(self, repeats=100):
        folder = self.folder / "flush"
        folder.mkdir(exist_ok=True)
        start = time.perf_counter()
        for i in range(repeats):
            for name in ("a", "b"):
                path = folder / f"{name}{i}"
                file = os.open(path, os.O_WRONLY | os.O_CREAT)
                os.write(file, b"x" * 400)
                os.fsync(file)
                os.close(file)
                os.rename(path, folder / f"{name}{i}.json")
                directory = os.open(folder, os.O_RDONLY)
                os.fsync(directory)
                os.close(directory)
        return (time.perf_counter() - start) / repeats

    def finished(self, cells=5000):
        plan, out = self.fake_plan(cells)
        return plan, out, run([self.fake, "study", "run", plan, "--out", out])

    def status(self, cells=5000, repeats=5):
        _, out, _ = self.finished(cells)
        costs = [run([self.fake, "study", "status", out]) for _ in range(repeats)]
        line(f"status of {cells} cells, first call, s", costs[0].wall)
        line("best of several, s", best(costs).wall, 1)
        line("processor time, s", best(costs).cpu)
        line("memory, MiB", best(costs).memory)
        if os.geteuid() == 0 and os.access("/proc/sys/vm/drop_caches", os.W_OK):
            os.sync()
            Path("/proc/sys/vm/drop_caches").write_text("3\n")
            line("with nothing of the disk in memory, s", run([self.fake, "study", "status", out]).wall)
        shutil.rmtree(out)

    def memory(self, cells=5000, few=100):
        plan, out = self.fake_plan(cells)
        run([self.fake, "study", "run", plan, "--out", out, "--only", "nothing"], expect=(3,))
        first = run([self.fake, "study", "work", out, "--limit", few]).memory
        rest = run([self.fake, "study", "work", out]).memory
        line(f"memory of a worker after {few} cells, MiB", first)
        line(f"after {cells - few} cells, MiB", rest)
        line("ratio", rest / first, 1.1)
        shutil.rmtree(out)

    def jobs(self, repeats=3):
        """The same threads for each worker: one has one, two have two."""
        plan, out = self.fake_plan(6, "steps = 1, busy = 2000")
        self.compare_jobs("6 cells of 2 s of processor time", self.fake, plan, out, repeats)
        plan, out = self.plan('models = ["pocket"]\ndata = ["doodles:animals"]\nseeds = "1-6"\n'
                              'learners = [{name = "coop", options = {epochs = 60}}]\n')
        self.compare_jobs("6 cells of `tune`", self.program, plan, out, repeats)

    def compare_jobs(self, what, program, plan, out, repeats):
        walls = {}
        for jobs in (1, 2):
            costs = []
            for _ in range(repeats):
                costs.append(run([program, "study", "run", plan, "--out", out, "--jobs", jobs, "--threads", jobs]))
                shutil.rmtree(out)
            walls[jobs] = best(costs).wall
            line(f"{what}, {jobs} job{'s' * (jobs > 1)}, s", walls[jobs])
        line("one job / two jobs", walls[1] / walls[2], 1.7, "at least")

    def table(self):
        """The bundled plan of Table 2, in its quick variant, and each of its cells by a call of `tune`. Both use all
        threads in one process at a time, and begin without cached features."""
        flags = ["openworld:table2", "--quick"]
        listed = subprocess.run([self.program, "study", "plan", *flags, "--json"], check=True, stdout=subprocess.PIPE)
        cells = json.loads(listed.stdout)["list"]
        study = run([self.program, "study", "run", *flags, "--out", self.folder / "table2"],
                    XDG_CACHE_HOME=str(self.folder / "cache1"))
        calls = Cost(0, 0, 0)
        for cell in cells:
            cost = run(self.tune(cell), XDG_CACHE_HOME=str(self.folder / "cache2"))
            calls = Cost(calls.wall + cost.wall, calls.cpu + cost.cpu, max(calls.memory, cost.memory))
        line(f"{len(cells)} cells of openworld:table2 --quick as a study, s", study.wall)
        line("as separate `tune` calls, s", calls.wall)
        line("calls / study", calls.wall / study.wall, 1, "at least")
        line("processor time, calls / study", calls.cpu / study.cpu)

    def tune(self, cell):
        """The call of `tune` that computes a cell of the scenario `recognition`."""
        options = cell["learner"].get("options", {})
        sets = [word for name, value in options.items() if name != "epochs" for word in ("--set", f"{name}={value}")]
        epochs = ["--epochs", options["epochs"]] if "epochs" in options else []
        return [self.program, "tune", "--method", cell["learner"]["name"], "--model", cell["model"]["path"], "--data",
                cell["data"]["path"], "--shots", cell["shots"], "--seed", cell["seed"], *epochs, *sets, "--out",
                self.folder / "calls" / cell["name"]]


SECTIONS = ["overhead", "status", "memory", "jobs", "table"]


def main(build, *sections):
    for section in sections:
        if section not in SECTIONS:
            raise SystemExit(f"study: no section '{section}'; there are {' '.join(SECTIONS)}")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    # Beside the build: the disk that studies would lie on, where /tmp may be memory.
    with tempfile.TemporaryDirectory(prefix="study-bench-", dir=build) as folder:
        bench = Bench(Path(build), Path(folder))
        for section in sections or SECTIONS:
            print(f"\n{section}")
            getattr(bench, section)()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
