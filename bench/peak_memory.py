"""The command `assay` with any arguments, and at its end its peak memory: run by `bench.own`.

`python -m bench.peak_memory FILE ARGUMENT…` writes the peak of the resident memory of this
process alone, in bytes, into FILE. (What `getrusage` tells includes that of the parent, before
the program was loaded.)
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay.surfaces.cli import main as run_assay

KIB = 1024


def peak_bytes() -> int:
    """The most resident memory that this process has had, in bytes."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name == "VmHWM":
            return int(value.removesuffix("kB")) * KIB
    raise RuntimeError("this system does not tell a process's peak memory")


def main() -> None:
    """Run the command, then write the peak."""
    file = Path(sys.argv[1])
    del sys.argv[1]
    try:
        run_assay()
    finally:
        file.write_text(str(peak_bytes()), "utf-8")


if __name__ == "__main__":
    main()
