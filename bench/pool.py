"""Checks with Pythons kept ready: from the job to the verdict, when the whole tree is dead.

Python's own start and import are taken in environments that hold nothing else, in turn with the
checks. A pause lets the next Python get ready before; the table says how often one was.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import cast

from assay.checks.execution import check_execution
from assay.checks.rig import Rig, make_rig
from assay.checks.subject import Subject
from assay.domain.limits import MIB
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Grants
from assay.sandbox.opening import open_sandbox
from assay.sandbox.processes import look_at_tree
from assay.sandbox.protocol import Job, Run, Sandbox
from bench.environments import make_environment
from bench.tables import Table, against, milliseconds

ROUNDS = 50
REFILL_SECONDS = 0.3
IMPORT_REFILL_SECONDS = 1.5
"""Pauses after a check, for the next Python to be ready: several times what it takes."""
SUSTAINED_SECONDS = 15.0
WORKERS = 2
LIGHT_LIMIT = 0.8
IMPORTED_LIMIT = 0.1
"""Times the start of Python, and times the import."""
MEMORY_LIMIT = 64 * MIB

PACKAGES = ("numpy", "pydantic", "langchain-core")
MODULES = ("numpy", "pydantic", "langchain_core.messages")


@dataclass
class _Noting:
    """A sandbox that notes whether its runs found a Python ready."""

    sandbox: Sandbox
    prestarted: list[bool] = field(default_factory=list)

    def __getattr__(self, name: str) -> object:
        return getattr(self.sandbox, name)

    async def run(self, job: Job) -> Run:
        run = await self.sandbox.run(job)
        self.prestarted.append(run.prestarted)
        return run


async def measure(
    rounds: int = ROUNDS,
    seconds: float = SUSTAINED_SECONDS,
    packages: tuple[str, ...] = PACKAGES,
    modules: tuple[str, ...] = MODULES,
) -> list[Table]:
    """Time single checks `rounds` times, and sustained ones for some `seconds`.

    Args:
        rounds: Of all single measures in turn.
        seconds: For each of the two sustained measures.
        packages: What the environment with packages has.
        modules: What is imported from it.
    """
    with TemporaryDirectory() as folder:
        bare = await asyncio.to_thread(make_environment, Path(folder, "bare"))
        full = await asyncio.to_thread(make_environment, Path(folder, "full"), packages)
        importing = f"import {', '.join(modules)}"
        light = await _singles(bare, "pass", (), rounds, REFILL_SECONDS)
        imported = await _singles(full, importing, modules, rounds, IMPORT_REFILL_SECONDS)
        plain = await _sustain(lambda: _start_python(bare, "pass"), seconds)
        async with _warm_rig("pass", None, ()) as (rig, noting):
            checks = await _sustain(lambda: _check(rig), seconds)
            ready = _share(noting)
        memory = await _memory_of_a_runner()
    return [
        Table(
            columns=("what", "median", "times plain Python", "found one ready", "target"),
            rows=(
                ("`python -I -c pass`", milliseconds(light.base), "1.0", "", ""),
                light.row("check `execution` of `pass`", LIGHT_LIMIT),
                (f"`python -I -c '{importing}'`", milliseconds(imported.base), "1.0", "", ""),
                imported.row("check `execution` of the same import", IMPORTED_LIMIT),
            ),
            note=(
                f"{rounds} rounds, each of them one run of each in turn; the packages "
                f"({', '.join(packages)}) are in an environment made for this. From the job to the "
                "verdict, when all of the run is dead."
            ),
        ),
        Table(
            columns=("sustained", "a second", "times plain Python", "found one ready"),
            rows=(
                (f"`python -I -c pass`, {WORKERS} at once", f"{plain:.0f}", "1.0", ""),
                (
                    f"check `execution` of `pass`, {WORKERS} at once",
                    f"{checks:.0f}",
                    f"{checks / plain:.2f}",
                    ready,
                ),
            ),
            note=f"For {seconds:g} s each; the checks' Pythons are replaced meanwhile.",
        ),
        Table(
            columns=("memory", "size", "target"),
            rows=(
                (
                    "a light Python that waits, with its sandbox",
                    f"{memory / MIB:.1f} MiB",
                    against(memory, MEMORY_LIMIT, "≤ 64 MiB"),
                ),
            ),
            note="Proportional set size: pages that processes share count once.",
        ),
    ]


@dataclass(frozen=True)
class _Singles:
    """Plain starts and checks, taken in turn."""

    base: float
    """Median seconds of the plain start."""
    check: float
    ready: str

    def row(self, what: str, limit: float) -> tuple[str, ...]:
        times = self.check / self.base
        target = against(times, limit, f"≤ {limit:g}")
        return (what, milliseconds(self.check), f"{times:.2f}", self.ready, target)


async def _singles(
    python: Path, code: str, modules: tuple[str, ...], rounds: int, pause: float
) -> _Singles:
    starts, checks = [], []
    granted = str(python) if modules else None
    await _start_python(python, code)  # leaves the compiled modules behind
    async with _warm_rig(code, granted, modules) as (rig, noting):
        for _ in range(rounds):
            await asyncio.sleep(pause)  # first, so that no refill slows the plain start
            starts.append(await _time(lambda: _start_python(python, code)))
            checks.append(await _time(lambda: _check(rig)))
        return _Singles(median(starts), median(checks), _share(noting))


@asynccontextmanager
async def _warm_rig(
    code: str, python: str | None, modules: tuple[str, ...]
) -> AsyncIterator[tuple[Rig, _Noting]]:
    """A rig for a program with a pool, after a first check that the pool has learnt from."""
    solution = Solution(language="python", files=(SolutionFile(path="main.py", code=f"{code}\n"),))
    noting = _Noting(open_sandbox("auto"))
    noting.sandbox.open_pool(modules)
    try:
        with TemporaryDirectory() as cache:
            subject = Subject(solution, grants=Grants(python=python))
            rig = await make_rig(subject, cast("Sandbox", noting), Path(cache))
            await _check(rig)
            noting.prestarted.clear()
            yield rig, noting
    finally:
        await noting.sandbox.aclose()


async def _check(rig: Rig) -> None:
    verdict = await check_execution(rig)
    if not verdict.passed:
        raise RuntimeError(f"the check did not pass: {verdict.evidence.summary}")


async def _start_python(python: Path, code: str) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = (str(python), "-I", "-c", code)
    await asyncio.to_thread(subprocess.run, command, env=env, check=True)


async def _time(run: Callable[[], Awaitable[None]]) -> float:
    started = time.perf_counter()
    await run()
    return time.perf_counter() - started


async def _sustain(run: Callable[[], Awaitable[None]], seconds: float) -> float:
    """How many a second end, with WORKERS at once."""
    started = time.perf_counter()
    ended = 0

    async def work() -> None:
        nonlocal ended
        while time.perf_counter() - started < seconds:
            await run()
            ended += 1

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    return ended / (time.perf_counter() - started)


async def _memory_of_a_runner() -> int:
    """Bytes of one Python that waits, with what its sandbox needs."""
    async with _warm_rig("pass", None, ()):
        await asyncio.sleep(REFILL_SECONDS)
        waiting = look_at_tree(os.getpid(), memory=True).memory_bytes
        own = _own_memory()
    return waiting - own


def _own_memory() -> int:
    for line in Path("/proc/self/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this system does not tell a process's share of memory")


def _share(noting: _Noting) -> str:
    return f"{sum(noting.prestarted)} of {len(noting.prestarted)}"
