"""What is on the machine that was not there before: processes, files, mounts, control groups."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.sandbox import guardian
from assay.sandbox.cgroups import PREFIX, ROOT

KIB = 1024
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Size:
    """What one process holds."""

    memory_bytes: int
    """Its part of all memory (PSS)."""
    descriptors: int
    threads: int


def adopt_orphans() -> None:
    """Become the parent of whoever loses theirs, so that none of the worker's can get lost."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def size_of(pid: int) -> Size:
    """Look at a process from outside."""
    process = Path(f"/proc/{pid}")
    pss = next(
        int(line.split()[1])
        for line in (process / "smaps_rollup").read_text("ascii").splitlines()
        if line.startswith("Pss:")
    )
    return Size(
        memory_bytes=pss * KIB,
        descriptors=len(list((process / "fd").iterdir())),
        threads=len(list((process / "task").iterdir())),
    )


def leftover_processes(worker: int) -> list[str]:
    """What runs below this process beside the worker and the guardian of a living Assay."""
    parents = dict(_parents())
    for pid, parent in parents.items():
        if parent == os.getpid() and pid != worker and _is_dead(pid):
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return [
        f"{pid} {command}"
        for pid in sorted(parents)
        if pid != worker
        and _is_below(pid, os.getpid(), parents)
        and (command := _command(pid))
        and not (guardian.__file__ in command and parents.get(pid) == worker)
    ]


def files_in(*folders: Path) -> set[str]:
    """Every file and folder below `folders`."""
    return {
        str(Path(inside) / name)
        for folder in folders
        for inside, subfolders, files in os.walk(folder)  # passes over what goes meanwhile
        for name in (*subfolders, *files)
    }


def mounts() -> set[str]:
    """The mounts that this process sees, without their numbers."""
    lines = Path("/proc/self/mountinfo").read_text("utf-8").splitlines()
    return {" ".join(line.split()[3:]) for line in lines}


def cgroups_of(owner: int) -> set[str]:
    """The control groups that an Assay of this process has made."""
    name = f"{PREFIX}{owner}-"
    return {path for path in files_in(ROOT) if Path(path).name.startswith(name)}


def _parents() -> Iterator[tuple[int, int]]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(process.name), int(_stat(process)[1])


def _is_below(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == ancestor:
            return True
    return False


def _is_dead(pid: int) -> bool:
    with suppress(OSError):
        return _stat(Path(f"/proc/{pid}"))[0] == "Z"
    return True


def _command(pid: int) -> str:
    """The command line; empty for what is gone, a zombie's name for a zombie."""
    with suppress(OSError):
        process = Path(f"/proc/{pid}")
        words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        return words.strip() or (process / "comm").read_text("utf-8", "replace").strip()
    return ""


def _stat(process: Path) -> list[str]:
    """State, parent and what follows the name in the file `stat`."""
    return (process / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
