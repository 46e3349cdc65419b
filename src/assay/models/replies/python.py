"""What can be told of Python code by its syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

_BUDGET = 400_000
"""Characters: no reply of a model's needs more, and a hostile one gets no more time."""


class Parser:
    """Parses programs for one reply: each text once, and a bounded amount in all."""

    def __init__(self) -> None:
        self._left = _BUDGET
        self._known: dict[str, ast.Module | None] = {}

    def parse(self, source: str) -> ast.Module | None:
        """The tree of `source`; None where it does not parse or is too long to be looked at."""
        if source not in self._known:
            self._known[source] = self._parse(source)
        return self._known[source]

    def parses(self, source: str) -> bool:
        """Whether `source` is known to be whole, correct Python."""
        return self.parse(source) is not None

    def is_program(self, source: str) -> bool:
        """Whether `source` is Python that does something, and not a word that happens to parse."""
        tree = self.parse(source)
        return tree is not None and any(_does_something(node) for node in tree.body)

    def _parse(self, source: str) -> ast.Module | None:
        self._left -= len(source)
        if self._left < 0:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _does_something(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr):
        return not isinstance(node, ast.AnnAssign) or node.value is not None
    return isinstance(node.value, ast.Call | ast.Await | ast.Yield)


def split_imports(source: str, parser: Parser) -> tuple[str, str]:
    """The lines up to the end of the leading imports, and the rest; nothing is moved.

    A docstring and comments before the imports stay before them.
    """
    lines = source.strip("\n").split("\n")
    end = _end_of_imports(source.strip("\n"), lines, parser)
    return "\n".join(lines[:end]), "\n".join(lines[end:]).strip("\n")


def _end_of_imports(source: str, lines: list[str], parser: Parser) -> int:
    tree = parser.parse(source)
    if tree is None:
        return _end_of_import_lines(lines)
    end = 0
    for index, node in enumerate(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            following = tree.body[index + 1].lineno if index + 1 < len(tree.body) else None
            last = node.end_lineno or node.lineno
            if following is not None and following <= last:
                break
            end = last
        elif not (index == 0 and ast.get_docstring(tree, clean=False) is not None):
            break
    return end


def _end_of_import_lines(lines: list[str]) -> int:
    """The same for code that does not parse: as far as the lines look like imports."""
    end = 0
    for number, line in enumerate(lines, 1):
        if line.startswith(("import ", "from ")) and not line.rstrip().endswith(("(", "\\")):
            end = number
        elif line.strip() and not line.startswith("#"):
            break
    return end


def join_programs(first: str, second: str, parser: Parser) -> str:
    """One program of two parts: `from __future__` first, and no import twice."""
    source = "\n\n".join(part.strip("\n") for part in (first, second) if part.strip())
    tree = parser.parse(source)
    if tree is None:
        return source
    lines: list[str | None] = [*source.split("\n")]
    future: list[str] = []
    seen: set[str] = set()
    for node in _imports_on_lines_of_their_own(tree, len(lines)):
        shape = ast.dump(node)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if is_future and shape not in seen:
            future.append(ast.unparse(node))
        if is_future or shape in seen:
            own = slice(node.lineno - 1, node.end_lineno)
            lines[own] = [None] * (own.stop - own.start)
        seen.add(shape)
    return "\n".join([*future, *(line for line in lines if line is not None)])


def _imports_on_lines_of_their_own(
    tree: ast.Module, length: int
) -> Iterator[ast.Import | ast.ImportFrom]:
    """Top-level imports that share no line with other statements."""
    for index, node in enumerate(tree.body):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        before = tree.body[index - 1].end_lineno if index else 0
        after = tree.body[index + 1].lineno if index + 1 < len(tree.body) else length + 1
        if (before or 0) < node.lineno and after > (node.end_lineno or node.lineno):
            yield node


def module_names_as_imports(imports: str, parser: Parser) -> str:
    """Imports as statements where the model gave names alone (`os`, `numpy as np`)."""
    return "\n".join(_as_import(line, parser) for line in imports.split("\n"))


def _as_import(line: str, parser: Parser) -> str:
    name = line.strip().partition(" as ")[0]
    if name.lower() in {"none", "null", "nothing"}:
        return ""
    is_name = bool(name) and all(part.isidentifier() for part in name.split("."))
    statement = f"import {line.strip()}"
    return statement if is_name and parser.parses(statement) else line
