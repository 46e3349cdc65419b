"""A user's test file, read before anything runs: what it tests, and how its tests are found."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from assay.checks.routing import needs_files, why_in_process
from assay.checks.syntax import (
    BUILTINS,
    Definition,
    Nodes,
    dotted_name,
    is_always_true,
    is_main_guard,
    loaded_names,
    parse_python,
    stored_names,
    uncollected,
)
from assay.domain.task import TestFile
from assay.errors import BadInput

Function = ast.FunctionDef | ast.AsyncFunctionDef
Block = ast.If | ast.Try | ast.TryStar | ast.With | ast.For | ast.While | ast.Match

_RUNNERS = frozenset({"unittest.main", "main", "pytest.main"})
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
    statements = dict(_read_statements(tree.body))
    # Which of those in an `if` or `try` there are only a run can tell, and pytest finds them.
    in_blocks = any(map(_defines_tests, tree.body))
    style = Style.PYTEST if in_blocks else _style(tree)
    tests = tuple(_test_names(tree.body, statements if style is Style.PLAIN else {}))
    if not tests and not in_blocks:  # pytest may be there for `raises` and `approx` alone
        style, tests = Style.PLAIN, tuple(_test_names(tree.body, statements))
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
        tuple(_later(tree.body)),
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


def _read_statements(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str | None]]:
    """Number and name of each top-level statement that is a test; None where it is left out."""
    checkers = {
        node.name
        for node in body
        if isinstance(node, Function) and not node.name.startswith("test") and _asserts(node)
    }
    for number, node in enumerate(body):
        if isinstance(node, Definition):
            continue
        if is_main_guard(node) or _runs_tests(node):
            yield number, None
        elif _asserts(node) or _called_names(node) & checkers:
            yield number, f"line {node.lineno}"


def _runs_tests(node: ast.stmt) -> bool:
    """Whether it only starts what is run anyway: `unittest.main()`, `test_add()`."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    name = dotted_name(node.value.func) or ""
    return name in _RUNNERS or name.startswith("test_")


def _called_names(node: ast.stmt) -> set[str]:
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


def _asserts(statement: ast.stmt) -> bool:
    asserts = (part.test for part in ast.walk(statement) if isinstance(part, ast.Assert))
    return any(not (isinstance(test, ast.Constant) and test.value) for test in asserts)


def _defines_tests(statement: ast.stmt) -> bool:
    """Whether it is an `if`, `try`, `with` or loop in which test functions or classes are."""
    if not isinstance(statement, Block) or is_main_guard(statement):
        return False
    waiting: list[ast.AST] = [statement]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, Definition):
                if node.name.startswith(("test", "Test")):
                    return True
            elif not isinstance(node, ast.expr):
                waiting.append(node)
    return False


def _later(body: Sequence[ast.stmt]) -> Iterator[str]:
    cases = _unittest_classes(body)
    for node in body:
        match node:
            case ast.FunctionDef(name=name) if name.startswith("test"):
                yield name
            case ast.ClassDef(name=name) if name in cases:
                yield name


def _test_names(body: Sequence[ast.stmt], statements: dict[int, str | None]) -> Iterator[str]:
    cases = _unittest_classes(body)
    for number, statement in enumerate(body):
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name.startswith("test"):
                    yield name
            case ast.ClassDef(name=name) if name.startswith("Test") or name in cases:
                yield from _method_names(statement, nested=name not in cases)
            case _ if line := statements.get(number):
                yield line


def _method_names(node: ast.ClassDef, *, nested: bool) -> Iterator[str]:
    """Names of a class's own tests, and where it is `nested` those of the classes in it."""
    for part in node.body:
        if isinstance(part, Function) and part.name.startswith("test"):
            yield f"{node.name}.{part.name}"
        elif nested and isinstance(part, ast.ClassDef) and part.name.startswith("Test"):
            yield from (f"{node.name}.{name}" for name in _method_names(part, nested=True))


def _unittest_classes(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Names of the classes that are derived from a `TestCase`, be it by way of another."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = map(ast.unparse, node.bases)
            if any(base.endswith("TestCase") or base in found for base in bases):
                found.add(node.name)
    return frozenset(found)


def _is_of_pytest(node: ast.Import | ast.ImportFrom) -> bool:
    modules = (
        [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
    )
    return any((module or "").split(".")[0] == "pytest" for module in modules)


def _style(tree: ast.Module) -> Style:
    cases = _unittest_classes(tree.body)
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
