"""The machine that the figures are of."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path

GIB = 1024**3


def describe_machine() -> str:
    """Processor, memory, kernel, Python and date, in one sentence."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return (
        f"Measured on {today} on {cores} cores of {_processor()} with {memory:.1f} GiB of memory, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}."
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
