"""Limits that the kernel holds for each process, set from outside before the program starts."""

from __future__ import annotations

import math
import resource

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
        wanted[resource.RLIMIT_NPROC] = (limits.processes + 2, limits.processes + 2)
    if walls.memory_limit and memory:
        # Stacks of threads count when they are made, used or not.
        data = limits.memory_bytes + limits.processes * STACK_BYTES
        wanted[resource.RLIMIT_DATA] = (data, data)
    return wanted


def prlimit_options(limits: dict[int, tuple[int, int]]) -> list[str]:
    """The same as options of the program prlimit."""
    return [f"--{_NAMES[kind]}={soft}:{hard}" for kind, (soft, hard) in limits.items()]
