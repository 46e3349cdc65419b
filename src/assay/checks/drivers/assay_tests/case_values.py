"""The values of the names in an assertion that failed: which of many cases it was."""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Iterator, Sequence
from typing import Any

from .reports import clip, shown

MAX_VALUE = 200
"""Characters of one value: a long one must not leave the others out."""
_TELL_NOTHING = frozenset({"self", "cls"})


def values_of_case(passed: Sequence[tuple[str, types.FrameType]], *, sides_are_shown: bool) -> str:
    """What local names held, as `xs = [6], n = 3`; empty where they tell nothing.

    Args:
        passed: Statements through which the error came, outermost first, and where they ran.
        sides_are_shown: Whether the last one is a comparison of which both sides are shown anyway.
    """
    found: dict[str, str] = {}
    for depth, (text, frame) in enumerate(reversed(passed)):
        values = frame.f_locals
        for name in _names(text, without_sides=sides_are_shown and not depth):
            if name in values and name not in found and _tells_something(name, values[name]):
                found[name] = _briefly(values[name])
    return clip(", ".join(f"{name} = {value}" for name, value in found.items()))


def _names(text: str, *, without_sides: bool) -> Iterator[str]:
    """Names that a statement reads, in their order."""
    tree = _parse(text)
    if tree is None:
        return
    sides: set[str] = set()
    expression = getattr(tree, "body", None)
    if without_sides and isinstance(expression, ast.Compare):
        both = (expression.left, *expression.comparators)
        sides = {side.id for side in both if isinstance(side, ast.Name)}
    reads = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in sides
    ]
    for node in sorted(reads, key=lambda node: (node.lineno, node.col_offset)):
        yield node.id


def _parse(text: str) -> ast.AST | None:
    """An expression, be it of several lines, or a statement; None for a part of one."""
    for source, mode in ((f"({text}\n)", "eval"), (text, "exec")):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.parse(source, mode=mode)
    return None


def _tells_something(name: str, value: Any) -> bool:
    """Whether a value tells cases apart, as a function, class or module does not."""
    is_module = issubclass(type(value), types.ModuleType)
    return name not in _TELL_NOTHING and not callable(value) and not is_module


def _briefly(value: object) -> str:
    text = shown(value)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 1]}…"
