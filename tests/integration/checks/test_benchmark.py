"""An improvement is one if it measures better, on work that its author never saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.checks.benchmark import PAIRS, Comparison, compare_runs
from assay.checks.subject import Subject
from assay.domain.limits import RunLimits
from assay.domain.solution import Solution, SolutionFile
from assay.domain.verdict import Outcome
from assay.sandbox.linux import LinuxSandbox

EXPONENTIAL = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
LINEAR = """def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
"""


@pytest.fixture
def compare(pooled: LinuxSandbox, tmp_path: Path) -> Any:
    def subject(code: str) -> Subject:
        file = SolutionFile(path="solution.py", code=code)
        solution = Solution(language="python", files=(file,))
        return Subject(solution, run_limits=RunLimits(wall_seconds=5))

    async def run(before: str, after: str, workload: str) -> Comparison:
        return await compare_runs(subject(before), subject(after), workload, pooled, tmp_path)

    return run


async def test_a_better_algorithm_is_better(compare: Any) -> None:
    found = await compare(EXPONENTIAL, LINEAR, "fib(22)")
    assert found.is_better, found
    assert found.seconds_after < found.seconds_before
    assert found.pairs == PAIRS
    assert found.to_verdict().outcome is Outcome.PASSED


async def test_a_worse_one_is_not(compare: Any) -> None:
    found = await compare(LINEAR, EXPONENTIAL, "fib(22)")
    assert not found.is_better
    assert found.to_verdict().outcome is not Outcome.PASSED


@pytest.mark.parametrize(
    ("after", "workload", "reason"),
    [
        (LINEAR.replace("range(n)", "range(n + 1)"), "fib(20)", "different results"),
        (f"{LINEAR}\n_fib = fib\n\n\ndef fib(n):\n    return _fib(n) if n < 9 else 0\n", "fib(20)",
         "different results"),
        (LINEAR, "fib('x')", "could not be done"),
        (LINEAR, "nothing(3)", "could not be done"),
        (LINEAR, "while True: pass", "no single expression"),
        (LINEAR, "", "no single expression"),
        (LINEAR, "1 + 1", "calls nothing"),
        (LINEAR, "fib(60)", "could not be done"),
        ("def fib(n):\n    raise SystemExit(0)\n", "fib(20)", "could not be done"),
    ],
)  # fmt: skip
async def test_what_cannot_be_measured_says_why(
    compare: Any, after: str, workload: str, reason: str
) -> None:
    found = await compare(EXPONENTIAL, after, workload)
    assert not found.is_better
    assert found.pairs == 0
    assert found.to_verdict().outcome is Outcome.COULD_NOT_RUN
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(found.reason)


async def test_a_clock_that_the_solution_sets_back_does_not_count(compare: Any) -> None:
    cheat = "import time\ntime.perf_counter = time.process_time = time.time = lambda: 0.0\n"
    found = await compare(LINEAR, cheat + EXPONENTIAL, "fib(22)")
    assert not found.is_better, found


async def test_the_work_may_be_assigned_or_printed(compare: Any) -> None:
    for workload in ("result = fib(20)", "print(fib(20))", " fib(20) \n"):
        assert (await compare(EXPONENTIAL, LINEAR, workload)).pairs == PAIRS
