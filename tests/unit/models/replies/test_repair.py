from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.models.replies.python import Parser
from assay.models.replies.repair import repair


@pytest.mark.parametrize(
    ("broken", "repaired"),
    [
        ("    x = 1\n    y = 2", "x = 1\ny = 2"),
        ("def f():\n\u00a0\u00a0\u00a0\u00a0return '\u00a0'", "def f():\n    return '\u00a0'"),
        ("x =\u200b 1", "x = 1"),
        ("if 1 &lt; 2 &amp;&amp; 3: pass", "if 1 &lt; 2 &amp;&amp; 3: pass"),
        ("print(1 &lt; 2)", "print(1 < 2)"),
        ("print(\u201ca\u201d, \u2018b\u2019)", "print(\"a\", 'b')"),
        ("x = 3 \u2212 1", "x = 3 - 1"),
        ("%timeit\n!ls\nx = 1", "x = 1"),
        ("$ pip3 install a b\nx = 1", "x = 1"),
        (">>> x = 1\n>>> x\n1", "x = 1\nx"),
        ("if 1:\n        x = 1\n\ty = 2", "if 1:\n        x = 1\n        y = 2"),
        ("x = 1\n```", "x = 1"),
        ("\u00a0\u00a0x = 1\n\u00a0\u00a0print(\u201ca\u201d)", None),
        ("def f(:\n", "def f(:\n"),
    ],
)
def test_what_was_damaged_is_repaired(broken: str, repaired: str | None) -> None:
    result = repair(broken, Parser())
    if repaired is None:
        ast.parse(result)
    else:
        assert result.strip() == repaired.strip()


@settings(deadline=None)
@given(st.text("ab1 \n\t'\"=():,.#!%<>&;lt`\\\u00a0\u201c\u200b", max_size=40))
def test_a_repair_never_changes_what_parses_and_only_gives_what_does(code: str) -> None:
    result = repair(code, Parser(), from_json=True)
    if result != code:
        assert not Parser().parses(code)
        assert Parser().parses(result)
