"""Has icons drawn by render.mjs, in several processes."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIDE = 48
SCRIPT = Path(__file__).with_name("render.mjs")


def job_of(icon, colour=False, hand=None):
    job = {"set": icon.set, "icon": icon.id}
    if colour:
        job["colour"] = True
    return job if hand is None else job | {"hand": hand}


def draw(folders, jobs, processes):
    """(drawn, pixels): whether each job could be drawn, and all pixels, SIDE x SIDE (x 3 in colour).

    All jobs are in colour or none is. The result does not depend on the number of processes.
    """
    channels = 3 if jobs and jobs[0].get("colour") else 1
    bounds = [len(jobs) * i // processes for i in range(processes + 1)]
    with tempfile.TemporaryDirectory() as work:
        running = []
        for i in range(processes):
            lines = "".join(json.dumps(job) + "\n" for job in jobs[bounds[i]:bounds[i + 1]])
            source, target = Path(work) / f"{i}.jsonl", Path(work) / f"{i}.bin"
            source.write_text(lines)
            command = ["node", str(SCRIPT), str(folders["icons"]), str(folders["renderer"]), str(SIDE)]
            with open(source, "rb") as stdin, open(target, "wb") as stdout:
                running.append((subprocess.Popen(command, stdin=stdin, stdout=stdout), target))
        if any([process.wait() for process, _ in running]):
            sys.exit("make-icons: render.mjs failed; its message is above")
        records = np.concatenate([np.fromfile(target, np.uint8) for _, target in running])
    records = records.reshape(len(jobs), 1 + SIDE * SIDE * channels)
    shape = (len(jobs), SIDE, SIDE) if channels == 1 else (len(jobs), SIDE, SIDE, 3)
    return records[:, 0] == 1, records[:, 1:].reshape(shape)
