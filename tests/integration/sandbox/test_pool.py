"""The pool: who gets a runner, what is kept, and that none is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.processes import open_descriptors, processes_with, until

from assay.domain.limits import MIB, RunLimits
from assay.domain.task import Grants
from assay.errors import NoSandbox
from assay.sandbox import pool as pool_module
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import find_cgroups
from assay.sandbox.guardian import MARK
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.pool import MOST_RUNNERS
from assay.sandbox.processes import look_at_tree
from assay.sandbox.protocol import Ending, Job
from assay.sandbox.runner import Runner
from assay.sandbox.toolchains import find_toolchain

OURS = f"{MARK}={os.getpid()}-"
"""In the environment of bubblewrap, and so of the first process of each runner."""

OWNER = """
import asyncio, sys
from pathlib import Path
from assay.domain.task import Grants
from assay.sandbox.bubblewrap import find_bubblewrap
from assay.sandbox.cgroups import find_cgroups
from assay.sandbox.languages import get_language
from assay.sandbox.linux import LinuxSandbox
from assay.sandbox.protocol import Job
from assay.sandbox.toolchains import find_toolchain

python = find_toolchain(get_language("python"), Grants(), Path())

async def main():
    sandbox = LinuxSandbox(*find_bubblewrap(), find_cgroups())
    sandbox.open_pool()
    jobs = [Job((python.executable, f"{n}.py"), python, {f"{n}.py": b""}) for n in range(4)]
    for job in jobs:
        sandbox.expect(job)
    if sys.argv[1] == "full":
        await asyncio.gather(*map(sandbox.run, jobs))
        for job in jobs:
            sandbox.expect(job)
        await asyncio.sleep(0.5)
    print("ready", flush=True)
    while True:
        await sandbox.run(jobs[0])

asyncio.run(main())
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    python = find_toolchain(get_language("python"), Grants(), tmp_path)
    return Job((python.executable, "a.py"), python, {"a.py": b"print(1)"})


def waiting(sandbox: LinuxSandbox) -> list[int]:
    """The first process of each runner that waits."""
    assert sandbox._pool
    return [r.container.tree.init for one in sandbox._pool._stocks for r in one.ready]


