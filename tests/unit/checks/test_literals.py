"""Literals are read without running anything, and within bounds."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.literals import NotLiteral, evaluate_literal
from assay.checks.syntax import parse_expression


def evaluate(source: str) -> object:
    node = parse_expression(source)
    assert node is not None
    return evaluate_literal(node)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("None", None),
        ("-1", -1),
        ("+1.5", 1.5),
        ("1 + 2j", 1 + 2j),
        ("[1, (2, 'a'), {3}, {'k': b'v'}]", [1, (2, "a"), {3}, {"k": b"v"}]),
        ("set()", set()),
        ("frozenset([1, 2])", frozenset({1, 2})),
        ("dict(a=1)", {"a": 1}),
        ("float('inf')", math.inf),
        ("math.pi", math.pi),
        ("Decimal('1.10')", Decimal("1.10")),
        ("Fraction(1, 3)", Fraction(1, 3)),
        ("date(2024, 2, 29)", date(2024, 2, 29)),
        (
            "datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)",
            datetime(2024, 1, 1, tzinfo=UTC),
        ),
        ("timedelta(days=-1)", timedelta(days=-1)),
        ("range(3)", range(3)),
        ("list(range(3))", [0, 1, 2]),
        ("10 ** 9 + 7", 10**9 + 7),
        ("2 ** 100", 2**100),
        ("2 ** 0.5", 2**0.5),
        ("[0] * 3", [0, 0, 0]),
        ("'ab' * 2 + 'c'", "ababc"),
        ("7 // 2 - 7 % 4", 0),
    ],
)
def test_values(source: str, value: object) -> None:
    assert evaluate(source) == value


@pytest.mark.parametrize(
    "source",
    [
        "x",
        "f(1)",
        "[f()]",
        "{**a}",
        "[*a]",
        "dict(**a)",
        "(lambda: 1)()",
        "'%s' % 1",
        "f'{1}'",
        "open('x')",
        "set().union",
        "9 ** 9 ** 9",
        "10 ** 100000",
        "'a' * 10 ** 9",
        "[0] * 10 ** 9 * 10 ** 9",
        "bytes(10 ** 12)",
        "list(range(10 ** 12))",
        "1 / 0",
        "{[]}",
        "-'a'",
        "date(1, 2)",
        "1 if 2 else 3",
        "not 1",
        "1 << 10 ** 9",
        "__import__('os')",
    ],
)
def test_anything_else_is_no_literal(source: str) -> None:
    with pytest.raises(NotLiteral):
        evaluate(source)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text()
        | st.binary(),
        lambda inner: (
            st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner)
        ),
        max_leaves=10,
    )
)
def test_what_python_prints_is_read_again(value: object) -> None:
    assert evaluate(repr(value)) == value
