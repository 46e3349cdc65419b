"""Which parts of a Python test file are tests."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from assay.checks.syntax import Definition, dotted_name, is_main_guard

Function = ast.FunctionDef | ast.AsyncFunctionDef
Block = ast.If | ast.Try | ast.TryStar | ast.With | ast.For | ast.While | ast.Match

_RUNNERS = frozenset({"unittest.main", "main", "pytest.main"})


def read_statements(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str | None]]:
    """Number and name of each top-level statement that is a test; None where it is left out."""
    checkers = _checkers(body)
    made = {*_made_tests(body)}
    for number, node in enumerate(body):
        if isinstance(node, Definition) or (_bound_name(node) in made):
            continue
        if is_main_guard(node) or _runs_tests(node):
            yield number, None
        elif _asserts(node) or _called_names(node) & checkers:
            yield number, f"line {node.lineno}"


def read_main_guards(body: Sequence[ast.stmt]) -> Iterator[tuple[int, str]]:
    """The same of what is run only where the file is the program, and asserts something."""
    checkers = _checkers(body)
    for number, node in enumerate(body):
        if is_main_guard(node) and (_asserts(node) or _called_names(node) & checkers):
            yield number, f"line {node.lineno}"


def _checkers(body: Sequence[ast.stmt]) -> set[str]:
    """Names of the functions that assert something, and are no tests by their names."""
    return {
        node.name
        for node in body
        if isinstance(node, Function) and not node.name.startswith("test") and _asserts(node)
    }


def _made_tests(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Names of tests that are bound and not defined: `test_3 = make_test(3)`, `test_it = check`."""
    checkers = _checkers(body)
    factories = {
        node.name
        for node in body
        if isinstance(node, Function) and node.name in checkers and not _asserts_itself(node)
    }
    for node in body:
        name = _bound_name(node)
        if isinstance(node, ast.Assign) and name.startswith("test"):
            match node.value:
                case ast.Call(func=ast.Name(id=maker)) if maker in factories:
                    yield name
                case ast.Name(id=known) if known in checkers - factories:
                    yield name


def _bound_name(node: ast.stmt) -> str:
    """The one name that an assignment binds; empty for anything else."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _asserts_itself(function: ast.AST) -> bool:
    """Whether it asserts something when it is called, and not only in functions within it."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.Assert):
            return True
        if not isinstance(node, Definition | ast.expr) and _asserts_itself(node):
            return True
    return False


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


def defines_tests(statement: ast.stmt) -> bool:
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


def tests_for_later(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Names of functions and classes that a plain file runs after all statements."""
    cases = unittest_classes(body)
    yield from _made_tests(body)
    for node in body:
        match node:
            case ast.FunctionDef(name=name) if name.startswith("test"):
                yield name
            case ast.ClassDef(name=name) if name in cases:
                yield name


def test_names(body: Sequence[ast.stmt], statements: dict[int, str | None]) -> Iterator[str]:
    """Names of all tests; `statements` are those of the top level that are."""
    cases = unittest_classes(body)
    yield from _made_tests(body)
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


def unittest_classes(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Names of the classes that are derived from a `TestCase`, be it by way of another."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = map(ast.unparse, node.bases)
            if any(base.endswith("TestCase") or base in found for base in bases):
                found.add(node.name)
    return frozenset(found)
