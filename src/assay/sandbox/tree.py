"""A started bubblewrap with the process tree inside: waiting for its end, and ending it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, suppress

from assay.sandbox.descriptors import Descriptors

START_SECONDS = 30.0
DEATH_SECONDS = 30.0
"""Bounds against hanging: a start takes milliseconds, and so does a death."""
LOOK_SECONDS = 0.001


class StartFailed(Exception):
    """bubblewrap ended before its first process was there."""


class Tree:
    """One run's processes. All are dead once `bury` has returned."""

    def __init__(
        self, process: subprocess.Popen[bytes], init: int, descriptors: Descriptors, status: int
    ) -> None:
        """Take over what `start` started."""
        self._process = process
        self.init = init
        """Pid, seen from outside, of the first process of the run's pid namespace."""
        self._init_handle = descriptors.own(os.pidfd_open(init))
        self._handle = descriptors.own(os.pidfd_open(process.pid))
        self._status = status
        self._descriptors = descriptors

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        descriptors: Descriptors,
        *,
        status: int,
        stdin: int,
        stdout: int,
        stderr: int,
        user: int | None,
        env: Mapping[str, str],
    ) -> Tree:
        """Start bubblewrap and wait, some milliseconds, until its first process is there.

        It dies with the thread that calls this, so that must be one that outlives the run: the
        event loop's.

        Args:
            command: bubblewrap with its options; it holds the program back until it is told.
            descriptors: what the child inherits; closed here afterwards.
            status: our end of bubblewrap's status pipe.
            stdin: what the child reads from.
            stdout: the child's end of a pipe.
            stderr: the child's end of a pipe.
            user: uid and gid to start it under; None: ours.
            env: the environment of bubblewrap itself, which a run can see.

        Raises:
            StartFailed: it ended before; its stderr says why.
        """
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=env,
            cwd="/",
            pass_fds=descriptors.for_child,
            # Ctrl-C is for us: we end the run, and know why it ended.
            process_group=0,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        try:
            descriptors.close_for_child()
            return cls(process, _read_init(status), descriptors, status)
        except BaseException as error:
            # It is let go by the end of the pipe that holds it back, and nobody would hold it.
            process.kill()
            process.wait()
            if isinstance(error, (IndexError, ValueError, KeyError, ProcessLookupError)):
                raise StartFailed from error
            raise

    async def ended(self, seconds: float) -> bool:
        """Wait at most `seconds` for the program's end; True when it has ended."""
        return await ended(self._handle, seconds)

    def open_folders(self, folders: Collection[str]) -> list[int]:
        """Open folders of the run, to see what is in them even after its end.

        Returns:
            A descriptor each; none at all while the sandbox is still being set up, when the same
            paths lead to the machine's own folders or nowhere.
        """
        opened = []
        with ExitStack() as unfinished:
            for folder in folders:
                path = f"/proc/{self.init}/root{folder}"
                try:
                    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
                except OSError:
                    return []
                unfinished.callback(os.close, descriptor)
                if os.fstat(descriptor).st_dev == _device(folder):
                    return []
                opened.append(descriptor)
            unfinished.pop_all()
        return [self._descriptors.own(descriptor) for descriptor in opened]

    def wait_for_folders(self, folders: Collection[str]) -> list[int]:
        """Open folders of a run that is held back, once they are there: in some milliseconds.

        Returns:
            A descriptor each; none where the setup failed.
        """
        end = time.monotonic() + START_SECONDS
        while not (opened := self.open_folders(folders)) and time.monotonic() < end:
            if _wait_readable(self._handle, LOOK_SECONDS):
                break
        return opened

    def kill(self) -> None:
        """Kill the init process, and so every process of its namespace."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init_handle, signal.SIGKILL)

    def bury(self) -> int | None:
        """Kill what is left, wait until all are dead, and give the program's exit status.

        Returns:
            The program's exit status, 128 + n if signal n ended it; None if it was never started.
        """
        self.kill()
        # Not interruptible: whoever cancels may rely on it that nothing is left running.
        _wait_readable(self._init_handle, DEATH_SECONDS)
        self._process.wait()
        said = b""
        while chunk := _read(self._status):
            said += chunk
        status = None
        for line in said.splitlines():
            with suppress(ValueError):
                status = json.loads(line).get("exit-code", status)
        return status


def _read_init(status: int) -> int:
    """The pid that bubblewrap tells first of all; its own errors leave nothing that can be read."""
    said = b""
    while not said.endswith(b"\n") and _wait_readable(status, START_SECONDS):
        piece = os.read(status, 65536)
        if not piece:
            break
        said += piece
    init: int = json.loads(said.splitlines()[0])["child-pid"]
    return init


def _device(folder: str) -> int | None:
    """The file system of the machine's own folder, None where there is none."""
    try:
        return os.stat(folder).st_dev  # noqa: PTH116 - beside os.fstat
    except OSError:
        return None


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except BlockingIOError:
        return b""


def _wait_readable(descriptor: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


async def ended(handle: int, seconds: float) -> bool:
    """Wait at most `seconds` for the end of the process behind a pidfd; True when it has ended."""
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    loop.add_reader(handle, event.set)
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        # The loop may have been held up, and the time have passed before it could look.
        return _wait_readable(handle, 0)
    else:
        return True
    finally:
        loop.remove_reader(handle)
