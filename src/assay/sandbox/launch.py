"""Running programs that have been started: one alone, or a tester linked to a solution."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from assay.sandbox.protocol import Job, Run

LINK = "ASSAY_LINK"
GRACE_SECONDS = 0.5
"""What a solution has to end by itself once its tester has ended."""


class Launch(Protocol):
    """A program that runs from its block's beginning, and is dead with all its tree at the end."""

    async def watch(self) -> None:
        """Wait until the program has ended, or was over a limit and has been killed."""
        ...

    def stop(self) -> None:
        """Kill the program: nobody needs it any more."""
        ...

    def result(self) -> Run:
        """What became of it, after the block."""
        ...


Start = Callable[[Job, Mapping[str, int]], AbstractAsyncContextManager[Launch]]
"""Launches a job; the mapping is of descriptors that it inherits, by the variable that tells it."""


async def run_alone(start: Start, job: Job) -> Run:
    """Run one program to its end."""
    async with start(job, {}) as launch:
        await launch.watch()
    return launch.result()


async def run_linked(start: Start, tester: Job, solution: Job) -> tuple[Run, Run]:
    """Run two programs with a stream socket between them; see `Sandbox.run_linked`."""
    one, other = socket.socketpair()
    with one, other:
        async with (
            start(tester, {LINK: one.fileno()}) as first,
            start(solution, {LINK: other.fileno()}) as second,
        ):
            # Each has its end now: it must see the other's death, so nobody else may hold one.
            one.close()
            other.close()
            watching = asyncio.ensure_future(second.watch())
            try:
                await first.watch()
                # One that is ending by itself, or at the end of the stream, ends in its own way.
                await asyncio.wait([watching], timeout=GRACE_SECONDS)
                if not watching.done():
                    second.stop()
                await watching
            finally:
                # It has to let go of its descriptors before they are closed.
                watching.cancel()
                await asyncio.wait([watching])
    return first.result(), second.result()
