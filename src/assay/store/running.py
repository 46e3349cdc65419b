"""Which sessions are running: each holds a lock that dies with its process."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

from assay.errors import SessionRunning


class Running:
    """Locks on one file a session, in one folder. The operating system frees those of the dead."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, int] = {}
        self._guard = threading.Lock()

    def hold(self, session: str) -> None:
        """Mark `session` as running in this process.

        Raises:
            BlockingIOError: a living process, this one or another, runs it already.
            OSError: the folder cannot be written.
        """
        self._folder.mkdir(mode=0o700, exist_ok=True)
        file = self._file(session)
        while True:
            descriptor = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                if self.is_held(session):
                    raise
                continue  # Somebody only looked whether it is held.
            except BaseException:
                os.close(descriptor)
                raise
            if _is_still(file, descriptor):
                break
            # Whoever held it removed the file in between: the lock is on nothing.
            os.close(descriptor)
        with self._guard:
            self._held[session] = descriptor

    def release(self, session: str) -> None:
        """Say that `session` has ended. Does nothing where it is not held here."""
        with self._guard:
            descriptor = self._held.pop(session, None)
        if descriptor is not None:
            self._file(session).unlink(missing_ok=True)
            os.close(descriptor)

    def release_all(self) -> None:
        """Say that all sessions of this process have ended."""
        for session in list(self._held):
            self.release(session)

    def is_held(self, session: str) -> bool:
        """Whether a living process, this one or another, runs `session`."""
        try:
            descriptor = os.open(self._file(session), os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, ValueError):
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def forget(self, session: str) -> None:
        """Remove what a process that died has left of `session`."""
        self._file(session).unlink(missing_ok=True)

    def _file(self, session: str) -> Path:
        return self._folder / f"{session}.lock"


def still_running(session: str) -> SessionRunning:
    """The error for a session that a living process runs."""
    return SessionRunning(
        f"Session {session} is running in another process. Wait for its end, or stop it there."
    )


def _is_still(file: Path, descriptor: int) -> bool:
    """Whether `file` is the one that was opened as `descriptor`."""
    try:
        return os.path.samestat(file.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
