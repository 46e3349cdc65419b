"""Names that a program uses and nowhere defines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.syntax import undefined_names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("chain = A | B\ndef f(x):\n    return x + y + A", ("A", "B", "y")),
        ("import os\nprint(os.sep, __file__, [n for n in range(3)])", ()),
        ("def f():\n    return g()\ndef g(): ...", ()),
        ("from math import *\nprint(sqrt(4))", ()),
        ("def f(:", ()),
    ],
)
def test_what_is_not_defined(source: str, names: tuple[str, ...]) -> None:
    assert undefined_names(source) == names


@given(st.text())
def test_it_never_fails(source: str) -> None:
    undefined_names(source)


def test_a_deeply_nested_program_is_no_crash() -> None:
    assert undefined_names("x = " + "-" * 50_000 + "1") == ()
