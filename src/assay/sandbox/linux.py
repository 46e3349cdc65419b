"""The sandbox on Linux: bubblewrap, with limits from outside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from assay.sandbox.cgroups import Cgroups
from assay.sandbox.container import Container, Setup
from assay.sandbox.launch import run_alone, run_linked
from assay.sandbox.pool import Pool
from assay.sandbox.protocol import Job, Run
from assay.sandbox.seccomp import system_call_filter
from assay.sandbox.stand_ins import with_stand_ins
from assay.sandbox.supervision import Supervision
from assay.sandbox.walls import ALL_WALLS, Walls


class LinuxSandbox:
    """Runs each job in a bubblewrap of its own, prestarted where there is a pool."""

    def __init__(
        self, bubblewrap: str, version: str, cgroups: Cgroups | None, walls: Walls = ALL_WALLS
    ) -> None:
        """Use the bubblewrap at this path, and cgroups where there are any."""
        filtered = system_call_filter() if walls.system_calls else None
        self._setup = Setup(bubblewrap, cgroups, walls, filtered)
        self._version = version
        self._pool: Pool | None = None

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

    def open_pool(self, modules: tuple[str, ...] = (), *, refills: bool = True) -> None:
        """Have Pythons ready from now on; see `Sandbox.open_pool`."""
        self._pool = Pool(self._setup, modules, refills=refills)

    async def run(self, job: Job) -> Run:
        """Run `job` to its end; see `Sandbox.run`."""
        return await run_alone(self._launch, job)

    async def run_linked(self, tester: Job, solution: Job) -> tuple[Run, Run]:
        """Run both with a socket between them; see `Sandbox.run_linked`."""
        return await run_linked(self._launch, tester, solution)

    def expect(self, job: Job) -> None:
        """Have a runner ready for a job like `job`; see `Sandbox.expect`."""
        if self._pool:
            self._pool.expect(job)

    async def aclose(self) -> None:
        """End the runners of the pool."""
        if self._pool:
            pool, self._pool = self._pool, None
            await pool.aclose()

    @asynccontextmanager
    async def _launch(self, job: Job, inherited: Mapping[str, int]) -> AsyncIterator[Supervision]:
        job = with_stand_ins(job)
        given = await self._pool.start(job, inherited) if self._pool else None

        def start() -> Container:
            if given:
                return given
            container = Container(self._setup, job, inherited)
            if job.collect:
                # A program may end sooner than anyone looks, and its folders with it.
                container.open_folders(wait=True)
            container.release()
            return container

        with Supervision(self._setup, job, start) as run:
            yield run
