"""Tests are taken out of what else a model writes with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.written_tests import MAX_TESTS, extract_tests
from assay.domain.solution import Solution, SolutionFile

ADD = Solution(
    language="python",
    files=(SolutionFile(path="solution.py", code="def add(a, b):\n    return a + b\n"),),
)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("assert add(1, 2) == 3", "assert add(1, 2) == 3\n"),
        ("def add(a, b):\n    return 3\nassert add(1, 2) == 3", "assert add(1, 2) == 3\n"),
        ("print(add(1, 2))\nassert add(1, 2) == 3\nadd(1, 1)", "assert add(1, 2) == 3\n"),
        ("import os\nos._exit(0)\nassert add(1, 2) == 3", "import os\nassert add(1, 2) == 3\n"),
        (
            "import unittest\n\n\nclass TestIt(unittest.TestCase):\n\n    def test_a(self):\n"
            "        self.assertEqual(add(1, 2), 3)\n\nif __name__ == '__main__':\n"
            "    unittest.main()",
            "import unittest\n\nclass TestIt(unittest.TestCase):\n\n    def test_a(self):\n"
            "        self.assertEqual(add(1, 2), 3)\n",
        ),
        ("x = add(1, 2)\nassert x == 3", "x = add(1, 2)\nassert x == 3\n"),
        ("print(add(1, 2))", ""),
        ("def add(a, b):\n    return a", ""),
        ("assert (", ""),
        ("", ""),
    ],
)
def test_what_is_kept(written: str, kept: str) -> None:
    assert extract_tests(written, ADD) == kept


def test_a_flood_of_tests_is_cut() -> None:
    flood = "".join(f"assert add({n}, 1) == {n + 1}\n" for n in range(1000))
    assert extract_tests(flood, ADD).count("assert") == MAX_TESTS


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    extract_tests(text, ADD)
