"""Test files are read before anything runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.examples import Relation
from assay.checks.testfile import ParsedTests, Style, parse_tests
from assay.domain.task import TestFile
from assay.errors import BadInput


def parse(source: str) -> ParsedTests:
    return parse_tests(TestFile(name="test_it.py", source=source))


def test_groups_hold_what_their_calls_need_and_nothing_of_what_is_expected() -> None:
    parsed = parse(
        "from solution import f\n"
        "data = [1, 2]\n"
        "secret = 987654\n"
        "assert f(data) == secret\n"
        "def test_more():\n"
        "    text = 'x'\n"
        "    hidden = {'y': 2}\n"
        "    assert f(text) == hidden and f(3) == 4, 'why'\n"
    )
    assert parsed.groups is not None
    top, more = parsed.groups
    assert top.setup == "from solution import f\ndata = [1, 2]"
    assert [(one.call, one.expected) for one in top.comparisons] == [("f(data)", 987654)]
    assert more.name == "test_more"
    assert more.setup == "from solution import f\ntext = 'x'"
    assert [one.expected for one in more.comparisons] == [{"y": 2}, 4]
    assert parsed.tests == ("line 4", "test_more")


@pytest.mark.parametrize(
    ("kind", "name"), [("ValueError", "ValueError"), ("IOError", "OSError"), ("json.Bad", "Bad")]
)
def test_raises_is_judged_outside_by_the_name_that_the_class_bears(kind: str, name: str) -> None:
    parsed = parse(
        f"import pytest\ndef test_it():\n    with pytest.raises({kind}):\n        f(-1)\n"
    )
    assert parsed.groups is not None
    (comparison,) = parsed.groups[0].comparisons
    assert (comparison.call, comparison.relation) == ("f(-1)", Relation.RAISES)
    assert comparison.expected == (name,)


@pytest.mark.parametrize(
    "source",
    [
        "x = f(1)\nassert x == 2",
        "x = [1]\nx = [2]\nassert f(x) == 2",
        "x = [1]\nassert f(x) == x",
        "for i in range(3):\n    assert f(i) == i",
        "def helper():\n    return 1\nassert f(helper()) == 1",
        "def test_it(fixture):\n    assert f(1) == 2",
        "import pytest\n@pytest.mark.skip\ndef test_it():\n    assert f(1) == 2",
        "from pytest import approx\nassert f(1) == approx(2)",
        "import pytest\ndef test_it():\n    with pytest.raises(E, match='x'):\n        f(1)",
        "class TestIt:\n    def test_one(self):\n        assert f(1) == 2",
        "async def test_it():\n    assert f(1) == 2",
        "assert f(1) == f(2)",
        "from solution import E as Other\nimport pytest\n"
        "def test_it():\n    with pytest.raises(Other):\n        f(1)",
        "import pytest, socket\n"
        "def test_it():\n    with pytest.raises(socket.timeout):\n        f(1)",
        "if __name__ != '__main__':\n    assert f(1) == 2\nassert f(2) == 3",
    ],
)
def test_what_needs_the_solutions_process(source: str) -> None:
    assert parse(source).groups is None


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
        ("if __name__ == '__main__':\n    assert f(1)", "holds no test"),
        ("assert True", "holds no test"),
        ("assert f(1)\nassert (f(1) == 2, 'why')", "line 2 of test_it.py is true whatever"),
        ("def test_it():\n    assert f(1) == 2 or True", "line 2 of test_it.py is true whatever"),
    ],
)
def test_files_without_use_are_told_with_advice(source: str, advice: str) -> None:
    with pytest.raises(BadInput, match=advice):
        parse(source)


def test_comparisons_are_shown_as_they_were_written() -> None:
    parsed = parse("x = 'é'; assert  f('ü',\r\n  x) == 'ö', 'why'\n\x0cassert f(1)==2\n")
    assert parsed.groups is not None
    texts = [comparison.text for comparison in parsed.groups[0].comparisons]
    assert texts == ["f('ü',\n  x) == 'ö'", "f(1)==2"]


@pytest.mark.timeout(60)
def test_a_long_file_takes_linear_time() -> None:
    """Seconds; in quadratic time it would be many minutes."""
    parsed = parse("assert f(1) == 1\n" * 20_000)
    assert parsed.groups is not None
    assert len(parsed.groups[0].comparisons) == 20_000


@given(st.text())
def test_any_text_is_parsed_or_refused(source: str) -> None:
    try:
        parsed = parse(source)
    except BadInput:
        return
    assert parsed.tests
