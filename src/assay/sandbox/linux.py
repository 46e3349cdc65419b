"""The sandbox on Linux: bubblewrap, with limits from outside."""

from __future__ import annotations

from assay.sandbox.cgroups import Cgroups
from assay.sandbox.container import Container, Setup
from assay.sandbox.launch import run_alone, run_linked
from assay.sandbox.protocol import Job, Run
from assay.sandbox.seccomp import system_call_filter
from assay.sandbox.stand_ins import with_stand_ins
from assay.sandbox.supervision import Supervision
from assay.sandbox.walls import ALL_WALLS, Walls


class LinuxSandbox:
    """Runs each job in a bubblewrap of its own."""

    def __init__(
        self, bubblewrap: str, version: str, cgroups: Cgroups | None, walls: Walls = ALL_WALLS
    ) -> None:
        """Use the bubblewrap at this path, and cgroups where there are any."""
        filtered = system_call_filter() if walls.system_calls else None
        self._setup = Setup(bubblewrap, cgroups, walls, filtered)
        self._version = version

    @property
    def description(self) -> str:
        """Backend, version, and what holds each limit."""
        memory = "a cgroup" if self._setup.holds("memory") else "RLIMIT_DATA and a watcher"
        processes = "a cgroup" if self._setup.holds("pids") else "RLIMIT_NPROC"
        calls = "filtered" if self._setup.system_call_filter else "not filtered"
        return (
            f"bubblewrap {self._version}; memory held by {memory}, processes by {processes}, "
            f"system calls {calls}"
        )

    async def run(self, job: Job) -> Run:
        """Run `job` to its end; see `Sandbox.run`."""
        return await run_alone(self._launch, job)

    async def run_linked(self, tester: Job, solution: Job) -> tuple[Run, Run]:
        """Run both with a socket between them; see `Sandbox.run_linked`."""
        return await run_linked(self._launch, tester, solution)

    async def aclose(self) -> None:
        """Nothing is kept between runs."""

    def _launch(self, job: Job, link: int | None) -> Supervision:
        job = with_stand_ins(job)
        return Supervision(self._setup, job, lambda: Container(self._setup, job, link))
