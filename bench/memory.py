"""The peak memory of this process; imports nothing of Assay, so that any Python can run it."""

from __future__ import annotations

from pathlib import Path

KIB = 1024


def peak_bytes() -> int:
    """The most resident memory that this process has had, in bytes.

    (What `getrusage` tells includes that of the parent, before the program was loaded.)
    """
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name == "VmHWM":
            return int(value.removesuffix("kB")) * KIB
    raise RuntimeError("this system does not tell a process's peak memory")
