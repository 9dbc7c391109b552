"""A Slurm cluster of one node, this machine, for tests: munged, slurmctld and slurmd on ports, sockets and folders of
their own, without systemd, cgroups or accounting. A Slurm or a munged that the machine has is not touched.
"""

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time

# Enough for a machine that is busy with other things; nothing waits so long when all is well.
LIMIT = 180

CONFIG = """ClusterName=openworld
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
ReturnToService=2
KillWait=5
MaxArraySize=4
MinJobAge=3600
SlurmdTimeout=60
BatchStartTimeout=2
SlurmdParameters=config_overrides
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=1000
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Why there can be no cluster here; empty if there can."""
    if os.geteuid() != 0:
        return "slurmd starts jobs as their users, which takes root"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]
    return f"{', '.join(missing)} not found; scripts/bootstrap installs them" if missing else ""


def wait_for(condition, what):
    """The first value of condition() that is true."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {LIMIT} s")


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class OneNodeSlurm:
    """`with OneNodeSlurm(folder) as slurm`; `slurm.environment` makes commands talk to it."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in [name for name in self.environment if name.startswith(("SLURM_JOB", "SLURM_ARRAY", "SBATCH_"))]:
            del self.environment[name]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge" / "key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        controller, node = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIG.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, controller_port=controller, node_port=node))
        munge = self.folder / "munge"
        # --force: folders of tests may be writable by others.
        self.run_daemon("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
                        f"--pid-file={munge}/pid", f"--seed-file={munge}/seed", f"--log-file={munge}/log")
        wait_for(lambda: (munge / "socket").exists(), "munged")
        self.run_daemon("slurmctld", "-D")
        self.start_node()

    def __exit__(self, *_):
        if any(process.args[0] == "slurmctld" for process in self.daemons):
            self.call("scancel", "--user=root", "--signal=KILL", "--full", check=False)
        for process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for pid in self.node_processes():
            os.kill(pid, signal.SIGKILL)

    def run_daemon(self, *words):
        with open(self.folder / f"{words[0]}.err", "a") as errors:
            process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=errors,
                                       stderr=errors, cwd=self.folder)
        self.daemons.append(process)
        return process

    def start_node(self):
        self.node = self.run_daemon("slurmd", "-D")
        # "idle", or with jobs on it "allocated" or "mixed"; "*": it does not answer.
        wait_for(lambda: self.call("sinfo", "-h", "-o", "%T", check=False) in ("idle", "mixed", "allocated"),
                 "slurmd to answer")

    def kill_node(self, with_jobs):
        """The daemon of the node; with_jobs: everything that runs on it, as when the power fails."""
        pids = self.node_processes() if with_jobs else []
        self.node.kill()
        self.node.wait()
        self.daemons.remove(self.node)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # its parent was killed before it

    def node_processes(self):
        """The processes of jobs on the node: slurmstepd, and what has SLURM_CONF of this cluster in a job."""
        mark = f"SLURM_CONF={self.folder / 'slurm.conf'}".encode()
        pids = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    variables = file.read().split(b"\0")
                with open(f"/proc/{entry}/comm") as file:
                    name = file.read().strip()
            except OSError:
                continue  # it has ended
            in_job = any(variable.startswith(b"SLURM_JOB_ID=") for variable in variables)
            if mark in variables and (in_job or name == "slurmstepd"):
                pids.append(int(entry))
        return pids

    def call(self, *words, check=True):
        """What a command prints."""
        done = subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True,
                              timeout=LIMIT)
        assert done.returncode == 0 or not check, done
        return done.stdout.strip()

    def tasks(self):
        """"17_3" and its state of every task that has not ended."""
        lines = self.call("squeue", "-h", "-r", "-o", "%F_%K %T").splitlines()
        return dict(line.split() for line in lines)

    def job(self, task):
        """(state, how often it was requeued) of a task, also of one that has ended."""
        text = self.call("scontrol", "show", "job", "-o", task)
        return re.search(r"\bJobState=(\w+)", text)[1], int(re.search(r"\bRestarts=(\d+)", text)[1])

    def wait_until_requeued(self, task):
        def requeued():
            state, restarts = self.job(task)
            return state == "PENDING" or restarts > 0 and state != "COMPLETING"
        wait_for(requeued, f"task {task} to be requeued")

    def start_now(self, task):
        """Lifts the two minutes for which Slurm holds back a task that was requeued. They begin anew when the node has
        cleaned up after it, so this is repeated until the task has started."""
        def started():
            state, restarts = self.job(task)
            if state == "PENDING":
                self.call("scontrol", "update", f"jobid={task}", "StartTime=now", check=False)
            return restarts > 0 and state in ("RUNNING", "COMPLETED")
        wait_for(started, f"task {task} to be started again")
