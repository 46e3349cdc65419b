"""A Python that has started inside a container of its own, and waits there for one job."""

from __future__ import annotations

import asyncio
import marshal
import os
import resource
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from assay.domain.limits import RunLimits
from assay.sandbox.bubblewrap import check_files, run_environment, safe_path
from assay.sandbox.container import Container, Setup
from assay.sandbox.processes import look_at_tree
from assay.sandbox.protocol import SUPPORT, WORKING_FOLDER, Job, Toolchain

START_CPU_SECONDS = 60.0
"""What starting and importing may take beside the job's own limit."""
READY_SECONDS = 60.0
_READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "MALLOC_", "GLIBC_", "TZ")
"""Beginnings of names of variables that count only for a process that starts with them."""


@dataclass(frozen=True)
class Kind:
    """What jobs have in common that one and the same runner can take."""

    program: tuple[str, str]
    """The interpreter and the program's path, as they stand in the command."""
    toolchain: Toolchain
    limits: RunLimits
    modules: tuple[str, ...]
    """What is imported while there is time."""
    tools: Mapping[str, bytes]
    """Those of a job's tools that its modules are made of."""

    @classmethod
    def of(cls, job: Job, modules: tuple[str, ...]) -> Kind | None:
        """The kind of runner that a job can have; None where it has to start by itself.

        Args:
            job: what is to be run.
            modules: those to have ready where the job's files name them.
        """
        at_start = any(name.startswith(_READ_AT_START) for name in job.env)
        if job.toolchain.language != "python" or job.support or job.stand_ins or at_start:
            return None
        if len(job.command) < 2 or job.command[1].startswith("-"):
            return None
        source = b"".join(job.files.values())
        # Nothing is known yet of a program that is still empty.
        unknown = bool(job.files) and not source.strip()
        named = [name for name in modules if unknown or name.encode() in source]
        program = (job.command[0], job.command[1])
        packages = {name.partition(".")[0] for name in job.modules}
        tools = {
            path: content
            for path, content in job.tools.items()
            if path.partition("/")[0].removesuffix(".py") in packages
        }
        return cls(program, job.toolchain, job.limits, (*named, *job.modules), tools)

    def waiting(self) -> Job:
        """The job of a runner that waits."""
        toolchain = self.toolchain
        paths = [SUPPORT, *filter(None, [toolchain.env.get("PYTHONPATH")])]
        env = {
            "PYTHONPATH": os.pathsep.join(paths),
            "ASSAY_PROGRAM": self.program[1],
            "ASSAY_MODULES": " ".join(self.modules),
        }
        cpu_seconds = self.limits.cpu_seconds + START_CPU_SECONDS
        return Job(
            self.program,
            toolchain,
            env=env,
            tools={"sitecustomize.py": _waiting(), **self.tools},
            limits=self.limits.model_copy(update={"cpu_seconds": cpu_seconds}),
        )


class Runner:
    """One runner: it serves one job, and dies with it."""

    def __init__(self, setup: Setup, kind: Kind) -> None:
        """Start it, in some milliseconds; it dies with the thread that does.

        Raises:
            NoSandbox: it cannot be set up.
        """
        self._setup = setup
        self._kind = kind
        self._socket, theirs = socket.socketpair()
        with theirs:
            inherited = {"ASSAY_RUNNER": theirs.fileno()}
            try:
                self.container = Container(setup, kind.waiting(), inherited, waits=True)
            except BaseException:
                self._socket.close()
                raise
        self._socket.setblocking(False)
        self.container.release()
        self.container.open_folders(wait=True)

    async def ready(self) -> bool:
        """Wait until it waits for a job; False when it has broken."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(READY_SECONDS):
                said = await loop.sock_recv(self._socket, 1)
        except (OSError, TimeoutError):
            return False
        group = self.container.group
        used = group.cpu_seconds() if group else None
        if used is None:
            used = look_at_tree(self.container.tree.init, memory=False).cpu_seconds
        self.container.cpu_seconds_before = used
        return said == b"r"

    async def give(self, job: Job, inherited: Mapping[str, int]) -> bool:
        """Give it its job; False when it has broken, and is buried.

        Args:
            job: one of its kind.
            inherited: descriptors that the program gets, by the variable that tells it.

        Raises:
            UnsafePath: a file of the job would lie outside its folder.
            BadInput: the job's files are too many or too large.
        """
        try:
            self._send(job, inherited)
            # It may have been killed while it waited: from here on it is the job that was.
            taken = await asyncio.get_running_loop().sock_recv(self._socket, 1)
        except OSError:
            taken = b""
        except BaseException:
            self.bury()
            raise
        if not taken:
            self.bury()
        self._socket.close()
        return bool(taken)

    def _send(self, job: Job, inherited: Mapping[str, int]) -> None:
        check_files(job)
        files = {
            **{safe_path(WORKING_FOLDER, path): data for path, data in job.files.items()},
            **{
                safe_path(SUPPORT, path): data
                for path, data in job.tools.items()
                if path not in self._kind.tools
            },
        }
        descriptors = self.container.descriptors
        given = dict(inherited)
        if job.stdin:
            given["stdin"] = descriptors.stdin(job.stdin)
        if job.channel:
            given["ASSAY_CHANNEL"] = self.container.open_channel()
        header = marshal.dumps(
            {
                "files": [(path, len(data)) for path, data in files.items()],
                "env": run_environment(job),
                "arguments": list(job.command[2:]),
                "descriptors": list(given),
                "cpu": self._setup.rlimits(job).get(resource.RLIMIT_CPU),
            },
            2,  # every Python 3 reads it
        )
        whole = descriptors.data(b"%16d" % len(header), header, *files.values())
        socket.send_fds(self._socket, [b"j"], [whole, *given.values()])
        descriptors.close_for_child()

    def kill(self) -> None:
        """Break it."""
        self.container.tree.kill()

    def bury(self) -> None:
        """End it without a job."""
        self._socket.close()
        self.container.bury()
        self.container.close()


@cache
def _waiting() -> bytes:
    return (resources.files("assay.sandbox") / "drivers" / "waiting.py").read_bytes()
