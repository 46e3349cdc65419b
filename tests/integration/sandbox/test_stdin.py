"""What a program reads from its standard input."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from assay.domain.limits import MIB
from assay.sandbox.protocol import Job, Run, Sandbox
from assay.sandbox.unprotected import UnprotectedSandbox

Runner = Callable[[Job], Awaitable[Run]]
MakeJob = Callable[..., Job]

COUNT = "import sys\nprint(sum(sys.stdin.buffer.read()))"
SPOIL = """
import os
for descriptor in (0, os.open("/proc/self/fd/0", os.O_RDWR)):
    for attempt in (lambda: os.write(descriptor, b"x"), lambda: os.ftruncate(descriptor, 1 << 20)):
        try:
            attempt()
            print("done")
        except OSError as error:
            print("refused")
"""


@pytest.mark.parametrize(
    "content", [b"", b"\0\xff\r\n", b"\1" * 4 * MIB], ids=["none", "bytes", "much"]
)
@pytest.mark.parametrize(
    "code", [COUNT, COUNT.replace("sys.stdin.buffer", "open('/dev/stdin','rb')")]
)
async def test_it_is_read_whole_and_then_at_its_end(
    run_job: Runner, python_job: MakeJob, content: bytes, code: str
) -> None:
    run = await run_job(replace(python_job(code), stdin=content))
    assert run.stdout.text == f"{sum(content)}\n", run.stderr.text


async def test_a_program_that_reads_nothing_of_it_ends(
    run_job: Runner, python_job: MakeJob
) -> None:
    run = await run_job(replace(python_job("print(1)"), stdin=b"x" * MIB))
    assert (run.exit_status, run.stdout.text) == (0, "1\n")


async def test_no_data_can_be_kept_in_it(run_job: Runner, python_job: MakeJob) -> None:
    run = await run_job(replace(python_job(SPOIL), stdin=b"abc"))
    assert run.stdout.text == "refused\n" * 4, run.stderr.text


async def test_each_of_several_runs_has_its_own(sandbox: Sandbox, python_job: MakeJob) -> None:
    jobs = [replace(python_job("print(input())"), stdin=b"%d" % number) for number in range(3)]
    for kind in (sandbox, UnprotectedSandbox()):
        runs = await asyncio.gather(*map(kind.run, jobs))
        assert [run.stdout.text for run in runs] == ["0\n", "1\n", "2\n"]
