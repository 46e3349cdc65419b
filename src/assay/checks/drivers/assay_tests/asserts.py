"""Rewrites a test file so that what its assertions compare can be told.

`assert left == right` becomes a call that compares the two sides, keeps them if they differ, and
counts if they do not. All else stays as the user wrote it, at its own line.
"""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from math import isnan
from typing import Any

from .case_values import values_of_case
from .reports import clip, describe, frames_in, message_of, shown

NAME = "__assay__"
"""What the rewritten source calls its `Asserts`."""

_OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "Eq": (operator.eq, ""),
    "NotEq": (operator.ne, "anything but "),
    "Lt": (operator.lt, "less than "),
    "LtE": (operator.le, "at most "),
    "Gt": (operator.gt, "more than "),
    "GtE": (operator.ge, "at least "),
    "Is": (operator.is_, ""),
    "IsNot": (operator.is_not, "anything but "),
    "In": (lambda item, items: item in items, "one of "),
    "NotIn": (lambda item, items: item not in items, "none of "),
}
_WAITING_FOR_ERRORS = frozenset(
    {"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertLogs"}
)


class Asserts:
    """Compares, counts what held, and remembers the last comparison that did not."""

    def __init__(self, handles_compared: Callable[[], int]) -> None:
        """`handles_compared` says how often the solution's own objects have decided so far."""
        self.compared = 0
        self._handles_compared = handles_compared
        self._handles = 0
        self._sides = ("", "")

    def holds(self, name: str, left: object, right: object) -> bool:
        """Whether `left` stands to `right` as the operator of this name wants."""
        compare, words = _OPERATORS[name]
        if compare(left, right) or (name == "Eq" and _are_nan(left, right)):
            self.held()
            return True
        self._sides = (clip(words + shown(right)), shown(left))
        return False

    def is_truth(self, wanted: bool, value: object) -> bool:
        """Whether `value` is true, or false where that is wanted."""
        if bool(value) is wanted:
            self.held()
            return True
        self._sides = (f"something {'true' if wanted else 'false'}", shown(value))
        return False

    def failure(self, *message: object) -> AssertionError:
        """The error of the comparison that has just failed."""
        error = AssertionError(*message)
        error.sides = self._sides  # type: ignore[attr-defined]
        return error

    def held(self) -> None:
        """Count an assertion that held, unless the solution's own objects decided it."""
        decided = self._handles_compared()
        self.compared += decided == self._handles
        self._handles = decided

    def caught(self) -> None:
        """Count an error that a test waited for, unless it is the test's own failure."""
        if not isinstance(sys.exc_info()[1], AssertionError):
            self.held()


def _are_nan(left: object, right: object) -> bool:
    """Whether both are NaN: who expects `float("nan")` could not say so otherwise."""
    return all(type(side) is float and isnan(side) for side in (left, right))


class TestSource:
    """A test file, rewritten."""

    __test__ = False

    def __init__(self, source: str, path: str) -> None:
        """Read the file; raises SyntaxError where this interpreter cannot."""
        self._lines = source.encode("utf-8", "replace").splitlines()
        self._path = path
        rewriting = _Rewriting()
        rewritten = [rewriting.visit(node) for node in ast.parse(source, path).body]
        self._statements = [one if isinstance(one, list) else [one] for one in rewritten]
        self._spans = rewriting.spans

    def __len__(self) -> int:
        """How many statements there are at its top level."""
        return len(self._statements)

    def compile(self, *numbers: int) -> Any:
        """Code of its top-level statements with these numbers."""
        body = [part for number in numbers for part in self._statements[number]]
        tree = ast.Module(body=body, type_ignores=[])
        return compile(tree, self._path, "exec", dont_inherit=True)

    def explain(self, error: BaseException) -> dict[str, str]:
        """What failed, as the user wrote it, and how.

        Returns:
            The `call`, `where` with the values of its names, and `expected` and `got` or `message`.
        """
        passed = [(self._text(number), frame) for frame, number in frames_in(error, self._path)]
        sides = getattr(error, "sides", None) if isinstance(error, AssertionError) else None
        told = {
            "call": passed[-1][0] if passed else "",
            "where": values_of_case(passed, sides_are_shown=isinstance(sides, tuple)),
        }
        if isinstance(sides, tuple):
            expected, got = sides
            return {**told, "expected": expected, "got": got, "message": message_of(error)}
        return {**told, **describe(error)}

    def _text(self, number: int) -> str:
        """The assertion or call in a line without its message, or the line."""
        lines = self._lines[number - 1 : number]
        if number in self._spans:
            first, start, last, end = self._spans[number]
            lines = self._lines[first - 1 : last]
            lines[-1] = lines[-1][:end]
            lines[0] = lines[0][start:]
        return clip("\n".join(line.decode("utf-8", "replace").strip() for line in lines))


class _Rewriting(ast.NodeTransformer):
    def __init__(self) -> None:
        self.spans: dict[int, tuple[int, int, int, int]] = {}

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = node.test
        # An error's frame names the line of the assert, or that of the part which raised it.
        self.spans.update(dict.fromkeys((node.lineno, test.lineno), _span(test)))
        error = _call("failure", *([node.msg] if node.msg else []))
        failed = ast.UnaryOp(op=ast.Not(), operand=_condition(test))
        raising = ast.If(test=failed, body=[ast.Raise(exc=error, cause=None)], orelse=[])
        return ast.fix_missing_locations(ast.copy_location(raising, node))

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.spans.setdefault(node.lineno, _span(node))
        name = _last_name(node.value)
        if name.startswith("assert") or name in _WAITING_FOR_ERRORS:
            return [node, _held(node)]
        return node

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        names = {_last_name(item.context_expr) for item in node.items}
        return [node, _held(node)] if names & _WAITING_FOR_ERRORS else node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """`try: f(0); assert False` with a handler: that an error came is what is asserted."""
        waits = any(map(_fails, [*node.body[-1:], *node.orelse[-1:]]))
        self.generic_visit(node)
        if waits:
            for handler in node.handlers:
                handler.body.insert(0, _held(handler, "caught"))
        return node


def _span(node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _condition(test: ast.expr) -> ast.expr:
    """`test` as calls that count what holds and keep what does not."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return ast.BoolOp(op=ast.And(), values=[_condition(value) for value in test.values])
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        name = ast.Constant(type(test.ops[0]).__name__)
        return _call("holds", name, test.left, test.comparators[0])
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _call("is_truth", ast.Constant(False), test.operand)
    return _call("is_truth", ast.Constant(True), test)


def _fails(node: ast.stmt) -> bool:
    """Whether a statement always fails a test: `assert False`, `self.fail()`, `raise …`."""
    if isinstance(node, ast.Assert):
        return isinstance(node.test, ast.Constant) and not node.test.value
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Expr) and _last_name(node.value) == "fail"
    )


def _last_name(node: ast.expr) -> str:
    """`c` of a call `a.b.c(…)`, awaited or not; empty for anything else."""
    if isinstance(node, ast.Await):
        node = node.value
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return getattr(function, "attr", "") or getattr(function, "id", "")


def _call(method: str, *arguments: ast.expr) -> ast.Call:
    owner = ast.Name(id=NAME, ctx=ast.Load())
    function = ast.Attribute(value=owner, attr=method, ctx=ast.Load())
    return ast.Call(func=function, args=list(arguments), keywords=[])


def _held(place: Any, method: str = "held") -> ast.stmt:
    statement = ast.copy_location(ast.Expr(value=_call(method)), place)
    return ast.fix_missing_locations(statement)
