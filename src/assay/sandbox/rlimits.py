"""Limits that the kernel holds for each process, set from outside before the program starts."""

from __future__ import annotations

import math
import os
import platform
import resource
from contextlib import suppress
from pathlib import Path

from assay.domain.limits import MIB, RunLimits
from assay.sandbox.walls import Walls

STACK_BYTES = 8 * MIB
_NAMES = {
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_DATA: "data",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_NPROC: "nproc",
    resource.RLIMIT_STACK: "stack",
}


def resource_limits(limits: RunLimits, walls: Walls, *, memory: bool) -> dict[int, tuple[int, int]]:
    """Limits for each process of a run: resource -> (soft, hard).

    Args:
        limits: those of the run.
        walls: those that are up.
        memory: whether to limit each process's memory, as no cgroup holds that of the tree.
    """
    wanted = {resource.RLIMIT_CORE: (0, 0), resource.RLIMIT_STACK: (STACK_BYTES, STACK_BYTES)}
    if walls.cpu_limit:
        # SIGXCPU first, which tells why; a second later SIGKILL, which cannot be ignored.
        seconds = math.ceil(limits.cpu_seconds)
        wanted[resource.RLIMIT_CPU] = (seconds, seconds + 1)
    if walls.file_limits:
        wanted[resource.RLIMIT_FSIZE] = (limits.file_bytes, limits.file_bytes)
        wanted[resource.RLIMIT_NOFILE] = (limits.open_files, limits.open_files)
    if walls.process_limit:
        # Counted for this user in this user namespace; two more for bubblewrap itself.
        most = limits.processes + 2 + _processes_elsewhere()
        wanted[resource.RLIMIT_NPROC] = (most, most)
    if walls.memory_limit and memory:
        # Stacks of threads count when they are made, used or not.
        data = limits.memory_bytes + limits.processes * STACK_BYTES
        wanted[resource.RLIMIT_DATA] = (data, data)
    return {kind: _within_ours(kind, *pair) for kind, pair in wanted.items()}


def _within_ours(kind: int, soft: int, hard: int) -> tuple[int, int]:
    """No more than this process may have itself, as only some can be given more."""
    _, most = resource.getrlimit(kind)
    if most == resource.RLIM_INFINITY:
        return soft, hard
    return min(soft, most), min(hard, most)


def prlimit_options(limits: dict[int, tuple[int, int]]) -> list[str]:
    """The same as options of the program prlimit."""
    return [f"--{_NAMES[kind]}={soft}:{hard}" for kind, (soft, hard) in limits.items()]


def _processes_elsewhere() -> int:
    """Processes and threads of this user that count towards a run's limit as well.

    Linux counts them for each user namespace apart since 5.14; before, all of a user's together.
    A user that root drops to has no others.
    """
    release = platform.release().split(".")
    if os.geteuid() == 0 or (int(release[0]), int(release[1].split("-")[0])) >= (5, 14):
        return 0
    threads = 0
    for process in Path("/proc").glob("[0-9]*"):
        # It may end while it is looked at.
        with suppress(OSError):
            if process.stat().st_uid == os.geteuid():
                threads += len(list((process / "task").iterdir()))
    return threads
