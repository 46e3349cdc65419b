"""Watching a job in its container: against its limits, and until its end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from assay.sandbox.collecting import collect
from assay.sandbox.container import Container, Setup
from assay.sandbox.endings import read_ending
from assay.sandbox.processes import look_at_tree
from assay.sandbox.protocol import Ending, Job, Run

FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.1
"""Seconds between two looks at what a run uses: short at first, when most runs end."""


class Supervision:
    """One job's run, from its release until all of it is dead."""

    def __init__(self, setup: Setup, job: Job, start: Callable[[], Container]) -> None:
        """Supervise `job` in the container that `start` returns, its program running."""
        self._setup = setup
        self._job = job
        self._start = start
        self._stopped: Ending | None = None
        self._cpu_seconds = 0.0
        self._peak_memory = 0
        self._memory_kills = 0
        self._collected: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        """Start the program."""
        self._container = self._start()
        self._container.listen()
        self._started = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill what is left, and look a last time at what was used."""
        container = self._container
        self._seconds = time.monotonic() - self._started
        try:
            self._code = container.bury()
            if group := container.group:
                self._note_cpu_seconds(group.cpu_seconds())
                self._peak_memory = group.peak_memory() or self._peak_memory
                self._memory_kills = group.memory_kills()
            self._stopped = self._stopped or self._too_many_files()
            if container.folders:
                self._collected = collect(
                    container.folders[0], self._job.collect, self._job.collect_bytes
                )
        finally:
            container.close()

    async def watch(self) -> None:
        """Look at the run until it has ended, or is over a limit and has been killed."""
        deadline = self._started + self._job.limits.wall_seconds
        pause = FIRST_PAUSE
        while True:
            left = deadline - time.monotonic()
            if await self._container.tree.ended(max(0.0, min(pause, left))):
                return
            over = Ending.TIMED_OUT if left <= pause else self._look()
            if over:
                self._stopped = over
                self._container.tree.kill()
                return
            pause = min(2 * pause, LONGEST_PAUSE)

    def stop(self) -> None:
        """Kill the program: nobody needs it any more."""
        self._stopped = self._stopped or Ending.STOPPED
        self._container.tree.kill()

    def result(self) -> Run:
        """What became of the job.

        Raises:
            NoSandbox: its program was never started.
        """
        if self._code is None and self._stopped is None:
            raise self._container.setup_failed()
        channel = self._container.channel
        said = self._container.stderr.sink.output()
        ending, exit_status, signal_name = (
            (self._stopped, None, None)
            if self._stopped
            else read_ending(
                self._job,
                self._code or 0,
                said.text,
                cpu_seconds=self._cpu_seconds,
                memory_kills=self._memory_kills,
            )
        )
        return Run(
            ending,
            exit_status,
            signal_name,
            self._container.stdout.sink.output(),
            said,
            self._seconds,
            self._cpu_seconds,
            self._peak_memory or None,
            channel.sink.data if channel else b"",
            channel_cut=bool(channel and channel.sink.cut),
            files=self._collected,
            prestarted=self._container.prestarted,
        )

    def _look(self) -> Ending | None:
        """See what the run uses now; returns how it ends if that is too much."""
        container = self._container
        tree, group = container.tree, container.group
        walls, limits = self._setup.walls, self._job.limits
        container.open_folders()
        memory_held = self._setup.holds("memory")
        cpu = group.cpu_seconds() if group else None
        if cpu is None or not memory_held:
            usage = look_at_tree(tree.init, memory=not memory_held)
            self._peak_memory = max(self._peak_memory, usage.memory_bytes)
            cpu = usage.cpu_seconds if cpu is None else cpu
        self._note_cpu_seconds(cpu)
        if walls.cpu_limit and self._cpu_seconds > limits.cpu_seconds:
            return Ending.TIMED_OUT
        if walls.memory_limit and not memory_held and self._peak_memory > limits.memory_bytes:
            return Ending.OUT_OF_MEMORY
        return self._too_many_files()

    def _note_cpu_seconds(self, total: float | None) -> None:
        if total is not None:
            used = total - self._container.cpu_seconds_before
            self._cpu_seconds = max(self._cpu_seconds, used)

    def _too_many_files(self) -> Ending | None:
        container = self._container
        own = len(self._job.files) + len(self._job.tools) + len(container.writable)
        used = _inodes(container.folders) - own
        if self._setup.walls.file_limits and used > self._job.limits.files:
            return Ending.TOO_MANY_FILES
        return None


def _inodes(folders: list[int]) -> int:
    """How many files and folders there are in folders that are file systems of their own."""
    states = map(os.fstatvfs, folders)
    return sum(state.f_files - state.f_ffree for state in states)
