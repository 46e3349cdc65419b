"""The sandbox on Linux: bubblewrap, with limits from outside."""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass, field

from assay.errors import NoSandbox
from assay.sandbox.bubblewrap import WRITABLE, bubblewrap_options
from assay.sandbox.cgroups import Cgroup, Cgroups
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.endings import read_ending
from assay.sandbox.guardian import guarded_environment
from assay.sandbox.identity import Identity, identity_for
from assay.sandbox.output import Channel, Collector
from assay.sandbox.processes import look_at_tree
from assay.sandbox.protocol import CHANNEL_LIMIT, Ending, Job, Run
from assay.sandbox.pump import Pump
from assay.sandbox.rlimits import prlimit_options, resource_limits
from assay.sandbox.seccomp import system_call_filter
from assay.sandbox.stand_ins import with_stand_ins
from assay.sandbox.tree import StartFailed, Tree
from assay.sandbox.walls import ALL_WALLS, Walls

FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.1
"""Seconds between two looks at what a run uses: short at first, when most runs end."""


@dataclass
class _Seen:
    """What has been seen of a run so far."""

    stopped: Ending | None = None
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    folders: list[int] = field(default_factory=list)
    """Descriptors of the writable folders."""


class LinuxSandbox:
    """Runs each job in a bubblewrap of its own."""

    def __init__(
        self, bubblewrap: str, version: str, cgroups: Cgroups | None, walls: Walls = ALL_WALLS
    ) -> None:
        """Use the bubblewrap at this path, and cgroups where there are any."""
        self._bubblewrap = bubblewrap
        self._version = version
        self._cgroups = cgroups
        self._walls = walls
        self._filter = system_call_filter() if walls.system_calls else None

    @property
    def description(self) -> str:
        """Backend, version, and what holds each limit."""
        memory = "a cgroup" if self._holds("memory") else "RLIMIT_DATA and a watcher"
        processes = "a cgroup" if self._holds("pids") else "RLIMIT_NPROC"
        calls = "filtered" if self._filter else "not filtered"
        return (
            f"bubblewrap {self._version}; memory held by {memory}, processes by {processes}, "
            f"system calls {calls}"
        )

    def _holds(self, controller: str) -> bool:
        return self._cgroups is not None and self._cgroups.holds(controller)

    async def run(self, job: Job) -> Run:
        """Run `job` to its end; see `Sandbox.run`."""
        job = with_stand_ins(job)
        with Descriptors() as descriptors:
            stdout = Pump(Collector(job.limits.output_bytes), descriptors)
            stderr = Pump(Collector(job.limits.output_bytes), descriptors)
            channel = (
                Pump(Channel(CHANNEL_LIMIT), descriptors, inherited=True) if job.channel else None
            )
            pumps = [pump for pump in (stdout, stderr, channel) if pump]
            seen = _Seen()
            group = self._group(job)
            try:
                identity = self._identity(job)
                release, command, status = self._command(job, identity, channel, descriptors)
                tree = Tree.start(
                    command,
                    descriptors,
                    status=status,
                    stdout=stdout.theirs,
                    stderr=stderr.theirs,
                    user=identity.user,
                    env=self._outer_environment(),
                )
                code = None
                try:
                    # A setup that failed has ended already; its status says so below.
                    with suppress(ProcessLookupError):
                        self._limit(tree, job, identity, group)
                    for pump in pumps:
                        pump.start()
                    with suppress(BrokenPipeError):
                        os.write(release, b"x")
                    started = time.monotonic()
                    await self._watch(tree, job, group, seen, started + job.limits.wall_seconds)
                    seconds = time.monotonic() - started
                finally:
                    code = tree.bury()
                    for pump in pumps:
                        pump.finish()
                self._last_look(job, group, seen)
                kills = group.memory_kills() if group else 0
            except StartFailed as error:
                stderr.finish()
                raise _setup_failed(stderr.sink) from error
            finally:
                if group:
                    group.remove()
        said = stderr.sink.output()
        if code is None and seen.stopped is None:
            raise _setup_failed(stderr.sink)
        ending, exit_status, signal_name = (
            (seen.stopped, None, None)
            if seen.stopped
            else read_ending(
                job, code or 0, said.text, cpu_seconds=seen.cpu_seconds, memory_kills=kills
            )
        )
        return Run(
            ending,
            exit_status,
            signal_name,
            stdout.sink.output(),
            said,
            seconds,
            seen.cpu_seconds,
            seen.peak_memory or None,
            channel.sink.data if channel else b"",
            channel_cut=bool(channel and channel.sink.cut),
        )

    def _group(self, job: Job) -> Cgroup | None:
        """A group for the run, where groups hold its limits.

        Raises:
            NoSandbox: the kernel refuses it: without it nothing would hold them.
        """
        if self._cgroups is None:
            return None
        try:
            return self._cgroups.create(job.limits, self._walls)
        except OSError as error:
            raise NoSandbox(
                f"The kernel refuses a control group for a run ({error.strerror}), and without "
                "one nothing holds its memory. Run `assay doctor`, and try again."
            ) from error

    def _outer_environment(self) -> dict[str, str]:
        env = {} if self._walls.own_environment else dict(os.environ)
        return {**env, **guarded_environment()} if self._walls.dies_with_parent else env

    def _identity(self, job: Job) -> Identity:
        paths = [self._bubblewrap, *(outside for outside, _ in job.toolchain.binds)]
        return identity_for(paths, pids_cgroup=self._holds("pids"))

    def _command(
        self,
        job: Job,
        identity: Identity,
        channel: Pump[Channel] | None,
        descriptors: Descriptors,
    ) -> tuple[int, list[str], int]:
        """Make bubblewrap's command line.

        Returns:
            The pipe that releases the program, the command, the pipe that tells how it went.
        """
        status, their_status = descriptors.pipe_from_child()
        release, held = descriptors.pipe_to_child()
        options = bubblewrap_options(job, self._walls, descriptors)
        options += ["--json-status-fd", str(their_status), "--block-fd", str(held)]
        if self._filter:
            options += ["--seccomp", str(descriptors.data(self._filter))]
        if channel:
            options += ["--setenv", "ASSAY_CHANNEL", str(channel.theirs)]
        # Options go by a descriptor: values of variables never stand in a list of processes.
        given = descriptors.data(b"".join(os.fsencode(option) + b"\0" for option in options))
        command = [self._bubblewrap, "--args", str(given), "--", *job.command]
        if identity.prlimit:
            command = [identity.prlimit, *prlimit_options(self._rlimits(job)), *command]
        return release, command, status

    def _rlimits(self, job: Job) -> dict[int, tuple[int, int]]:
        return resource_limits(job.limits, self._walls, memory=not self._holds("memory"))

    def _limit(self, tree: Tree, job: Job, identity: Identity, group: Cgroup | None) -> None:
        if group:
            group.add(tree.init)
        if identity.user is None:
            for kind, limit in self._rlimits(job).items():
                resource.prlimit(tree.init, kind, limit)

    async def _watch(
        self, tree: Tree, job: Job, group: Cgroup | None, seen: _Seen, deadline: float
    ) -> None:
        """Look at the run until it has ended, or is over a limit and has been killed."""
        pause = FIRST_PAUSE
        while True:
            left = deadline - time.monotonic()
            if await tree.ended(max(0.0, min(pause, left))):
                return
            if left <= pause:
                seen.stopped = Ending.TIMED_OUT
            else:
                seen.stopped = self._look(tree, job, group, seen)
            if seen.stopped:
                tree.kill()
                return
            pause = min(2 * pause, LONGEST_PAUSE)

    def _look(self, tree: Tree, job: Job, group: Cgroup | None, seen: _Seen) -> Ending | None:
        """See what the run uses now; returns how it ends if that is too much."""
        if not seen.folders:
            seen.folders = tree.open_folders(WRITABLE)
        memory_held = self._holds("memory")
        cpu = group.cpu_seconds() if group else None
        if cpu is None or not memory_held:
            usage = look_at_tree(tree.init, memory=not memory_held)
            seen.peak_memory = max(seen.peak_memory, usage.memory_bytes)
            cpu = usage.cpu_seconds if cpu is None else cpu
        seen.cpu_seconds = max(seen.cpu_seconds, cpu)
        limits = job.limits
        if self._walls.cpu_limit and seen.cpu_seconds > limits.cpu_seconds:
            return Ending.TIMED_OUT
        if self._walls.memory_limit and not memory_held and seen.peak_memory > limits.memory_bytes:
            return Ending.OUT_OF_MEMORY
        return self._too_many_files(job, seen)

    def _too_many_files(self, job: Job, seen: _Seen) -> Ending | None:
        own = len(job.files) + len(WRITABLE)
        if self._walls.file_limits and _inodes(seen.folders) - own > job.limits.files:
            return Ending.TOO_MANY_FILES
        return None

    def _last_look(self, job: Job, group: Cgroup | None, seen: _Seen) -> None:
        if group:
            seen.cpu_seconds = group.cpu_seconds() or seen.cpu_seconds
            seen.peak_memory = group.peak_memory() or seen.peak_memory
        seen.stopped = seen.stopped or self._too_many_files(job, seen)


def _setup_failed(stderr: Collector) -> NoSandbox:
    return NoSandbox(
        "The sandbox could not be set up. Run `assay doctor` to see what is missing. "
        f"bubblewrap said: {stderr.output().text.strip()[-500:] or 'nothing'}"
    )


def _inodes(folders: list[int]) -> int:
    """How many files and folders there are in folders that are file systems of their own."""
    states = map(os.fstatvfs, folders)
    return sum(state.f_files - state.f_ffree for state in states)
