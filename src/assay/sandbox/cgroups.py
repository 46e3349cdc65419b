"""Control groups, version 1 or 2: they hold memory and processes of a run's whole tree.

Made where this process may write; a group's name carries its owner, so that what a killed owner
left behind is swept at the next start.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from assay.domain.limits import RunLimits
from assay.sandbox.walls import ALL_WALLS, Walls

ROOT = Path("/sys/fs/cgroup")
PREFIX = "assay-"
REMOVE_SECONDS = 2.0

_NAME = re.compile(rf"{PREFIX}(?P<pid>\d+)-(?P<start>\d+)-\d+\.")

_numbers = count(1)


@dataclass(frozen=True)
class Cgroups:
    """Where groups can be made: for each controller (`memory`, `pids`, `cpuacct`) its folder."""

    version: int
    parents: dict[str, Path]

    def holds(self, controller: str) -> bool:
        """Whether the controller is there and writable."""
        return controller in self.parents

    def create(self, limits: RunLimits, walls: Walls = ALL_WALLS) -> Cgroup:
        """Make a group for one run.

        Raises:
            OSError: the kernel refuses.
        """
        name = f"{PREFIX}{_owner()}-{next(_numbers)}.{_pid_namespace()}"
        group = Cgroup(self.version, {key: path / name for key, path in self.parents.items()})
        try:
            group.make(limits, walls)
        except OSError:
            group.remove()
            raise
        return group

    def own(self) -> tuple[str, ...]:
        """Patterns for the paths of all groups that this process makes."""
        name = f"{PREFIX}{_owner()}-*.{_pid_namespace()}"
        return tuple(sorted({str(parent / name) for parent in self.parents.values()}))

    def sweep(self) -> None:
        """Remove the groups of owners that are dead, and kill what still runs in them.

        Whether an owner in another pid namespace lives cannot be seen: its groups are left alone.
        """
        for parent in set(self.parents.values()):
            for folder in parent.glob(f"{PREFIX}*.{_pid_namespace()}"):
                name = _NAME.match(folder.name)
                if name and _start_time(int(name["pid"])) != name["start"]:
                    _kill_all(folder)
                    _remove(folder)


@dataclass(frozen=True)
class Cgroup:
    """The group of one run."""

    version: int
    folders: dict[str, Path]

    def make(self, limits: RunLimits, walls: Walls) -> None:
        """Create the folders and set the limits."""
        for folder in set(self.folders.values()):
            folder.mkdir()
        if walls.memory_limit and (memory := self.folders.get("memory")):
            # Swap counts too, where the kernel accounts for it: memory that is swapped out is used.
            if self.version == 2:
                _write(memory / "memory.max", limits.memory_bytes)
                _write_if_there(memory / "memory.swap.max", 0)
                _write_if_there(memory / "memory.oom.group", 1)
            else:
                _write(memory / "memory.limit_in_bytes", limits.memory_bytes)
                _write_if_there(memory / "memory.memsw.limit_in_bytes", limits.memory_bytes)
        if walls.process_limit and (pids := self.folders.get("pids")):
            # Two more for bubblewrap's own processes inside.
            _write(pids / "pids.max", limits.processes + 2)

    def add(self, pid: int) -> None:
        """Move a process in; its children are born inside."""
        for folder in set(self.folders.values()):
            _write(folder / "cgroup.procs", pid)

    def memory_kills(self) -> int:
        """How many processes the kernel killed because the group's memory was used up."""
        name = "memory.events" if self.version == 2 else "memory.oom_control"
        return self._number("memory", name, "oom_kill") or 0

    def peak_memory(self) -> int | None:
        """The most memory that was in use at a time, in bytes; None where it is not known."""
        name = "memory.peak" if self.version == 2 else "memory.max_usage_in_bytes"
        return self._number("memory", name)

    def cpu_seconds(self) -> float | None:
        """CPU time of the tree, in seconds; None where it is not known."""
        if self.version == 2:
            used = self._number("memory", "cpu.stat", "usage_usec")
            return None if used is None else used / 1e6
        used = self._number("cpuacct", "cpuacct.usage")
        return None if used is None else used / 1e9

    def remove(self) -> None:
        """Remove the group, whose processes are dead."""
        for folder in set(self.folders.values()):
            _remove(folder)

    def _number(self, controller: str, name: str, key: str | None = None) -> int | None:
        folder = self.folders.get(controller)
        if folder is None:
            return None
        try:
            text = (folder / name).read_text("ascii")
        except OSError:
            return None
        if key is None:
            return int(text)
        return next(
            (int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{key} ")), None
        )


def find_cgroups() -> Cgroups | None:
    """Find where groups can be made for this process; None where they cannot."""
    try:
        lines = Path("/proc/self/cgroup").read_text("ascii").splitlines()
    except OSError:
        return None
    own = {}
    for line in lines:
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path.lstrip("/")))
    for candidate in (_version_2(own.get("", "")), _version_1(own)):
        if candidate.parents and _works(candidate):
            candidate.sweep()
            return candidate
    return None


def _version_2(own: str) -> Cgroups:
    """Look in our own group and those above it for one that hands both controllers down."""
    if not (ROOT / "cgroup.controllers").exists():
        return Cgroups(2, {})
    wanted = {"memory", "pids"}
    for folder in _upwards(ROOT / own):
        with suppress(OSError):
            handed_down = (folder / "cgroup.subtree_control").read_text("ascii").split()
            if wanted.issubset(handed_down) and os.access(folder / "cgroup.procs", os.W_OK):
                return Cgroups(2, dict.fromkeys(wanted, folder))
    return Cgroups(2, {})


def _version_1(own: dict[str, str]) -> Cgroups:
    parents: dict[str, Path] = {}
    for controller in ("memory", "pids", "cpuacct"):
        if controller in own:
            mounted = ROOT / controller
            # In a container the path of our group may lie outside of what is mounted.
            folder = next((f for f in (mounted / own[controller], mounted) if f.is_dir()), None)
            if folder and os.access(folder, os.W_OK):
                parents[controller] = folder
    return Cgroups(1, parents)


def _upwards(folder: Path) -> Iterable[Path]:
    while folder != ROOT.parent:
        yield folder
        folder = folder.parent


def _works(cgroups: Cgroups) -> bool:
    try:
        cgroups.create(RunLimits()).remove()
    except OSError:
        return False
    return True


def _owner() -> str:
    """What the names of this process's groups begin with."""
    return f"{os.getpid()}-{_start_time(os.getpid())}"


def _start_time(pid: int) -> str:
    """When the process started, in clock ticks since boot: tells it from a later one."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
        )
    except OSError:
        return ""


def _write(file: Path, value: int) -> None:
    file.write_text(str(value), "ascii")


def _write_if_there(file: Path, value: int) -> None:
    if file.exists():
        _write(file, value)


def _pid_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _kill_all(folder: Path) -> None:
    with suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text("ascii").split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _remove(folder: Path) -> None:
    """Remove a group; the kernel may take a moment to let go of its dead."""
    deadline = time.monotonic() + REMOVE_SECONDS
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)
