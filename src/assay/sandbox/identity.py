"""Whom a run runs as, and what therefore holds the number of its processes.

The kernel does not count the processes of root. As root, bubblewrap is started under a user of its
own where that user can read what the run needs; else a pids cgroup has to hold them.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from assay.errors import NoSandbox

_numbers = count(1)


@dataclass(frozen=True)
class Identity:
    """Whom bubblewrap is started as."""

    user: int | None
    """Uid and gid; None: ours."""
    prlimit: str | None = None
    """The program that sets limits first, as we may not set another user's from outside."""


def identity_for(paths: Iterable[str], *, pids_cgroup: bool) -> Identity:
    """Choose whom to run as.

    Args:
        paths: what the run needs to read, bubblewrap among it.
        pids_cgroup: whether a cgroup holds the number of processes.

    Raises:
        NoSandbox: nothing would hold the number of processes.
    """
    if os.geteuid() != 0:
        return Identity(user=None)
    prlimit = shutil.which("prlimit", path="/usr/bin:/bin")
    hidden = [path for path in paths if not _all_may_read(Path(path))]
    if prlimit and not hidden:
        return Identity(_unused_user(), prlimit)
    if pids_cgroup:
        return Identity(user=None)
    advice = (
        f"let other users read {hidden[0]}"
        if hidden
        else "install the program prlimit (package util-linux)"
    )
    raise NoSandbox(
        "As root, nothing would hold the number of a program's processes: no pids cgroup can be "
        f"made here. Run Assay as an ordinary user, or {advice}."
    )


def _all_may_read(path: Path) -> bool:
    """Whether a user without any rights of its own can enter and read `path`."""
    try:
        real = path.resolve(strict=True)
        own = stat.S_IROTH | (stat.S_IXOTH if real.is_dir() else 0)
        if real.stat().st_mode & own != own:
            return False
        return all(parent.stat().st_mode & stat.S_IXOTH for parent in real.parents)
    except OSError:
        return False


def _unused_user() -> int:
    """A uid near the end of those that exist here: two runs of one uid would share its count."""
    start, length = 0, 65536
    for line in Path("/proc/self/uid_map").read_text("ascii").splitlines():
        inside, _, size = map(int, line.split())
        if inside + size > start + length:
            start, length = inside, size
    # bubblewrap takes a uid for a signed number of 32 bits.
    end = min(start + length, 1 << 31)
    span = min((end - start) // 2, 1 << 28)
    number = os.getpid() * 4096 + next(_numbers) % 4096
    return end - 2 - number % span
