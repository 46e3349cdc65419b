"""Rewrites a test file so that what its assertions compare can be told.

`assert left == right` becomes a call that compares the two sides, keeps them if they differ, and
counts if they do not; tests and loops tell that they were entered, and that they came to an
assertion. All else stays as the user wrote it, at its own line.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from .asserts import NAME
from .case_values import values_of_case
from .reports import clip, describe, frames_in, message_of
from .vacuity import Parts

_LAZY = frozenset({"map", "filter", "zip"})
_QUANTIFIERS = frozenset({"all", "any"})
_CALLS_QUANTIFIER = re.compile(r"\b(?:all|any)\s*\(")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Parts of statements in which statements are, or parts with statements."""
_WAITING_FOR_ERRORS = frozenset(
    {"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertLogs"}
)


class TestSource:
    """A test file, rewritten."""

    __test__ = False

    def __init__(self, source: str, path: str) -> None:
        """Read the file; raises SyntaxError where this interpreter cannot."""
        self._lines = source.encode("utf-8", "replace").splitlines()
        self._path = path
        body = ast.parse(source, path).body
        rewriting = _Rewriting(_checkers(body), bool(_CALLS_QUANTIFIER.search(source)))
        rewritten = [rewriting.visit_top(node) for node in body]
        self._statements = [one if isinstance(one, list) else [one] for one in rewritten]
        self._spans = rewriting.spans
        self.parts = rewriting.parts

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
    def __init__(self, checkers: frozenset[str], has_quantifiers: bool) -> None:
        self.spans: dict[int, tuple[int, int, int, int]] = {}
        self.parts = Parts()
        self._checkers = checkers
        self._has_quantifiers = has_quantifiers
        self._classes: list[str] = []
        self._in_assertion = False

    def visit_top(self, node: ast.stmt) -> Any:
        """Rewrite a statement of the top level; one with a condition may assert nothing."""
        is_part = isinstance(node, (ast.If, ast.Try)) and not _is_main_guard(node)
        return self._visit_part(node) if is_part else self.visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Go on to the statements in one, and to all where calls matter: files may be long."""
        if self._in_assertion or self._checkers:
            return super().generic_visit(node)
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if block:
                visited = map(self.visit, list(block))
                block[:] = [
                    part for one in visited for part in (one if isinstance(one, list) else [one])
                ]
        return node

    def visit_For(self, node: ast.For) -> Any:
        return self._visit_part(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        return self._visit_part(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._visit_part(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._visit_function(node)

    def _visit_part(self, node: ast.stmt) -> Any:
        self.parts.begin(node.lineno)
        visited = self.visit_Try(node) if isinstance(node, ast.Try) else self.generic_visit(node)
        number = self.parts.end()
        return [_statement(node, "enter", number), visited] if number else visited

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        if not node.name.startswith("test"):
            return self.generic_visit(node)
        self.parts.begin(node.lineno, ".".join([*self._classes, node.name]))
        self.generic_visit(node)
        number = self.parts.end()
        if not number:
            return node
        start = int(ast.get_docstring(node, clean=False) is not None)
        node.body.insert(start, _statement(node.body[0], "enter", number))
        return [node, *self._reached(node)]  # where a condition decides whether it is there

    def visit_Assert(self, node: ast.Assert) -> Any:
        test = node.test
        is_failure = _fails(node)
        # An error's frame names the line of the assert, or that of the part which raised it.
        self.spans.update(dict.fromkeys((node.lineno, test.lineno), _span(test)))
        error = _call("failure", *([node.msg] if node.msg else []))
        self._visit_assertion(node)
        failed = ast.UnaryOp(op=ast.Not(), operand=_condition(node.test))
        raising = ast.If(test=failed, body=[ast.Raise(exc=error, cause=None)], orelse=[])
        ast.fix_missing_locations(ast.copy_location(raising, node))
        return raising if is_failure else [raising, *self._reached(node)]

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.spans.setdefault(node.lineno, _span(node))
        name = _last_name(node.value)
        if name.startswith("assert") or name in _WAITING_FOR_ERRORS:
            self._visit_assertion(node)
            return [node, _statement(node, "held"), *self._reached(node)]
        return self.generic_visit(node)

    def visit_With(self, node: ast.With) -> Any:
        names = {_last_name(item.context_expr) for item in node.items}
        self.generic_visit(node)
        if not names & _WAITING_FOR_ERRORS:
            return node
        return [node, _statement(node, "held"), *self._reached(node)]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A function that asserts, or `all(x > 0 for x in f())`, which holds of nothing."""
        self.generic_visit(node)
        if self.parts.innermost and _last_name(node) in self._checkers:
            self.parts.note_assertion()
            call = _call("reach", ast.Constant(self.parts.innermost), node)
            return ast.fix_missing_locations(ast.copy_location(call, node))
        if not self._in_assertion or _last_name(node) not in _QUANTIFIERS or len(node.args) != 1:
            return node
        each = node.args[0]
        self.parts.begin(node.lineno)
        self.parts.note_assertion()
        number = ast.Constant(self.parts.end())
        if isinstance(each, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
            each.elt = _call("reach", number, each.elt)
        elif _last_name(each) in _LAZY:
            node.args[0] = _call("each", number, each)
        else:
            return node
        return ast.fix_missing_locations(ast.copy_location(_call("enter", number, node), node))

    def _visit_assertion(self, node: ast.AST) -> None:
        if not self._has_quantifiers:
            return
        self._in_assertion = True
        self.generic_visit(node)
        self._in_assertion = False

    def _reached(self, place: ast.stmt | ast.ExceptHandler) -> list[ast.stmt]:
        """What notes that an assertion was reached."""
        self.parts.note_assertion()
        part = self.parts.innermost
        return [_statement(place, "reach", part)] if part else []

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """`try: f(0); assert False` with a handler: that an error came is what is asserted."""
        waits = any(map(_fails, [*node.body[-1:], *node.orelse[-1:]]))
        self.generic_visit(node)
        if waits:
            for handler in node.handlers:
                handler.body[:0] = [_statement(handler, "caught"), *self._reached(handler)]
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


def _statement(place: ast.AST, method: str, *arguments: int) -> ast.stmt:
    call = _call(method, *map(ast.Constant, arguments))
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(value=call), place))


def _checkers(body: list[ast.stmt]) -> frozenset[str]:
    """Names of the functions that assert for those that call them."""
    parts = (part for node in body for part in ast.walk(node))
    functions = (
        part for part in parts if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
    )
    return frozenset(
        function.name
        for function in functions
        if any(isinstance(part, ast.Assert) for part in ast.walk(function))
    )


def _is_main_guard(node: ast.stmt) -> bool:
    names = (
        {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
        if isinstance(node, ast.If)
        else set()
    )
    return "__name__" in names
