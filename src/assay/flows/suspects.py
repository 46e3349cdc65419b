"""Generated tests that may be wrong themselves, taken out of their suites."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from assay.domain.team import Suite


def without_suspects(suites: Sequence[Suite], failing: Collection[str]) -> tuple[Suite, ...]:
    """The suites without the tests that fail; one with nothing left of it is not kept.

    Args:
        suites: All suites so far.
        failing: Tests as verdicts name them: an assert's expression, or a function's name.
    """
    return tuple(_without(suite, failing) if suite.kept else suite for suite in suites)


def _without(suite: Suite, failing: Collection[str]) -> Suite:
    try:
        tree = ast.parse(suite.file.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return suite.model_copy(update={"kept": False, "reason": "It cannot be read."})
    kept = [statement for statement in tree.body if not _names(statement) & set(failing)]
    dropped = len(tree.body) - len(kept)
    if not dropped:
        return suite
    left = ast.unparse(ast.Module(body=kept, type_ignores=[])) + "\n"
    remains = any(_names(statement) for statement in kept)
    reason = f"{dropped} of its tests failed on every candidate, and may be wrong themselves."
    file = suite.file.model_copy(update={"source": left})
    return suite.model_copy(update={"file": file, "kept": remains, "reason": reason})


def _names(statement: ast.stmt) -> set[str]:
    """What a verdict may call the test that a statement is."""
    match statement:
        case ast.Assert(test=test):
            return {ast.unparse(test), ast.unparse(statement)}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name}
        case ast.ClassDef(name=name):
            return {name}
        case _:
            return set()
