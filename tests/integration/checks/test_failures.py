"""What is told of a test that failed: enough to see which case it was, and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.domain.verdict import Failure, Verdict

Check = Callable[..., dict[str, Verdict]]

TOTAL = "def total(xs, start=0):\n    if xs == [6]:\n        return 0\n    return start + sum(xs)\n"
PARAMETRIZED = """
import pytest
from solution import total
@pytest.mark.parametrize("xs, ys", [([1], 1), ([6], 6)])
def test_total(xs, ys):
    assert total(xs) == ys
"""
IN_A_LOOP = """
def test_total():
    for start in [0, 1]:
        for xs in [[1], [6]]:
            assert (
                total(xs, start=start) ==
                sum(xs) + start
            )
"""
AT_TOP_LEVEL = "for xs in [[1], [6]]:\n    assert total(xs) == sum(xs)\n"
BY_A_HELPER = """
def same(found, wanted):
    assert found == wanted
def test_total():
    for xs in [[1], [6]]:
        same(total(xs), sum(xs))
"""
IN_UNITTEST = """
import unittest
class A(unittest.TestCase):
    def test_total(self):
        for xs in [[1], [6]]:
            with self.subTest():
                self.assertEqual(
                    total(xs),
                    sum(xs),
                )
"""
IN_ALL = "cases = [[1], [6]]\nassert all(total(xs) == sum(xs) for xs in cases)\n"
WITH_A_MESSAGE = "for xs in [[6]]:\n    assert total(xs) == 6, 'six'\n"
RAISING = "for xs in [[1], ['a']]:\n    assert total(xs) == 1\n"


def fail(check: Check, tests: str) -> Failure:
    verdict = check(TOTAL, tests=tests, wall_seconds=20)["tests"]
    (failure,) = verdict.evidence.failures
    return failure


@pytest.mark.parametrize("before", ["", "import gc\n", "import pytest\n"])
@pytest.mark.parametrize(
    ("source", "where"),
    [
        (IN_A_LOOP, "xs = [6], start = 0"),
        (AT_TOP_LEVEL, "xs = [6]"),
        (BY_A_HELPER, "xs = [6]"),
        (IN_UNITTEST, "xs = [6]"),
        (IN_ALL, "cases = [[1], [6]]"),
        (WITH_A_MESSAGE, "xs = [6]"),
        (RAISING, "xs = ['a']"),
    ],
)
def test_the_values_of_the_case_are_told(
    check: Check, before: str, source: str, where: str
) -> None:
    if before == "import pytest\n" and "def test" not in source:
        source = f"def test_it():\n{''.join(f'    {line}' for line in source.splitlines(True))}"
    assert fail(check, before + source).where == where


def test_what_both_sides_show_is_not_told_again(check: Check) -> None:
    failure = fail(check, PARAMETRIZED)
    assert failure.test == "test_total[xs1-6]: total(xs) == ys"
    assert (failure.where, failure.expected, failure.got) == ("xs = [6]", "6", "0")


def test_an_assertion_of_many_lines_is_told_whole(check: Check) -> None:
    assert fail(check, IN_UNITTEST).test == (
        "A.test_total: self.assertEqual(\ntotal(xs),\nsum(xs),\n)"
    )


def test_long_values_are_told_by_their_beginning(check: Check) -> None:
    source = "for text in ['x' * 10_000]:\n    assert len(text) == total([3])\n"
    where = fail(check, source).where
    assert where.startswith("text = 'xxx")
    assert where.endswith("…")
    assert len(where) < 300


PLUS = "import os\nLIMIT = 9\ndef plus(a, b):\n    return a + b\nclass Sum:\n    pass\n"


@pytest.mark.parametrize("before", ["", "import gc\n", "import pytest\n"])
@pytest.mark.parametrize(
    "source",
    [
        "from calc import add, plus\ndef test_it(): assert add(1, 2) == 3\n",
        "import calc\ndef test_it(): assert calc.plus(1, 2) + calc.add(1, 2) == 6\n",
        "def test_it(): assert plus(1, 2) + add(1, 2) == 6\n",
    ],
)
def test_what_the_solution_lacks_is_said_with_what_it_has(
    check: Check, before: str, source: str
) -> None:
    verdict = check(PLUS, tests=before + source, wall_seconds=20)["tests"]
    assert verdict.outcome == "failed"
    (failure,) = verdict.evidence.failures
    assert failure.message == "the solution has no `add`; it has `LIMIT`, `plus`, `Sum`"


def test_what_an_example_wants_and_the_solution_lacks(check: Check) -> None:
    (failure,) = check(PLUS, examples=["pluss(1, 2) == 3"])["examples"].evidence.failures
    assert failure.message == "the solution has no `pluss`; it has `plus`, `LIMIT`, `Sum`"


def test_what_one_of_several_files_lacks(check: Check) -> None:
    files = {"shop/__init__.py": "", "shop/tax.py": "RATE = 2\n", "main.py": "import shop.tax\n"}
    source = "from shop.tax import rate\nassert rate == 2\n"
    (failure,) = check(files, tests=source)["tests"].evidence.failures
    assert failure.message == "the solution's shop/tax.py has no `rate`; it has `RATE`"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def add(a, b):\n    return helper(a)\n", "NameError: name 'helper' is not defined"),
        (
            "import math\ndef add(a, b):\n    return math.sinus(a)\n",
            "AttributeError: module 'math' has no attribute 'sinus'",
        ),
    ],
)
def test_what_the_solution_itself_misses_is_told_as_it_is(
    check: Check, code: str, message: str
) -> None:
    source = "from solution import add\nassert add(1, 2) == 3\n"
    (failure,) = check(code, tests=source)["tests"].evidence.failures
    assert failure.message.startswith(message)
