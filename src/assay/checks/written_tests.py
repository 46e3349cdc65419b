"""Tests as models write them: taken out of what else they wrote."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.checks.shape import defined_names
from assay.checks.syntax import Definition, is_main_guard, parse_python
from assay.domain.solution import Solution

MAX_TESTS = 20
"""Statements and functions with tests that are kept of one answer."""


def extract_tests(source: str, solution: Solution) -> str:
    """Keep imports, tests and what they need; empty where there is no test.

    A model that tests a function often writes the function once more: with it, the tests would
    test that. Prints, calls and `unittest.main()` say nothing.

    Args:
        source: What the model wrote, in Python.
        solution: What is to be tested.
    """
    tree = parse_python(source)
    if tree is None:
        return ""
    own = frozenset().union(*(defined_names(file.source) for file in solution.files))
    kept = list(_kept(tree.body, own))
    if not any(_is_test(statement) for statement in kept):
        return ""
    return ast.unparse(ast.Module(body=kept, type_ignores=[])) + "\n"


def _kept(statements: list[ast.stmt], own: frozenset[str]) -> Iterator[ast.stmt]:
    tests = 0
    for statement in statements:
        if isinstance(statement, Definition):
            if statement.name in own:
                continue
        elif is_main_guard(statement) or isinstance(statement, ast.Expr):
            continue
        if _is_test(statement):
            tests += 1
            if tests > MAX_TESTS:
                return
        yield statement


def _is_test(statement: ast.stmt) -> bool:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name.startswith("test")
        case ast.ClassDef(name=name, bases=bases):
            return name.startswith("Test") or bool(bases)
        case _:
            return any(isinstance(node, ast.Assert) for node in ast.walk(statement))
