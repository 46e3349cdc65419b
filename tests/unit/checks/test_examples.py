"""Examples as the user gives them, and those that stand in the request."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.examples import as_test_file, parse_example
from assay.checks.requested import MAX_FOUND, find_examples
from assay.checks.testfile import parse_tests
from assay.errors import BadInput


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("f(1, 2) == 3", "f(1, 2) == 3"),
        ("assert f(1) == 3", "f(1) == 3"),
        ("f(1) -> 2", "f(1) == 2"),
        (" not f(1) ", "not f(1)"),
        ("f(\n 1) == 2", "f(\n 1) == 2"),
        ("any(x == 3 for x in f())", "any(x == 3 for x in f())"),
    ],
)
def test_an_example_is_an_expression(text: str, expression: str) -> None:
    assert parse_example(text) == expression


def test_examples_are_asserts_of_one_file() -> None:
    file = as_test_file(["f(1) == 2  # two", "f(\n 1)"])
    assert file.source == "assert (f(1) == 2)\nassert (f(\n 1))\n"
    assert parse_tests(file).tests == ("line 1", "line 2")


@pytest.mark.parametrize("after", ["  # doubled", ";", " ; # done"])
def test_what_comes_after_the_expression_is_left_out(after: str) -> None:
    assert parse_example("f(1) == g(2)" + after) == "f(1) == g(2)"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "not a Python expression"),
        ("f(1", "not a Python expression"),
        ("x = f(1)", "not a Python expression"),
        ("1 == 1", "calls nothing"),
        ("f(1) == 2, f(2) == 3", "whatever the code does"),
        ("assert f(1), 2", "whatever the code does"),
        ("[f(1)]", "whatever the code does"),
        ("{f(1): 2}", "whatever the code does"),
        ("f(1) == 2 or True", "whatever the code does"),
        ("(f(1), 2) and 'x'", "whatever the code does"),
        ("lambda: f(1) == 2", "whatever the code does"),
        ("(f(x) == 2 for x in [1])", "whatever the code does"),
        ("f(1) == 2\nf(2) == 3", "not a Python expression"),
        ("f(" + "1," * 6000 + ") == 1", "--tests"),
        ("(" * 3000 + ")" * 3000, "not a Python expression"),
    ],
)
def test_bad_examples_come_with_advice(text: str, advice: str) -> None:
    with pytest.raises(BadInput, match=advice):
        parse_example(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write f such that f(1) == 2 and f(2) == 3.", ["f(1) == 2", "f(2) == 3"]),
        ("`add(1, 2) -> 3`", ["add(1, 2) == 3"]),
        ("add(1, 2) → 3", ["add(1, 2) == 3"]),
        ("`is_even(2)` returns `True`", ["is_even(2) == True"]),
        ("For example, add(1, 2) should return 3.", ["add(1, 2) == 3"]),
        (">>> f([1, 2])\n[2, 1]\n", ["f([1, 2]) == [2, 1]"]),
        ("  - f('a)', x=1) returns {'a': [1, ')']};", ["f('a)', x=1) == {'a': [1, ')']}"]),
        ("assert f(1) == -2.5e3", ["f(1) == -2.5e3"]),
        ("g(1) == 2, g(1) == 2", ["g(1) == 2"]),
        ("f(1) == set()", ["f(1) == set()"]),
        ("f(1) == 2  # doubled", ["f(1) == 2"]),
    ],
)
def test_unmistakable_examples_are_found(text: str, found: list[str]) -> None:
    assert list(find_examples(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "write f(x) that returns x",
        "f(x) == 4",
        "f(3) returns 5 items",
        "f(1) returns 2 or 3",
        "f(1) == 2 * x",
        "f(1) == 2.5.1",
        "if f(1) == 2 then stop",
        "f(1) should not return 2",
        "currently f(1) returns 2, which is wrong",
        "f(1) returns 2 but should return 3",
        "it never happens that f(1) == 2",
        "x = f(1) == 2",
        "obj.f(1) == 2",
        "len('ab') == 2",
        "f(1) == 2\nf(1) == 3",
        ">>> print(f(1))\n1",
        ">>> f(1)\nTraceback (most recent call last):",
        ">>> f(1) + 1\n3",
        ">>> f(1)",
        "f(1) == [1, x]",
        "f(1) == 'open",
        "f(g(1)) == 2",
    ],
)
def test_in_doubt_there_is_none(text: str) -> None:
    assert find_examples(text) == ()


@given(st.text(st.sampled_from("f(1)=='>-[]{} \n`\"\\retuns.,x2")))
def test_whatever_is_found_can_be_parsed(text: str) -> None:
    for example in find_examples(text):
        assert parse_example(example) == example


@pytest.mark.parametrize(
    "piece", ["f(", "f(1) == ", "f(1) == (", "'", "f('", "(", " " * 50, "`", ">>> f(1)\n", "=+ "]
)
@pytest.mark.parametrize("line", [40, 10**9], ids=["lines", "one-line"])
def test_hostile_text_takes_linear_time(piece: str, line: int) -> None:
    text = "".join(piece + "\n" * (number % line == line - 1) for number in range(200_000))
    begin = time.process_time()
    assert len(find_examples(text)) <= MAX_FOUND
    assert time.process_time() - begin < 10
