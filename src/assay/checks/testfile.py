"""A user's test file, read before anything runs: what it tests, and who can judge it.

Where every test compares calls with literals, the comparison is made outside the sandbox.
Anything else has to run in the solution's own process. The source alone decides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from assay.checks.groups import Group, read_groups
from assay.checks.syntax import is_always_true, is_main_guard, parse_python
from assay.domain.task import TestFile
from assay.errors import BadInput


class Style(StrEnum):
    """How the tests of a file that has to run in process are found and run."""

    PLAIN = "plain"
    """Top-level asserts, `test_*` functions without parameters, `unittest.TestCase` classes."""
    PYTEST = "pytest"


@dataclass(frozen=True)
class ParsedTests:
    """What is known of a test file before it runs."""

    file: TestFile
    style: Style
    tests: tuple[str, ...]
    """`line 3` for a statement, else the function's name, `Class.method` in a class."""
    groups: tuple[Group, ...] | None
    """The tests as comparisons that are made outside; None where they cannot."""
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    """All import statements, wherever they stand."""


def parse_tests(file: TestFile) -> ParsedTests:
    """Read a test file.

    Raises:
        BadInput: it does not parse as Python, holds no test, or one that cannot fail.
    """
    tree = parse_python(file.source)
    if tree is None:
        raise BadInput(
            f"The tests in {file.name} are not Python{_where(file.source)}; put that right. "
            "Tests are plain asserts, or functions for pytest."
        )
    tests = tuple(_test_names(tree.body))
    if not tests:
        raise BadInput(
            f"The file {file.name} holds no test; write asserts such as "
            "`assert f(1, 2) == 3`, or functions whose names begin with test_."
        )
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            _refuse_always_true(file, node)
    imports = tuple(
        node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
    )
    groups = read_groups(file.source, tree.body)
    return ParsedTests(file, _style(tree), tests, groups, imports)


def _refuse_always_true(file: TestFile, node: ast.Assert) -> None:
    if is_always_true(node.test):
        raise BadInput(
            f"The assert in line {node.lineno} of {file.name} is true whatever the code does; "
            "write `assert f(1) == 2, message`, without brackets around both."
        )


def _where(source: str) -> str:
    try:
        compile(source, "tests", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f" (line {error.lineno}: {error.msg})"
    except (ValueError, RecursionError, MemoryError) as error:
        return f" ({error})"
    return ""


def _test_names(body: Iterable[ast.stmt]) -> list[str]:
    names: list[str] = []
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test"):
                    names.append(name)
            case ast.ClassDef(name=name, body=methods) if _is_test_class(statement):
                names += [
                    f"{name}.{method.name}"
                    for method in methods
                    if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
                    and method.name.startswith("test")
                ]
            case ast.ClassDef():
                pass
            case _ if _has_assert(statement) and not is_main_guard(statement):
                names.append(f"line {statement.lineno}")
    return names


def _has_assert(statement: ast.stmt) -> bool:
    asserts = (part.test for part in ast.walk(statement) if isinstance(part, ast.Assert))
    return any(not (isinstance(test, ast.Constant) and test.value) for test in asserts)


def _is_test_class(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") or _is_unittest_class(node)


def _is_unittest_class(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def _style(tree: ast.Module) -> Style:
    for statement in tree.body:
        match statement:
            case ast.Import(names=names) if any(
                alias.name.split(".")[0] == "pytest" for alias in names
            ):
                return Style.PYTEST
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] == "pytest":
                return Style.PYTEST
            case ast.ClassDef(name=name) if name.startswith("Test"):
                if not _is_unittest_class(statement):
                    return Style.PYTEST
            case ast.FunctionDef(name=name, args=args) if name.startswith("test"):
                if args.args or args.kwonlyargs or args.posonlyargs:
                    return Style.PYTEST
            case ast.AsyncFunctionDef(name=name) if name.startswith("test"):
                return Style.PYTEST
    return Style.PLAIN
