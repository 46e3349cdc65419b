"""Generated tests are tried on a stub and on mutants before anybody believes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.checks.subject import Subject
from assay.checks.suites import SuiteReport, validate_suite
from assay.domain.limits import RunLimits
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile
from assay.sandbox.linux import LinuxSandbox

CLAMP = """def clamp(value, low, high):
    if low > high:
        raise ValueError("low is above high")
    if value < low:
        return low
    if value > high:
        return high
    return value
"""
GOOD = """import pytest


@pytest.mark.parametrize("value, wanted", [(5, 5), (0, 1), (10, 9), (1, 1)])
def test_values(value, wanted):
    assert clamp(value, 1, 9) == wanted


def test_bounds_that_make_no_sense():
    with pytest.raises(ValueError):
        clamp(1, 3, 2)
"""


@pytest.fixture
def validate(pooled: LinuxSandbox, tmp_path: Path) -> Any:
    async def run(tests: str, code: str = CLAMP, **more: Any) -> SuiteReport:
        file = SolutionFile(path="solution.py", code=code)
        subject = Subject(
            Solution(language="python", files=(file,)), run_limits=RunLimits(wall_seconds=2)
        )
        suite = TestFile(name="test_clamp.py", source=tests)
        return await validate_suite(subject, suite, pooled, tmp_path, **more)

    return run


async def test_good_tests_are_kept_with_the_mutants_that_they_find(validate: Any) -> None:
    report = await validate(GOOD)
    assert report.kept, report
    assert (report.total, report.passed) == (5, 5)
    assert report.mutants == 12
    assert report.killed >= 8
    assert len(report.survivors) == 12 - report.killed
    assert report == await validate(GOOD)


async def test_a_limit_holds(validate: Any) -> None:
    assert (await validate(GOOD, limit=3)).mutants == 3


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("clamp(1, 2, 3)\n", "holds no test"),
        ("assert (", "line 1"),
        ("assert clamp(1, 2, 3) or True\n", "true whatever"),
        ("def test_it():\n    clamp(1, 2, 3)\n", "code that does nothing"),
        ("def test_it():\n    while True:\n        assert clamp(1, 0, 2)\n", "come to an end"),
        ("import os\n\n\ndef test_it():\n    os._exit(0)\n", "end their own process"),
        ("def test_it():\n    assert clamp(5, 1, 9) in (5, None)\n", "code that does nothing"),
        ("def test_it():\n    assert clamp(5, 1, 9) is not None\n", r"Only \d+ of 12 wrong"),
        ("import nothing_like_it\nassert clamp(1, 2, 3) == 2\n", "cannot be run"),
    ],
)
async def test_tests_that_show_nothing_are_thrown_away(
    validate: Any, tests: str, reason: str
) -> None:
    report = await validate(tests)
    assert not report.kept, report
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(report.reason)


async def test_a_test_that_fails_on_the_solution_is_told_and_no_reason(validate: Any) -> None:
    report = await validate("assert clamp(5, 1, 9) == 5\nassert clamp(0, 1, 9) == 0\n")
    assert (report.total, report.passed) == (2, 1)
    assert list(report.failures) == ["clamp(0, 1, 9) == 0"]


async def test_where_the_solution_fails_everything_nothing_is_said_of_mutants(
    validate: Any,
) -> None:
    report = await validate("assert clamp(5, 1, 9) == 6\n")
    assert (report.kept, report.mutants) == (True, 0)


async def test_a_mutant_that_hangs_is_found_wrong(validate: Any) -> None:
    code = "def count(n):\n    while n > 0:\n        n -= 1\n    return n\n"
    report = await validate("assert count(3) == 0\nassert count(0) == 0\n", code)
    assert report.killed >= 1, report
    hanging = [one for one in report.survivors if "left out" in one or "becomes +" in one]
    assert not hanging
