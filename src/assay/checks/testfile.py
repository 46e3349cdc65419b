"""A user's test file, read before anything runs: what it tests, and who can judge it.

Where every test compares calls with literals, the comparison is made outside the sandbox.
Anything else has to run in the solution's own process. The source alone decides.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from assay.checks.examples import Comparison, Relation, read_comparison
from assay.checks.literals import NotLiteral, evaluate_literal
from assay.checks.syntax import has_call, loaded_names, parse_python, stored_names
from assay.domain.task import TestFile
from assay.errors import BadInput


class Style(StrEnum):
    """How the tests of a file that has to run in process are found and run."""

    PLAIN = "plain"
    """Top-level asserts, `test_*` functions without parameters, `unittest.TestCase` classes."""
    PYTEST = "pytest"


@dataclass(frozen=True)
class Group:
    """Comparisons that share their names: those of one function, or of the top level."""

    name: str
    """The test function's; empty for the top level."""
    setup: str
    """Imports and constants, as source."""
    comparisons: tuple[Comparison, ...]


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
        BadInput: it does not parse as Python, or holds no test.
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
    imports = tuple(
        node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
    )
    groups = _read_groups(file.source, tree.body)
    return ParsedTests(file, _style(tree), tests, groups, imports)


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
    return any(isinstance(part, ast.Assert) for part in ast.walk(statement))


def _is_test_class(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") or _is_unittest_class(node)


def _is_unittest_class(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Compare)
        and "__name__" in loaded_names([statement.test])
        and "__main__" in ast.unparse(statement.test)
    )


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


class _CannotJudge(Exception):
    """Some statement can only run in the solution's process."""


def _read_groups(source: str, body: list[ast.stmt]) -> tuple[Group, ...] | None:
    try:
        top = _Scope(source, None)
        functions: list[ast.FunctionDef] = []
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                functions.append(statement)
            elif not is_main_guard(statement):
                top.read(statement)
        groups = [top.group("")] if top.comparisons else []
        groups += [_read_function(source, function, top) for function in functions]
    except _CannotJudge:
        return None
    return tuple(groups)


def _read_function(source: str, function: ast.FunctionDef, top: _Scope) -> Group:
    if (
        not function.name.startswith("test")
        or function.decorator_list
        or ast.unparse(function.args)
    ):
        raise _CannotJudge
    scope = _Scope(source, top)
    for statement in function.body:
        scope.read(statement)
    if not scope.comparisons:
        raise _CannotJudge
    return scope.group(function.name)


class _Scope:
    """Reads statements one after the other, as long as they are comparisons and constants."""

    def __init__(self, source: str, outer: _Scope | None) -> None:
        self._source = source
        self.values: dict[str, object] = dict(outer.values) if outer else {}
        self.setup: list[ast.stmt] = list(outer.setup) if outer else []
        self.comparisons: list[Comparison] = []
        self._bound: Counter[str] = Counter(outer._bound if outer else ())

    def group(self, name: str) -> Group:
        used = {
            name
            for comparison in self.comparisons
            for name in loaded_names([ast.parse(comparison.call)])
        }
        setup = [
            statement
            for statement in self.setup
            if isinstance(statement, ast.Import | ast.ImportFrom)
            or used & stored_names([statement])
        ]
        text = "\n".join(ast.unparse(statement) for statement in setup)
        return Group(name, text, tuple(self.comparisons))

    def read(self, statement: ast.stmt) -> None:
        """Take one statement in.

        Raises:
            _CannotJudge: it is more than a comparison or a constant.
        """
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Import(names=[ast.alias(name="pytest", asname=None)]):
                pass  # for pytest.raises, which is judged outside
            case ast.Import() | ast.ImportFrom() if "pytest" not in ast.unparse(statement):
                self.setup.append(statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._bind(name, value)
                self.setup.append(statement)
            case ast.Assert(test=test):
                for part in _conjuncts(test):
                    self._compare(part)
            case ast.With(items=[item], body=[ast.Expr(value=call)]) if has_call(call):
                self._raises(item, call)
            case _:
                raise _CannotJudge

    def _bind(self, name: str, value: ast.expr) -> None:
        self._bound[name] += 1
        if self._bound[name] > 1:
            raise _CannotJudge
        try:
            self.values[name] = evaluate_literal(value, self.values)
        except NotLiteral as error:
            raise _CannotJudge from error

    def _compare(self, node: ast.expr) -> None:
        text = ast.get_source_segment(self._source, node) or ast.unparse(node)
        comparison = read_comparison(text, node, self.values)
        if comparison is None:
            raise _CannotJudge
        call_names = loaded_names([ast.parse(comparison.call)])
        # A constant on both sides could have been changed by the call; inside it would be seen.
        all_names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        if any(all_names.count(name) > 1 for name in call_names & self.values.keys()):
            raise _CannotJudge
        self.comparisons.append(comparison)

    def _raises(self, item: ast.withitem, call: ast.expr) -> None:
        match item:
            case ast.withitem(
                context_expr=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="pytest"), attr="raises"),
                    args=[kinds],
                    keywords=[],
                ),
                optional_vars=None,
            ):
                names = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
                text = f"with {ast.unparse(item)}: {ast.unparse(call)}"
                expected = tuple(ast.unparse(name).rsplit(".", 1)[-1] for name in names)
                self.comparisons.append(
                    Comparison(text, ast.unparse(call), Relation.RAISES, expected)
                )
            case _:
                raise _CannotJudge


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return node.values
    return [node]
