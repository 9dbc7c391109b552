"""What a command takes, for files that ask for much."""

import os
import struct

from command import BIN


def measured(*args, cwd=None):
    """(exit code, stderr, seconds of processor time, peak bytes) of `openworld args`."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        if cwd:
            os.chdir(cwd)
        os.dup2(write, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(BIN, [BIN, *map(str, args)])
    os.close(write)
    with os.fdopen(read) as stream:
        err = stream.read()
    _, status, usage = os.wait4(pid, 0)
    return (os.waitstatus_to_exitcode(status), err, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024)


def cheaply_refused(*args, says, cwd=None):
    """Refused in one line, in at most 10 s of processor time and 1 GiB."""
    code, err, seconds, memory = measured(*args, cwd=cwd)
    assert code == 2 and err.count("\n") == 1, (code, err)
    for fragment in says:
        assert fragment in err, err
    assert seconds < 10 and memory < 1 << 30, (seconds, memory)


def safetensors(header, data=b""):
    return struct.pack("<Q", len(header)) + header + data
