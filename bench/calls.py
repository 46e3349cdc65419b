"""Calls across the pipe between tests and solution: how many are judged in a second."""

from __future__ import annotations

import time
from statistics import median

from assay.checks.subject import Subject
from assay.client import Assay
from assay.domain.answer import Status
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile
from bench.tables import Table

ROUNDS = 7
CALLS = 20_000
LEAST = 5000
"""A second."""

CODE = "def double(number):\n    return 2 * number\n"
TESTS = "for number in range({calls}):\n    assert double(number) == 2 * number\n"


async def measure(rounds: int = ROUNDS, calls: int = CALLS) -> list[Table]:
    """Check a function with one call and with many, in turn; the calls take the difference."""
    few, many = [], []
    async with Assay() as assay:
        await _seconds(assay, 1)
        for _ in range(rounds):
            few.append(await _seconds(assay, 1))
            many.append(await _seconds(assay, 1 + calls))
    per_call = median(more - less for less, more in zip(few, many, strict=True)) / calls
    return [
        Table(
            columns=("calls a second", "a call", "target"),
            rows=(
                (
                    f"{1 / per_call:,.0f}",
                    f"{per_call * 1e6:.0f} µs",
                    f"≥ {LEAST:,}: {'met' if 1 / per_call >= LEAST else 'missed'}",
                ),
            ),
            note=(
                f"A test with a loop of {calls:,} calls, each with an assertion, less the same "
                f"test with one; medians of {rounds}. Both are judged outside."
            ),
        )
    ]


async def _seconds(assay: Assay, calls: int) -> float:
    solution = Solution(language="python", files=(SolutionFile(path="solution.py", code=CODE),))
    tests = (TestFile(name="tests.py", source=TESTS.format(calls=calls)),)
    started = time.perf_counter()
    report = await assay.check(Subject(solution=solution, tests=tests))
    seconds = time.perf_counter() - started
    if report.judgement.status is not Status.VERIFIED:
        raise RuntimeError(f"the calls were not judged outside: {report.judgement.headline}")
    return seconds
