"""Without a sandbox: the same protocol, and nothing held but time and output."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.errors import UnsafePath
from assay.sandbox.languages import get_language
from assay.sandbox.opening import open_sandbox
from assay.sandbox.protocol import SUPPORT, Ending, Job, Sandbox
from assay.sandbox.toolchains import find_toolchain


@pytest.fixture
def unprotected() -> Sandbox:
    return open_sandbox("none")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    python = find_toolchain(get_language("python"), Grants(), tmp_path)
    return Job((python.executable, "a.py"), python, limits=RunLimits(wall_seconds=5))


def test_it_says_that_nothing_protects_the_machine(unprotected: Sandbox) -> None:
    assert "nothing protects the machine" in unprotected.description


async def test_a_program_runs(unprotected: Sandbox, job: Job) -> None:
    code = b"""
import os, sys
os.write(int(os.environ["ASSAY_CHANNEL"]), b"data")
print(open("data.txt").read(), os.environ["GIVEN"], sys.stdin.read() == "")
sys.exit(3)
"""
    files = {"a.py": code, "data.txt": b"attached"}
    run = await unprotected.run(replace(job, files=files, env={"GIVEN": "x"}, channel=True))
    assert run.stdout.text == "attached x True\n", run.stderr.text
    assert (run.ending, run.exit_status, run.channel) == (Ending.EXITED, 3, b"data")


async def test_support_files_are_found_by_the_command(unprotected: Sandbox, job: Job) -> None:
    command = (job.toolchain.executable, f"{SUPPORT}/driver.py")
    support = {"driver.py": b"print('driven')"}
    run = await unprotected.run(replace(job, command=command, support=support))
    assert run.stdout.text == "driven\n"


async def test_keys_are_not_handed_on(
    unprotected: Sandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    code = b"import os\nprint('OPENAI_API_KEY' in os.environ)"
    assert (await unprotected.run(replace(job, files={"a.py": code}))).stdout.text == "False\n"


async def test_time_is_limited(unprotected: Sandbox, job: Job) -> None:
    code = b"import subprocess\nprint('on')\nsubprocess.run(['sleep', '60'])"
    limits = RunLimits(wall_seconds=1)
    run = await unprotected.run(replace(job, files={"a.py": code}, limits=limits))
    assert run.ending is Ending.TIMED_OUT
    assert run.stdout.text == "on\n"
    assert run.seconds < 30


async def test_a_signal_is_named(unprotected: Sandbox, job: Job) -> None:
    code = b"import ctypes\nctypes.string_at(0)"
    run = await unprotected.run(replace(job, files={"a.py": code}))
    assert (run.ending, run.exit_status, run.signal) == (Ending.SIGNALLED, None, "SIGSEGV")


async def test_a_child_that_holds_the_pipes_is_not_waited_for(
    unprotected: Sandbox, job: Job
) -> None:
    code = b"import subprocess\nsubprocess.Popen(['sleep', '60'])\nprint('done')"
    run = await unprotected.run(replace(job, files={"a.py": code}))
    assert run.ending is Ending.EXITED
    assert run.seconds < 4


async def test_cancelling_ends_the_program(unprotected: Sandbox, job: Job, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    code = f"import os, time\nos.symlink(str(os.getpid()), {str(place)!r})\ntime.sleep(1000)"
    run = asyncio.create_task(unprotected.run(replace(job, files={"a.py": code.encode()})))
    async with asyncio.timeout(30):
        while not place.is_symlink():  # noqa: ASYNC110 - another process sets no event
            await asyncio.sleep(0.005)
    pid = int(place.readlink().name)
    assert not run.done()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_unsafe_paths_are_refused(unprotected: Sandbox, job: Job) -> None:
    with pytest.raises(UnsafePath):
        await unprotected.run(replace(job, files={"../x": b""}))
