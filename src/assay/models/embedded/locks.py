"""Locks between processes that the kernel lets go of when their holder dies, even by kill -9."""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path

_POLL_SECONDS = 0.05


class FileLock:
    """A lock on a file, held until `release`, or until the process is gone.

    filelock has no shared locks of this kind, and these are what tells a server that it has users.
    """

    def __init__(self, path: Path, *, shared: bool = False) -> None:
        """Name a lock without taking it.

        Args:
            path: The file; it is made where it is missing, and never removed.
            shared: Whether others may hold it too, if they share it.
        """
        self._path = path
        self._kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        self._descriptor: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if it is free."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, self._kind | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    async def acquire(self) -> None:
        """Wait for the lock."""
        while not self.try_acquire():  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(_POLL_SECONDS)

    def release(self) -> None:
        """Let go of the lock; nothing happens where it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    async def __aenter__(self) -> FileLock:
        await self.acquire()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.release()
