"""A small process that outlives Assay for a moment, and kills the runs of an Assay that was killed.

bubblewrap dies with its parent only once it has got so far; killed before, Assay would leave a run
behind that nobody limits. The guardian waits for the end of a pipe that Assay alone holds, and then
kills every process that bears Assay's mark in its environment: bubblewrap's, so all of a run.

Run as a program: `python guardian.py MARK`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import uuid
from functools import cache
from pathlib import Path

MARK = "ASSAY_OWNER"
QUIET_SECONDS = 1.0
"""How long no marked process has to be seen: one that was just started bears no mark yet."""


def guarded_environment() -> dict[str, str]:
    """The mark of this process's runs; its guardian is started the first time."""
    return {MARK: _start(os.getpid())}


@cache
def _start(pid: int) -> str:
    """Start the guardian of the process `pid`, this one, and return its mark."""
    mark = f"{pid}-{uuid.uuid4().hex}"
    # Our end is never closed: the kernel does it when this process is dead.
    theirs, _ours = os.pipe()
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", __file__, mark],
        {},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, theirs, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    os.close(theirs)
    return mark


def main() -> None:
    """Wait for the owner's end, and clean up after it."""
    mark = f"{MARK}={sys.argv[1]}\0".encode()
    while os.read(0, 1):
        pass
    until = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < until:
        if kill_marked(mark):
            until = time.monotonic() + QUIET_SECONDS
        time.sleep(0.02)


def kill_marked(mark: bytes) -> bool:
    """Kill the processes that have `mark` in their environment; True if there were any."""
    found = False
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
                found = True
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