def is_there(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


async def test_the_first_job_starts_by_itself_and_the_next_is_given_a_runner(
    pooled: LinuxSandbox, job: Job
) -> None:
    runs = [await pooled.run(job) for _ in range(4)]
    assert [run.prestarted for run in runs] == [False, True, True, True]
    assert {run.stdout.text for run in runs} == {"1\n"}


async def test_nothing_is_started_before_it_is_likely_to_be_used(
    pooled: LinuxSandbox, job: Job
) -> None:
    assert pooled._pool
    assert not pooled._pool._stocks
    single = LinuxSandbox(*find_bubblewrap(), find_cgroups())
    single.expect(job)
    assert not (await single.run(job)).prestarted


@pytest.mark.parametrize(
    "change",
    [
        {"support": {"test.py": b"pass"}},
        {"env": {"PYTHONOPTIMIZE": "1"}},
        {"stand_ins": ("openai",)},
        {"command": ("-c", "print(1)")},
    ],
)
async def test_what_counts_from_the_start_is_started_by_itself(
    pooled: LinuxSandbox, job: Job, change: dict[str, object]
) -> None:
    if "command" in change:
        change = {"command": (job.command[0], "-c", "print(1)")}
    other = replace(job, **change)  # type: ignore[arg-type]
    pooled.expect(other)
    run = await pooled.run(other)
    assert (run.prestarted, run.stdout.text) == (False, "1\n")


async def test_other_limits_and_other_programs_get_other_runners(
    pooled: LinuxSandbox, job: Job
) -> None:
    pooled.expect(job)
    code = b"import resource\nprint(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    larger = replace(job, files={"a.py": code}, limits=RunLimits(open_files=300))
    assert (await pooled.run(larger)).stdout.text == "300\n"
    assert (await pooled.run(larger)).stdout.text == "300\n"
    assert (await pooled.run(job)).prestarted


async def test_modules_are_ready_for_programs_that_name_them(
    pooled: LinuxSandbox, job: Job
) -> None:
    await pooled.aclose()
    pooled.open_pool(("json",))
    for code, there in ((b"import sys\n'js' + 'on' in sys.modules", False), (b"json", True)):
        source = b"import sys\nprint('js' + 'on' in sys.modules)\n#" + code.splitlines()[-1]
        wanted = replace(job, files={"a.py": source})
        pooled.expect(wanted)
        run = await pooled.run(wanted)
        assert (run.prestarted, run.stdout.text) == (True, f"{there}\n")


async def test_as_many_as_were_wanted_at_a_time_and_no_more_than_there_may_be(
    pooled: LinuxSandbox, job: Job
) -> None:
    def number(code: str) -> Job:
        return replace(job, files={"a.py": code.encode()})

    runs = await asyncio.gather(*(pooled.run(number(f"print({n})")) for n in range(40)))
    assert [run.stdout.text for run in runs] == [f"{n}\n" for n in range(40)]
    await until(lambda: len(waiting(pooled)) == MOST_RUNNERS)
    runs = await asyncio.gather(*(pooled.run(job) for _ in range(MOST_RUNNERS)))
    assert all(run.prestarted for run in runs)


async def test_a_kind_that_was_not_used_for_longest_makes_room(
    pooled: LinuxSandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MOST_RUNNERS", 1)
    other = replace(job, command=(job.command[0], "b.py"), files={"b.py": b"print(2)"})
    pooled.expect(job)
    await until(lambda: waiting(pooled))
    first = waiting(pooled)
    pooled.expect(other)
    await until(lambda: waiting(pooled) and waiting(pooled) != first)
    assert (await pooled.run(other)).prestarted


async def test_kinds_that_do_not_come_again_are_forgotten(
    pooled: LinuxSandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MEMORY_LEFT", 1 << 60)
    for number in range(100):
        pooled.expect(replace(job, command=(job.command[0], f"{number}.py")))
    assert pooled._pool
    assert len(pooled._pool._stocks) <= pool_module.MOST_EMPTY
    assert (await pooled.run(job)).stdout.text == "1\n"


async def test_none_is_started_where_memory_is_short(
    pooled: LinuxSandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MEMORY_LEFT", 1 << 60)
    pooled.expect(job)
    assert not (await pooled.run(job)).prestarted


async def test_a_runner_that_was_killed_while_it_waited_costs_no_job(
    pooled: LinuxSandbox, job: Job
) -> None:
    pooled.expect(job)
    await until(lambda: waiting(pooled))
    for init in waiting(pooled):
        os.kill(init, signal.SIGKILL)
    await until(lambda: not processes_with(OURS))
    runs = [await pooled.run(job) for _ in range(3)]
    assert [run.stdout.text for run in runs] == ["1\n"] * 3
    assert runs[-1].prestarted


async def test_those_that_are_not_wanted_any_more_are_ended(
    pooled: LinuxSandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.gather(*(pooled.run(job) for _ in range(4)))
    await until(lambda: len(waiting(pooled)) == 4)
    before = waiting(pooled)
    monkeypatch.setattr(pool_module, "LATELY", 0.01)
    assert pooled._pool
    assert pooled._pool._shrinking, "the pool looks by itself"
    pooled._pool._shrinking.cancel()
    pooled._pool._shrink()
    assert len(waiting(pooled)) == 1
    await until(lambda: [init for init in before if is_there(init)] == waiting(pooled))
    assert (await pooled.run(job)).prestarted


async def test_after_a_start_that_failed_another_is_tried(
    pooled: LinuxSandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "FIRST_PAUSE", 0.0)
    fails = iter([True, True])

    def make(*arguments: Any) -> Runner:
        if next(fails, False):
            raise OSError("no memory just now")
        return Runner(*arguments)

    monkeypatch.setattr(pool_module, "Runner", make)
    runs = []
    for _ in range(3):
        pooled.expect(job)
        runs.append(await pooled.run(job))
    assert runs[-1].prestarted


async def test_cancelling_a_start_loses_no_descriptor(job: Job) -> None:
    pooled = LinuxSandbox(*find_bubblewrap(), find_cgroups())
    for delay in (0.0, 0.002, 0.01, 0.03):
        open_before = open_descriptors()
        pooled.open_pool()
        pooled.expect(job)
        assert pooled._pool
        (start,) = pooled._pool._starts
        await asyncio.sleep(delay)
        start.cancel()
        await asyncio.gather(start, return_exceptions=True)
        await pooled.aclose()
        assert open_descriptors() == open_before
        assert not processes_with(OURS)


async def test_a_program_that_cannot_be_prestarted_is_not_tried_each_time(
    pooled: LinuxSandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "FIRST_PAUSE", 600.0)
    made: list[Runner] = []

    def make(*arguments: Any) -> Runner:
        made.append(Runner(*arguments))
        return made[-1]

    monkeypatch.setattr(pool_module, "Runner", make)
    toolchain = replace(job.toolchain, env={**job.toolchain.env, "PYTHONHOME": "/nowhere"})
    broken = replace(job, toolchain=toolchain)
    pooled.expect(broken)
    runs = [await pooled.run(broken) for _ in range(3)]
    assert all(run.exit_status == 1 and not run.prestarted for run in runs)
    assert len(made) == 1
    assert not waiting(pooled)


async def test_a_bubblewrap_that_fails_says_so_for_the_job(job: Job, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no user namespaces >&2\nexit 1\n")
    broken.chmod(0o755)
    pooled = LinuxSandbox(str(broken), "0", find_cgroups())
    pooled.open_pool()
    pooled.expect(job)
    for _ in range(2):
        with pytest.raises(NoSandbox, match="no user namespaces"):
            await pooled.run(job)
    await pooled.aclose()


async def test_linked_runs_are_given_runners_too(pooled: LinuxSandbox, job: Job) -> None:
    link = "import os, socket\nlink = socket.socket(fileno=int(os.environ['ASSAY_LINK']))\n"
    tester = replace(job, files={"a.py": f"{link}link.send(b'x')\nprint(link.recv(9))".encode()})
    echo = f"{link}while data := link.recv(9):\n    link.send(data)"
    solution = replace(job, command=(job.command[0], "b.py"), files={"b.py": echo.encode()})
    pooled.expect(tester)
    pooled.expect(solution)
    first, second = await pooled.run_linked(tester, solution)
    assert first.stdout.text == "b'x'\n"
    assert first.prestarted
    assert second.prestarted
    assert second.ending is Ending.EXITED


async def test_a_light_runner_is_light(pooled: LinuxSandbox, job: Job) -> None:
    pooled.expect(job)
    await until(lambda: waiting(pooled))
    used = [look_at_tree(init, memory=True).memory_bytes for init in waiting(pooled)]
    assert max(used) < 64 * MIB


async def test_closing_leaves_nothing(job: Job) -> None:
    cgroups = find_cgroups()
    pooled = LinuxSandbox(*find_bubblewrap(), cgroups)
    for delay in (0.0, 0.01, 0.03, 0.5):
        pooled.open_pool()
        open_before = open_descriptors()
        for name in ("a.py", "b.py", "c.py"):
            pooled.expect(replace(job, command=(job.command[0], name)))
        await asyncio.sleep(delay)
        await pooled.aclose()
        assert not processes_with(OURS)
        assert open_descriptors() == open_before
    for folder in set(cgroups.parents.values()) if cgroups else ():
        assert not list(folder.glob(f"assay-{os.getpid()}-*"))


async def test_cancelling_a_job_that_waits_for_a_runner_loses_none(
    pooled: LinuxSandbox, job: Job
) -> None:
    for delay in (0.0, 0.005, 0.015, 0.03):
        pooled.expect(job)
        run = asyncio.create_task(pooled.run(job))
        await asyncio.sleep(delay)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
    await pooled.aclose()
    assert not processes_with(OURS)


@pytest.mark.parametrize("moment", ["full", "refilling"])
async def test_no_runner_outlives_an_assay_that_was_killed(moment: str) -> None:
    for delay in (0.0, 0.01, 0.02, 0.05):
        command = [sys.executable, "-c", OWNER, moment]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as owner:  # noqa: ASYNC220
            assert owner.stdout
            assert owner.stdout.readline() == b"ready\n"
            if moment == "full":
                assert len(processes_with(f"{MARK}={owner.pid}-")) >= 4
            await asyncio.sleep(delay)
            owner.kill()
        await until(lambda: not processes_with(f"{MARK}={owner.pid}-"))
