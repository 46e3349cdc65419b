"""Test files are read before anything runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.testfile import ParsedTests, Style, parse_tests
from assay.domain.task import TestFile
from assay.errors import BadInput

MAKES = "def make(n):\n    def test():\n        assert f(n)\n    return test\n"


def parse(source: str) -> ParsedTests:
    return parse_tests(TestFile(name="test_it.py", source=source))


@pytest.mark.parametrize(
    ("source", "style", "tests"),
    [
        ("assert f(1)\nassert f(2)", Style.PLAIN, ("line 1", "line 2")),
        ("def test_a():\n    f(1)", Style.PLAIN, ("test_a",)),
        ("import pytest\ndef test_a():\n    f(1)", Style.PYTEST, ("test_a",)),
        ("def test_a(tmp_path):\n    f(1)", Style.PYTEST, ("test_a",)),
        ("class TestA:\n    def test_b(self): f(1)", Style.PYTEST, ("TestA.test_b",)),
        (
            "from unittest import TestCase\nclass A(TestCase):\n    x = 1\n    def test_b(self): 1",
            Style.PLAIN,
            ("A.test_b",),
        ),
        ("if __name__ == '__main__':\n    assert f(2)\nassert f(1)", Style.PLAIN, ("line 3",)),
        (
            "from unittest import TestCase\nclass A(TestCase):\n    def test_b(self): 1\n"
            "class B(A):\n    def test_c(self): 1",
            Style.PLAIN,
            ("A.test_b", "B.test_c"),
        ),
        (
            "class TestA:\n    class TestB:\n        def test_c(self): f(1)",
            Style.PYTEST,
            ("TestA.TestB.test_c",),
        ),
        ("def setup_function(): 1\ndef test_a(): f(1)", Style.PYTEST, ("test_a",)),
        ("assert f(1)\nif f:\n    def test_a(): assert f(1)", Style.PYTEST, ()),
        (
            "try:\n    x\nexcept E:\n    class TestA: ...\ndef test_b(): 1",
            Style.PYTEST,
            ("test_b",),
        ),
        (
            "assert f(1)\nwith f(2):\n    def check(): assert f(1)",
            Style.PLAIN,
            ("line 1", "line 2"),
        ),
    ],
)
def test_styles_and_names(source: str, style: Style, tests: tuple[str, ...]) -> None:
    parsed = parse(source)
    assert (parsed.style, parsed.tests) == (style, tests)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("assert f(1 ==", "not Python \\(line 1"),
        ("\0", "not Python"),
        ("", "holds no test"),
        ("x = 1\ndef helper():\n    assert x", "holds no test"),
        ("import unittest\n", "holds no test"),
        ("if __name__ == '__main__':\n    print(f(1))", "holds no test"),
        ("assert True", "holds no test"),
        ("assert f(1)\nassert (f(1) == 2, 'why')", "line 2 of test_it.py is true whatever"),
        ("def test_it():\n    assert f(1) == 2 or True", "line 2 of test_it.py is true whatever"),
    ],
)
def test_files_without_use_are_told_with_advice(source: str, advice: str) -> None:
    with pytest.raises(BadInput, match=advice):
        parse(source)


@pytest.mark.timeout(60)
def test_a_long_file_takes_linear_time() -> None:
    """Seconds; in quadratic time it would be many minutes."""
    assert len(parse("assert f(1) == 1\n" * 20_000).tests) == 20_000


def test_a_file_is_read_once() -> None:
    assert parse("assert f(1) == 1") is parse("assert f(1) == 1")


@pytest.mark.parametrize(
    ("source", "statements", "later"),
    [
        ("x = f(1)\nassert x == 2", {1: "line 2"}, ()),
        ("def check(a):\n    assert a\ncheck(f(1))", {1: "line 3"}, ()),
        (
            "import asyncio\nasync def check():\n    assert await f(1)\nasyncio.run(check())",
            {2: "line 4"},
            (),
        ),
        ("assert f(1); assert f(2)", {0: "line 1", 1: "line 1"}, ()),
        ("def test_a():\n    assert f(1)\ntest_a()", {1: None}, ("test_a",)),
        (
            "import unittest\nclass A(unittest.TestCase):\n    def test_b(self): f(1)\n"
            "unittest.main()",
            {2: None},
            ("A",),
        ),
        ("assert f(1)\nif __name__ == '__main__':\n    assert f(2)", {0: "line 1", 1: None}, ()),
        ("if __name__ == '__main__':\n    assert f(1)", {0: "line 1"}, ()),
        (
            "def main():\n    assert f(1)\nif __name__ == '__main__':\n    main()",
            {1: "line 3"},
            (),
        ),
        (MAKES + "test_a = make(3)\ntest_cases = [make(1)]\n", {2: "line 6"}, ("test_a",)),
        ("def check():\n    assert f(1)\ntest_a = check", {}, ("test_a",)),
        ("def check():\n    assert f(1)\n    return 2\ntest_a = check()", {1: "line 4"}, ()),
    ],
)
def test_statements_that_are_tests_and_those_that_are_left_out(
    source: str, statements: dict[int, str | None], later: tuple[str, ...]
) -> None:
    parsed = parse(source)
    assert (parsed.statements, parsed.later) == (statements, later)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert f(1)", True),
        ("from solution import f\nassert f(1)", False),
        ("from solution import f\ndef test_it(a, *b, c=1):\n    assert f(a, b, c)", False),
        ("assert pow(2, 3) == 8", True),
        ("assert abs(2) == 2", False),
        ("from solution import f\nassert pow(f(2), 3) == 8", False),
    ],
)
def test_names_that_have_to_be_the_solutions(source: str, expected: bool) -> None:
    assert parse(source).wants_names({"solution"}, {"f", "pow"}) is expected


@given(st.text())
def test_any_text_is_parsed_or_refused(source: str) -> None:
    try:
        parsed = parse(source)
    except BadInput:
        return
    assert parsed.tests or parsed.style is Style.PYTEST
