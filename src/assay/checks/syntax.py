"""Reading Python source without running it."""

from __future__ import annotations

import ast
import builtins
import gc
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

from pyflakes.checker import Checker
from pyflakes.messages import UndefinedName

BUILTINS = frozenset(dir(builtins))

Node = TypeVar("Node", bound=ast.AST)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def parse_python(source: str) -> ast.Module | None:
    """The syntax tree of `source`, None where this interpreter cannot parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the source is not our affair
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def undefined_names(source: str) -> tuple[str, ...]:
    """Names that are used and nowhere defined or imported, in the order of their use.

    Empty where the source does not parse.
    """
    tree = parse_python(source)
    if tree is None:
        return ()
    try:
        found = Checker(tree, builtins=BUILTINS).messages
    except RecursionError:
        return ()
    names = (str(one.message_args[0]) for one in found if isinstance(one, UndefinedName))
    return tuple(dict.fromkeys(names))


def parse_expression(source: str) -> ast.expr | None:
    """The one expression that `source` is, None where it is anything else."""
    tree = parse_python(source.strip())
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    return tree.body[0].value


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector from going over a large syntax tree again and again as it grows."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Nodes:
    """All nodes of a syntax tree by their classes: one walk, which for a long file takes long."""

    def __init__(self, tree: ast.AST) -> None:
        """Walk over the tree, once."""
        self._found: defaultdict[type, list[ast.AST]] = defaultdict(list)
        for node in ast.walk(tree):
            self._found[type(node)].append(node)

    def of(self, kind: type[Node], *kinds: type[Node]) -> list[Node]:
        """Those of any of these classes, class by class."""
        return cast("list[Node]", [one for each in (kind, *kinds) for one in self._found[each]])


def loaded_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names that are read anywhere in `nodes`."""
    return frozenset(
        node.id
        for node in _walk(nodes)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names that are bound anywhere in `nodes`: assigned, defined or imported."""
    names: set[str] = set()
    for node in _walk(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, Definition):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
    return frozenset(names)


def has_call(node: ast.AST) -> bool:
    """Whether anything is called in `node`."""
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def is_always_true(node: ast.expr) -> bool:
    """Whether it is true whatever its calls give: a tuple such as `(f(1) == 2, "why")`."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(not isinstance(part, ast.Starred) for part in parts)
        case ast.Dict(keys=keys):
            return any(keys)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(is_always_true, values))
        case ast.BoolOp(values=values):
            return all(map(is_always_true, values))
    return isinstance(node, ast.Lambda | ast.GeneratorExp)


def is_main_guard(statement: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.test, ast.Compare)
        and isinstance(statement.test.ops[0], ast.Eq)
        and "__name__" in loaded_names([statement.test])
        and "__main__" in ast.unparse(statement.test)
    )


def dotted_name(node: ast.expr) -> str | None:
    """`a.b.c` for a name or a chain of attributes, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from ast.walk(node)
