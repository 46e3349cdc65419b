"""Two programs with a socket between them."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from tests.processes import open_descriptors, processes_with, until

from assay.domain.limits import RunLimits
from assay.domain.task import Grants
from assay.sandbox.languages import get_language
from assay.sandbox.opening import open_sandbox
from assay.sandbox.protocol import Ending, Job, Sandbox
from assay.sandbox.toolchains import find_toolchain

LINK = "import os, socket, sys\nlink = socket.socket(fileno=int(os.environ['ASSAY_LINK']))\n"
ECHO = LINK + "while data := link.recv(100):\n    link.sendall(data.upper())\n"
ASK = LINK + "link.sendall(b'well')\nprint(link.recv(100))\n"
AWAIT_END = LINK + "print(link.recv(100))\n"


@pytest.fixture(params=["auto", "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return open_sandbox(request.param)


def job(code: str, **limits: float) -> Job:
    python = find_toolchain(get_language("python"), Grants(), Path())
    given = RunLimits(wall_seconds=60).model_copy(update=limits)
    files = {"a.py": code.encode()}
    return Job((python.executable, "a.py"), python, files, limits=given)


async def test_they_talk_and_the_solution_ends_with_its_tester(sandbox: Sandbox) -> None:
    tester, solution = await sandbox.run_linked(job(ASK), job(f"{ECHO}"))
    assert (tester.ending, tester.exit_status) == (Ending.EXITED, 0)
    assert tester.stdout.text == "b'WELL'\n"
    assert solution.ending in {Ending.STOPPED, Ending.EXITED}


async def test_a_solution_that_goes_on_is_stopped(sandbox: Sandbox) -> None:
    tester, solution = await sandbox.run_linked(job("print(1)"), job("while True:\n    pass"))
    assert tester.stdout.text == "1\n"
    assert solution.ending is Ending.STOPPED


@pytest.mark.parametrize(
    ("ends", "ending"),
    [
        ("raise SystemExit(3)", Ending.EXITED),
        ("os.kill(os.getpid(), 9)", Ending.SIGNALLED),
        ("import subprocess\nsubprocess.Popen(['sleep', '100'])", Ending.EXITED),
        ("sys.stdin.close()\nwhile True:\n    pass", Ending.TIMED_OUT),
    ],
)
async def test_the_tester_sees_the_solutions_end_and_goes_on(
    sandbox: Sandbox, ends: str, ending: Ending
) -> None:
    # Without a sandbox a child that the solution left behind is killed with it as well.
    tester, solution = await sandbox.run_linked(
        job(AWAIT_END), job(LINK + ends, wall_seconds=2 if ending is Ending.TIMED_OUT else 60)
    )
    assert tester.stdout.text == "b''\n"
    assert (tester.ending, tester.exit_status) == (Ending.EXITED, 0)
    assert solution.ending is ending


async def test_each_has_its_own_limits(sandbox: Sandbox) -> None:
    tester, solution = await sandbox.run_linked(job(AWAIT_END, wall_seconds=0.5), job(ECHO))
    assert tester.ending is Ending.TIMED_OUT
    assert solution.ending in {Ending.STOPPED, Ending.EXITED}


async def test_cancelling_ends_both(sandbox: Sandbox) -> None:
    mark = uuid.uuid4().hex
    tester, solution = (replace(job(code), env={"MARK": mark}) for code in (AWAIT_END, ECHO))
    before = open_descriptors()
    running = asyncio.create_task(sandbox.run_linked(tester, solution))
    await until(lambda: len(processes_with(mark)) >= 2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert processes_with(mark) == []
    assert len(open_descriptors()) <= len(before) + 1  # the guardian's, with the first run


async def test_tools_lie_beside_support_files(sandbox: Sandbox) -> None:
    python = find_toolchain(get_language("python"), Grants(), Path())
    run = await sandbox.run(
        Job(
            (python.executable, "/assay/drive.py"),
            python,
            support={"test.txt": b"read-only"},
            tools={"drive.py": b"import os, sys\nprint(sorted(os.listdir(sys.path[0])))"},
        )
    )
    assert run.stdout.text == "['drive.py', 'test.txt']\n"
