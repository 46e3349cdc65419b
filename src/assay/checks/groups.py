"""A test file as comparisons that can be made outside the sandbox."""

from __future__ import annotations

import ast
import builtins
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.checks.examples import Comparison, Relation, read_comparison
from assay.checks.literals import NotLiteral, evaluate_literal
from assay.checks.syntax import (
    dotted_name,
    has_call,
    is_main_guard,
    loaded_names,
    stored_names,
)


@dataclass(frozen=True)
class Group:
    """Comparisons that share their names: those of one function, or of the top level."""

    name: str
    """The test function's; empty for the top level."""
    setup: str
    """Imports and constants, as source."""
    comparisons: tuple[Comparison, ...]


class _CannotJudge(Exception):
    """Some statement can only run in the solution's process."""


def read_groups(source: str, body: list[ast.stmt]) -> tuple[Group, ...] | None:
    """The comparisons of a test file; None where some statement is more than that."""
    try:
        # Split once: `ast.get_source_segment` would split it for each assert.
        lines = io.StringIO(source, newline=None).read().split("\n")
        top = _Scope(lines, None)
        functions: list[ast.FunctionDef] = []
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                functions.append(statement)
            elif not is_main_guard(statement):
                top.read(statement)
        groups = [top.group("")] if top.comparisons else []
        groups += [_read_function(lines, function, top) for function in functions]
    except _CannotJudge:
        return None
    return tuple(groups)


def _read_function(lines: Sequence[str], function: ast.FunctionDef, top: _Scope) -> Group:
    if (
        not function.name.startswith("test")
        or function.decorator_list
        or ast.unparse(function.args)
    ):
        raise _CannotJudge
    scope = _Scope(lines, top)
    for statement in function.body:
        scope.read(statement)
    if not scope.comparisons:
        raise _CannotJudge
    return scope.group(function.name)


class _Scope:
    """Reads statements one after the other, as long as they are comparisons and constants."""

    def __init__(self, lines: Sequence[str], outer: _Scope | None) -> None:
        self._lines = lines
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
        text = _text_of(self._lines, node)
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
                expected = tuple(map(self._exception_name, names))
                self.comparisons.append(
                    Comparison(text, ast.unparse(call), Relation.RAISES, expected)
                )
            case _:
                raise _CannotJudge

    def _exception_name(self, node: ast.expr) -> str:
        """The name that the class itself bears, by which it is known outside."""
        name = (dotted_name(node) or "").rsplit(".", 1)[-1]
        renamed = {
            alias.asname
            for statement in self.setup
            if isinstance(statement, ast.ImportFrom)
            for alias in statement.names
        }
        # Those in small letters are second names (`socket.timeout`), or have one (`re.error`).
        if name in renamed or not name[:1].isupper():
            raise _CannotJudge
        return str(getattr(getattr(builtins, name, None), "__name__", name))


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return node.values
    return [node]


def _text_of(lines: Sequence[str], node: ast.expr) -> str:
    """What the user wrote for `node`."""
    own = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    own[-1] = own[-1][: node.end_col_offset]  # first, as it may be the first line too
    own[0] = own[0][node.col_offset :]
    return b"\n".join(own).decode()
