"""A look at a run's process tree from outside, through /proc."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """What a tree uses at one moment."""

    cpu_seconds: float
    """Of all live processes, and of the dead ones that were waited for."""
    memory_bytes: int
    """Sum of proportional set sizes: pages that are shared count once. 0 where not asked for."""
    processes: int
    """Processes and threads."""


def look_at_tree(root: int, *, memory: bool) -> Usage:
    """Add up what process `root` and all that came from it use.

    Args:
        root: pid of the init process of a pid namespace, whose orphans become its children.
        memory: whether to read the memory too, which takes longer.
    """
    ticks = in_use = processes = 0
    waiting = [root]
    seen = set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        # A process may end while it is looked at.
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            ticks += sum(map(int, fields[11:15]))
            processes += int(fields[17])
            for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - twice as fast
                children = Path(f"/proc/{pid}/task/{task}/children").read_bytes()
                waiting += map(int, children.split())
            if memory:
                in_use += _proportional_set_size(pid)
    return Usage(ticks / _TICKS, in_use, processes)


def _proportional_set_size(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0
