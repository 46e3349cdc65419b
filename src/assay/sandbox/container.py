"""A started bubblewrap with its limits and its pipes, whose program is held back until released."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from assay.errors import NoSandbox
from assay.sandbox.bubblewrap import WRITABLE, bubblewrap_options
from assay.sandbox.cgroups import Cgroup, Cgroups
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.guardian import guarded_environment
from assay.sandbox.identity import Identity, identity_for
from assay.sandbox.output import Channel, Collector
from assay.sandbox.protocol import CHANNEL_LIMIT, SUPPORT, Job
from assay.sandbox.pump import Pump
from assay.sandbox.rlimits import prlimit_options, resource_limits
from assay.sandbox.tree import StartFailed, Tree
from assay.sandbox.walls import Walls


@dataclass(frozen=True)
class Setup:
    """What containers are made with on this machine."""

    bubblewrap: str
    cgroups: Cgroups | None
    walls: Walls
    system_call_filter: bytes | None

    def holds(self, controller: str) -> bool:
        """Whether a control group holds it (`memory`, `pids`)."""
        return self.cgroups is not None and self.cgroups.holds(controller)

    def make_group(self, job: Job) -> Cgroup | None:
        """A group for one job, where groups hold its limits.

        Raises:
            NoSandbox: the kernel refuses it: without it nothing would hold them.
        """
        if self.cgroups is None:
            return None
        try:
            return self.cgroups.create(job.limits, self.walls)
        except OSError as error:
            raise NoSandbox(
                f"The kernel refuses a control group for a run ({error.strerror}), and without "
                "one nothing holds its memory. Run `assay doctor`, and try again."
            ) from error

    def identity(self, job: Job) -> Identity:
        """Whom the job runs as."""
        paths = [self.bubblewrap, *(outside for outside, _ in job.toolchain.binds)]
        return identity_for(paths, pids_cgroup=self.holds("pids"))

    def rlimits(self, job: Job) -> dict[int, tuple[int, int]]:
        """What the kernel holds for each process of the job."""
        return resource_limits(job.limits, self.walls, memory=not self.holds("memory"))

    def outer_environment(self) -> dict[str, str]:
        """The environment of bubblewrap itself."""
        env = {} if self.walls.own_environment else dict(os.environ)
        if not self.walls.dies_with_parent:
            return env
        return {**env, **guarded_environment(self.cgroups.own() if self.cgroups else ())}


class Container:
    """One job's bubblewrap and all that belongs to it; to be closed by whoever made it."""

    def __init__(
        self, setup: Setup, job: Job, inherited: Mapping[str, int], *, waits: bool = False
    ) -> None:
        """Set it up, in some milliseconds; see `Tree.start` for the thread to do it in.

        Args:
            setup: what to make it with.
            job: what is to be run.
            inherited: descriptors that the program gets, by the variable that has its number.
            waits: whether the program waits for another one, whose tools come later.

        Raises:
            NoSandbox: it cannot be set up.
            UnsafePath: a file of the job would lie outside its folder.
            BadInput: the job's files are too many or too large.
        """
        self.descriptors = descriptors = Descriptors()
        self.group: Cgroup | None = None
        self.writable = (*WRITABLE, SUPPORT) if waits else tuple(WRITABLE)
        """The folders that the program can write to, the working folder first."""
        self.folders: list[int] = []
        """Their descriptors, once they have been opened."""
        self.prestarted = waits
        self.cpu_seconds_before = 0.0
        """What was used before the job came."""
        try:
            self.stdout = Pump(Collector(job.limits.output_bytes), descriptors)
            self.stderr = Pump(Collector(job.limits.output_bytes), descriptors)
            self.channel = (
                Pump(Channel(CHANNEL_LIMIT), descriptors, inherited=True) if job.channel else None
            )
            self.group = setup.make_group(job)
            options = bubblewrap_options(job, setup.walls, descriptors, waits=waits)
            self._release, self.tree = self._start(setup, job, options, inherited)
        except BaseException:
            self.close()
            raise

    def release(self) -> None:
        """Let the program run."""
        with suppress(BrokenPipeError):
            os.write(self._release, b"x")

    def open_folders(self, *, wait: bool = False) -> None:
        """Open the writable folders, to see what is in them even after the end.

        Args:
            wait: until they are there, in some milliseconds; else not before.
        """
        if not self.folders:
            tree = self.tree
            find = tree.wait_for_folders if wait else tree.open_folders
            self.folders = find(self.writable)

    def open_channel(self) -> int:
        """Make the channel of a job that came later; returns the program's end, to be sent."""
        self.channel = Pump(Channel(CHANNEL_LIMIT), self.descriptors)
        return self.channel.theirs

    def listen(self) -> None:
        """Read what the program writes, as it comes."""
        for pump in self._pumps():
            pump.start()

    def bury(self) -> int | None:
        """Kill what is left and read what it has written.

        Returns:
            The program's exit status, 128 + n if signal n ended it; None if it was never started.
        """
        code = self.tree.bury()
        for pump in self._pumps():
            pump.finish()
        return code

    def close(self) -> None:
        """Let go of what belongs to it, once it is buried or if it never came up."""
        self.descriptors.close()
        if self.group:
            self.group.remove()

    def setup_failed(self) -> NoSandbox:
        """The error for a program that was never started."""
        return NoSandbox(
            "The sandbox could not be set up. Run `assay doctor` to see what is missing. "
            f"bubblewrap said: {self.stderr.sink.output().text.strip()[-500:] or 'nothing'}"
        )

    def _pumps(self) -> list[Pump[Collector] | Pump[Channel]]:
        return [self.stdout, self.stderr, *([self.channel] if self.channel else [])]

    def _start(
        self, setup: Setup, job: Job, options: list[str], inherited: Mapping[str, int]
    ) -> tuple[int, Tree]:
        descriptors = self.descriptors
        identity = setup.identity(job)
        status, their_status = descriptors.pipe_from_child()
        release, held = descriptors.pipe_to_child()
        options += ["--json-status-fd", str(their_status), "--block-fd", str(held)]
        if setup.system_call_filter:
            options += ["--seccomp", str(descriptors.data(setup.system_call_filter))]
        if self.channel:
            options += ["--setenv", "ASSAY_CHANNEL", str(self.channel.theirs)]
        for name, descriptor in inherited.items():
            descriptors.lend(descriptor)
            options += ["--setenv", name, str(descriptor)]
        # Options go by a descriptor: values of variables never stand in a list of processes.
        given = descriptors.data(b"".join(os.fsencode(option) + b"\0" for option in options))
        command = [setup.bubblewrap, "--args", str(given), "--", *job.command]
        if identity.prlimit:
            command = [identity.prlimit, *prlimit_options(setup.rlimits(job)), *command]
        try:
            tree = Tree.start(
                command,
                descriptors,
                status=status,
                stdin=descriptors.stdin(job.stdin),
                stdout=self.stdout.theirs,
                stderr=self.stderr.theirs,
                user=identity.user,
                env=setup.outer_environment(),
            )
        except StartFailed as error:
            self.stderr.drain()
            raise self.setup_failed() from error
        try:
            self._limit(tree, setup, job, identity)
        except ProcessLookupError:
            pass  # A setup that failed has ended already; its status says so in the end.
        except BaseException:
            # The end of the pipe that holds it back would let it run, without limits.
            tree.bury()
            raise
        return release, tree

    def _limit(self, tree: Tree, setup: Setup, job: Job, identity: Identity) -> None:
        if self.group:
            self.group.add(tree.init)
        if identity.user is None:
            for kind, limit in setup.rlimits(job).items():
                resource.prlimit(tree.init, kind, limit)
