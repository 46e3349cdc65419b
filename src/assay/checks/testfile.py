"""A user's test file, read before anything runs: what it tests, and how its tests are found."""

from __future__ import annotations

import ast
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from assay.checks.finding import (
    defines_tests,
    read_main_guards,
    read_statements,
    test_names,
    tests_for_later,
    unittest_classes,
)
from assay.checks.routing import needs_files, why_in_process
from assay.checks.syntax import (
    BUILTINS,
    Nodes,
    dotted_name,
    is_always_true,
    loaded_names,
    parse_python,
    stored_names,
    uncollected,
)
from assay.domain.task import TestFile
from assay.errors import BadInput

_HOOKS = frozenset({"setup_module", "teardown_module", "setup_function", "teardown_function"})
"""Functions that pytest calls around tests."""


class Style(StrEnum):
    """How the tests of a file are found and run."""

    PLAIN = "plain"
    """Top-level asserts, `test_*` functions without parameters, `unittest.TestCase` classes."""
    PYTEST = "pytest"


@dataclass(frozen=True)
class ParsedTests:
    """What is known of a test file before it runs."""

    file: TestFile
    style: Style
    statements: dict[int, str | None]
    """By their numbers, top-level statements that are tests (`line 3`), or are left out (None)."""
    later: tuple[str, ...]
    """Names of test functions and `TestCase` classes, in plain style run after all statements."""
    tests: tuple[str, ...]
    """Names of all tests that have to be there: `line 3`, the function's name, `Class.method`."""
    unbound_names: frozenset[str]
    """Names that it uses and does not bind: the solution's, or built-in ones."""
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    """All import statements, wherever they stand."""
    attributes: frozenset[str]
    """Attributes that it uses of names: `calc.add`."""
    why_in_process: str
    """Why it has to run in the solution's own process; empty where it need not."""
    needs_files: bool
    """Whether it and the solution may have to see each other's files."""

    @property
    def needs_pytest(self) -> bool:
        """Whether pytest runs it, or it uses pytest itself."""
        return self.style is Style.PYTEST or any(map(_is_of_pytest, self.imports))

    def wants_names(self, modules: Set[str], defined: Set[str]) -> bool:
        """Whether the solution's names have to be there without being imported.

        Args:
            modules: Names of its modules. Who imports from them means built-in names as such.
            defined: What its main module defines.
        """
        if self.unbound_names - BUILTINS:
            return True
        roots = {
            name.split(".")[0]
            for node in self.imports
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
            )
        }
        return not roots & modules and bool(self.unbound_names & defined)


@lru_cache(maxsize=8)
@uncollected()
def parse_tests(file: TestFile) -> ParsedTests:
    """Read a test file; one of 5 MB takes four seconds, so what was found is kept.

    Raises:
        BadInput: it does not parse as Python, holds no test, or one that cannot fail.
    """
    tree = parse_python(file.source)
    if tree is None:
        raise BadInput(
            f"The tests in {file.name} are not Python{_where(file.source)}; put that right. "
            "Tests are plain asserts, or functions for pytest."
        )
    statements = dict(read_statements(tree.body))
    # Which of those in an `if` or `try` there are only a run can tell, and pytest finds them.
    in_blocks = any(map(defines_tests, tree.body))
    style = Style.PYTEST if in_blocks else _style(tree)
    tests = tuple(test_names(tree.body, statements if style is Style.PLAIN else {}))
    if not tests and not in_blocks:  # pytest may be there for `raises` and `approx` alone
        style, tests = Style.PLAIN, tuple(test_names(tree.body, statements))
    if not tests and not in_blocks:
        guards = dict(read_main_guards(tree.body))
        statements, tests = {**statements, **guards}, tuple(guards.values())
    if not tests and not in_blocks:
        raise BadInput(
            f"The file {file.name} holds no test; write asserts such as "
            "`assert f(1, 2) == 3`, or functions whose names begin with test_."
        )
    nodes = Nodes(tree)
    for node in nodes.of(ast.Assert):
        if not isinstance(node.test, ast.Constant):
            _refuse_always_true(file, node)
    parameters = {node.arg for node in nodes.of(ast.arg)}
    attributes = map(dotted_name, nodes.of(ast.Attribute))
    return ParsedTests(
        file,
        style,
        statements,
        tuple(tests_for_later(tree.body)),
        tests,
        unbound_names=loaded_names([tree]) - stored_names([tree]) - parameters,
        imports=tuple(sorted(nodes.of(ast.Import, ast.ImportFrom), key=lambda node: node.lineno)),
        attributes=frozenset(name for name in attributes if name),
        why_in_process=why_in_process(nodes),
        needs_files=needs_files(file.source),
    )


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


def _is_of_pytest(node: ast.Import | ast.ImportFrom) -> bool:
    modules = (
        [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
    )
    return any((module or "").split(".")[0] == "pytest" for module in modules)


def _style(tree: ast.Module) -> Style:
    cases = unittest_classes(tree.body)
    for statement in tree.body:
        match statement:
            case ast.Import() | ast.ImportFrom() if _is_of_pytest(statement):
                return Style.PYTEST
            case ast.ClassDef(name=name) if name.startswith("Test") and name not in cases:
                return Style.PYTEST
            case ast.FunctionDef(name=name) if name in _HOOKS:
                return Style.PYTEST
            case ast.FunctionDef(name=name, args=args) if name.startswith("test"):
                if args.args or args.kwonlyargs or args.posonlyargs:
                    return Style.PYTEST
            case ast.AsyncFunctionDef(name=name) if name.startswith("test"):
                return Style.PYTEST
    return Style.PLAIN
