"""Program tests: each case is a run of its own, compared here.

What is expected never enters the sandbox, and nothing that the program writes is believed beyond
being what it wrote, so hostile code can pass only by giving the right output.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from assay.checks.building import Build, build, with_outputs
from assay.checks.evidence import cut, of_run, outcome_of
from assay.checks.execution import find_missing
from assay.checks.program_differences import Difference, find_differences
from assay.checks.program_tests import Case, ProgramTests
from assay.checks.rig import Rig
from assay.domain.verdict import CheckName, Failure, Judged, Outcome, Verdict
from assay.sandbox.protocol import Job, Run

MAX_AT_ONCE = 8
MAX_TIMED_OUT = 3
"""After so many cases that ran out of time the rest is not run: it would take hours."""
OUTPUT_ROOM = 65536
"""Bytes of output that are kept beyond what is expected, to show where it differs."""
SHOWN_STDIN = 60


@dataclass
class _Tally:
    """What the cases came to. Of thousands of runs, with much output each, one is kept."""

    shown: tuple[Run, Job]
    """The first run that failed, else the first."""
    failures: dict[int, Failure] = field(default_factory=dict)
    """By the case's number."""
    ends: list[Outcome] = field(default_factory=list)
    """How the runs of cases that failed ended."""
    missing: list[tuple[str, ...]] = field(default_factory=list)
    """What each of them lacked."""
    compared: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0

    @property
    def outcome(self) -> Outcome:
        """The one outcome of all cases."""
        if not self.failures:
            return Outcome.PASSED
        if all(self.missing):
            return Outcome.COULD_NOT_RUN
        same = self.ends[0] if len(set(self.ends)) == 1 else Outcome.FAILED
        return Outcome.FAILED if same is Outcome.PASSED else same


async def judge_program(
    rig: Rig, tests: ProgramTests, on_case: Callable[[int, int], None]
) -> Verdict:
    """Run every case and compare what comes with what is expected.

    Args:
        rig: what runs them.
        tests: the cases.
        on_case: called with cases done and cases in all, for each hundredth of them.
    """
    built = await build(rig)
    tally = await _run_cases(rig, built, tests.cases, on_case)
    missing = tuple(dict.fromkeys(name for names in tally.missing for name in names))
    total = len(tests.cases)
    passed = total - len(tally.failures)
    summary = f"{passed} of {total} passed"
    if missing:
        summary += f"; could not run without {', '.join(missing)}"
    evidence = of_run(
        *tally.shown,
        summary=summary,
        total=total,
        passed=passed,
        compared=tally.compared,
        failures=tuple(failure for _, failure in sorted(tally.failures.items())),
        missing=missing,
    )
    spent = {
        "seconds": tally.seconds,
        "cpu_seconds": tally.cpu_seconds,
        "peak_memory_bytes": tally.peak_memory or None,
    }
    return Verdict(
        check=CheckName.TESTS,
        outcome=tally.outcome,
        judged=Judged.OUTSIDE,
        evidence=evidence.model_copy(update=spent),
    )


async def _run_cases(
    rig: Rig, built: Build | None, cases: Sequence[Case], on_case: Callable[[int, int], None]
) -> _Tally:
    """Run the first case, then the others, some at a time."""
    first = await _run_case(rig, built, cases[0])
    tally = _Tally(first)
    _count(tally, 0, cases[0], rig, *first)
    waiting = iter(enumerate(cases[1:], 1))
    total, finished = len(cases), itertools.count(2)

    async def work() -> None:
        for number, case in waiting:
            if tally.ends.count(Outcome.TIMED_OUT) < MAX_TIMED_OUT:
                _count(tally, number, case, rig, *await _run_case(rig, built, case))
            else:
                reason = "not run, since cases before it ran out of time"
                tally.failures[number] = Failure(test=_label(rig, case), message=reason)
            done = next(finished)
            if 100 * done // total > 100 * (done - 1) // total:
                on_case(done, total)

    workers = [asyncio.create_task(work()) for _ in range(_at_once())]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.wait(workers)
    return tally


def _at_once() -> int:
    """As many as there are processors for, within bounds: each may take all of its memory."""
    return min(max(2, len(os.sched_getaffinity(0))), MAX_AT_ONCE)


async def _run_case(rig: Rig, built: Build | None, case: Case) -> tuple[Run, Job]:
    files = rig.files
    own = {file.path for file in rig.subject.solution.files}
    files |= {path: text.encode() for path, text in case.files.items() if path not in own}
    limits = rig.limits
    if case.stdout is not None:
        room = len(case.stdout.encode()) + OUTPUT_ROOM
        limits = limits.model_copy(update={"output_bytes": max(limits.output_bytes, room)})
    job = with_outputs(rig.program_job(rig.subject.solution.main.path, files), built)
    job = replace(
        job,
        command=(*job.command, *case.args),
        stdin=case.stdin.encode(),
        limits=limits,
        collect=tuple(case.files_after),
    )
    return await rig.sandbox.run(job), job


def _count(tally: _Tally, number: int, case: Case, rig: Rig, run: Run, job: Job) -> None:
    tally.seconds += run.seconds
    tally.cpu_seconds += run.cpu_seconds
    tally.peak_memory = max(tally.peak_memory, run.peak_memory_bytes or 0)
    differences = find_differences(case, run)
    if not differences:
        tally.compared += case.expectations
        return
    if not tally.ends:
        tally.shown = run, job
    tally.ends.append(outcome_of(run))
    tally.missing.append(find_missing(rig, run.stderr.text))
    tally.failures[number] = _failure(_label(rig, case), differences)


def _failure(label: str, differences: Sequence[Difference]) -> Failure:
    shown = next((one for one in differences if one.expected), Difference())
    messages = "; ".join(one.message for one in differences if one.message)
    return Failure(test=label, expected=shown.expected, got=shown.got, message=cut(messages))


def _label(rig: Rig, case: Case) -> str:
    """What was run, as a person would type it."""
    command = shlex.join([rig.subject.solution.main.path, *case.args])
    if case.stdin:
        command += f", stdin {cut(case.stdin, SHOWN_STDIN)!r}"
    return cut(f"{case.name}: {command}" if case.name else command)
