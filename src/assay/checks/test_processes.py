"""The processes of a test run: tests and solution in one, or each in its own and a link between.

A driver keeps the time itself, since it knows what takes it: importing the solution may take all
that one run may, and the tests as long again. The sandbox's limits on time are wider.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.checks.rig import Rig
from assay.domain.limits import MIB, RunLimits
from assay.sandbox.protocol import Job, Run

STARTING_SECONDS = 10
"""Added to twice a run's time: for interpreters to start on a busy machine."""

MIN_TESTER_MEMORY = 2048 * MIB
"""What tests may use in a process of their own, however little the solution may: those in a file
of 5 MB take half of it to be read."""

_DRIVER = "run_tests.py"
_DRIVER_MODULES = ("assay_tests.main", "assay_link.tester")
_PYTEST_MODULE = "assay_tests.find_pytest"
_SERVER = "solution_side.py"
_SERVER_MODULES = ("assay_link.serving",)

Binds = Sequence[tuple[str, str]]
"""(path outside, path inside)."""

Plan = Mapping[str, object]


async def run_in_process(
    rig: Rig, files: Mapping[str, bytes], plan: Plan, binds: Binds
) -> tuple[Run, Job]:
    """Run tests in one process with the solution.

    Args:
        rig: what runs it.
        files: what lies in the working folder.
        plan: what the driver has to know: the tests' source and how to run them.
        binds: what the tests need of this machine.
    """
    job = _tests_job(rig, files, binds)
    given = {"tests.json": json.dumps(plan).encode(), **_test_file(plan)}
    job = replace(job, support={**job.tools, **given}, tools={}, limits=_longer(rig.limits))
    return await rig.sandbox.run(job), job


async def run_outside(
    rig: Rig, files: Mapping[str, bytes], plan: Plan, binds: Binds
) -> tuple[Run, Job, Run]:
    """Run tests in a process that the solution's code never enters; see `run_in_process`.

    Returns:
        What became of the tests, their job, and what became of the solution.
    """
    tester, solution = _linked_jobs(rig, files, binds)
    tester = replace(
        tester, tools={**tester.tools, **_test_file(plan)}, stdin=json.dumps(plan).encode()
    )
    run, solution_run = await rig.sandbox.run_linked(tester, solution)
    return run, tester, solution_run


def _test_file(plan: Plan) -> dict[str, bytes]:
    """An empty file in the tests' place: pytest wants one, and reads nothing in it."""
    return {str(plan["file"]): b""}


def expect_outside(rig: Rig, binds: Binds) -> None:
    """Get the sandbox ready for `run_outside`."""
    for job in _linked_jobs(rig, rig.files, binds):
        rig.sandbox.expect(job)


def _linked_jobs(rig: Rig, files: Mapping[str, bytes], binds: Binds) -> tuple[Job, Job]:
    limits = _longer(rig.limits)
    attached = {one.name: one.content for one in rig.subject.attachments}
    tester = replace(
        _tests_job(rig, attached, binds),
        limits=limits.model_copy(
            update={
                "cpu_seconds": limits.wall_seconds,
                "memory_bytes": max(limits.memory_bytes, MIN_TESTER_MEMORY),
            }
        ),
        stand_ins=(),
    )
    server = rig.driver_job(_SERVER, files, *_SERVER_MODULES)
    return tester, replace(server, limits=limits, channel=False)


def _tests_job(rig: Rig, files: Mapping[str, bytes], binds: Binds) -> Job:
    modules = (*_DRIVER_MODULES, *((_PYTEST_MODULE,) if binds else ()))
    job = rig.driver_job(_DRIVER, files, *modules)
    toolchain = replace(job.toolchain, binds=(*job.toolchain.binds, *binds))
    return replace(job, toolchain=toolchain)


def _longer(limits: RunLimits) -> RunLimits:
    seconds = 2 * limits.wall_seconds + STARTING_SECONDS
    return limits.model_copy(update={"wall_seconds": seconds})
