"""Reading a pipe of a child while the event loop runs, and what is left at the end."""

from __future__ import annotations

import asyncio
import os
from typing import Generic, Protocol, TypeVar

from assay.sandbox.descriptors import Descriptors

CHUNK = 65536
MOST_LEFT = 1024 * 1024
"""The most that a pipe holds: beyond that somebody still writes."""


class Sink(Protocol):
    """Where the bytes go."""

    def add(self, chunk: bytes) -> None:
        """Take the next bytes."""


S = TypeVar("S", bound=Sink)


class Pump(Generic[S]):
    """A pipe from a child into a sink. Everything is read, so that the child never waits."""

    def __init__(self, sink: S, descriptors: Descriptors, *, inherited: bool = False) -> None:
        """Make the pipe; `inherited` if the child is told its number."""
        self.sink = sink
        self._ours, self.theirs = descriptors.pipe_from_child(inherited=inherited)

    def start(self) -> None:
        """Read whenever there is something."""
        asyncio.get_running_loop().add_reader(self._ours, self._read)

    def finish(self) -> None:
        """Read what is left of what was written before the end."""
        asyncio.get_running_loop().remove_reader(self._ours)
        self.drain()

    def drain(self) -> None:
        """Read what there is now, of a pipe that nothing reads from besides."""
        for _ in range(MOST_LEFT // CHUNK):
            if not self._take():
                break

    def _read(self) -> None:
        if self._take() is False:
            asyncio.get_running_loop().remove_reader(self._ours)

    def _take(self) -> bool | None:
        """Whether there was something; None where nothing has come yet, False at the end."""
        try:
            chunk = os.read(self._ours, CHUNK)
        except BlockingIOError:
            return None
        self.sink.add(chunk)
        return bool(chunk)
