"""What runs and what is open on this machine, for tests that nothing may stay behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path


def processes_with(text: str) -> list[int]:
    """Processes in whose environment `text` stands, but for zombies."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def open_descriptors() -> list[Path]:
    """The descriptors of this process."""
    return sorted(Path("/proc/self/fd").iterdir())


async def until(condition: Callable[[], object]) -> None:
    """Wait for what is to happen any moment."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - other processes set no event
            await asyncio.sleep(0.005)
