"""A small process that outlives Assay for a moment, and kills the runs of an Assay that was killed.

bubblewrap dies with its parent only once it has got so far; killed before, Assay would leave a run
behind that nobody limits. The guardian waits for the end of a pipe that Assay alone holds, and then
kills every process that bears Assay's mark in its environment: bubblewrap's, so all of a run. Then
it removes Assay's control groups.

Run as a program: `python guardian.py MARK PATTERN…`.
"""

from __future__ import annotations

import glob
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
LONGEST_SECONDS = 60.0
"""After that, what is left cannot be helped."""


def guarded_environment(groups: tuple[str, ...] = ()) -> dict[str, str]:
    """The mark of this process's runs; its guardian is started the first time.

    Args:
        groups: patterns of the paths of this process's control groups.
    """
    return {MARK: _start(os.getpid(), groups)}


@cache
def _start(pid: int, groups: tuple[str, ...]) -> str:
    """Start the guardian of the process `pid`, this one, and return its mark."""
    mark = f"{pid}-{uuid.uuid4().hex}"
    # Our end is never closed: the kernel does it when this process is dead.
    theirs, _ours = os.pipe()
    os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", __file__, mark, *groups],
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
    died = time.monotonic()
    until = died + QUIET_SECONDS
    while time.monotonic() < min(until, died + LONGEST_SECONDS):
        if kill_marked(mark) or not remove_groups(sys.argv[2:]):
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


def remove_groups(patterns: list[str]) -> bool:
    """Remove the control groups whose paths are so; False if one could not be, as yet."""
    removed = True
    for folder in (folder for pattern in patterns for folder in glob.glob(pattern)):  # noqa: PTH207
        try:
            Path(folder).rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            removed = False
    return removed


if __name__ == "__main__":
    main()
