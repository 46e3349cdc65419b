"""The shape of a Python solution: what it defines, and what stands beside it.

Small models append calls, asserts and demonstrations of their own to the function that they were
asked for. Those are often wrong, and a wrong assert beside right code would condemn it; so they
are set apart, and neither run nor count.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Sequence

from assay.checks.syntax import (
    BUILTINS,
    Definition,
    dotted_name,
    is_main_guard,
    loaded_names,
    parse_expression,
    parse_python,
    stored_names,
)
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)
_DEMONSTRATIONS = frozenset({"print", "pprint", "input", "open"})
_RUNNERS = frozenset({"unittest.main", "doctest.testmod", "pytest.main"})
_MUTATORS = frozenset(
    {"append", "add", "update", "extend", "insert", "setdefault", "register", "put", "push"}
)


def defined_names(source: str) -> frozenset[str]:
    """Functions, classes and other names that a module binds at its top level."""
    tree = parse_python(source)
    if tree is None:
        return frozenset()
    names: set[str] = set()
    for statement in tree.body:
        names |= {statement.name} if isinstance(statement, Definition) else _bound(statement)
    return frozenset(names)


def called_names(tests: Sequence[TestFile], examples: Sequence[str]) -> frozenset[str]:
    """Names that tests and examples want of a solution: called, and defined nowhere else."""
    names: set[str] = set()
    for example in examples:
        expression = parse_expression(example.strip().removeprefix("assert "))
        if expression is not None:
            names |= _called([expression])
    for file in tests:
        tree = parse_python(file.source)
        if tree is not None:
            own = {name for statement in tree.body for name in _own_names(statement)}
            names |= _called(tree.body) - own
    return frozenset(names - BUILTINS)


def can_be_slow(source: str) -> bool:
    """Whether the time that Python code takes may grow with its input: a loop, or a recursion."""
    tree = parse_python(source)
    if tree is None:
        return False
    for node in ast.walk(tree):
        if isinstance(node, _LOOPS):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
            if any(_last_name(call) == node.name for call in calls):
                return True
    return False


def _last_name(function: ast.expr) -> str | None:
    name = dotted_name(function)
    return name.rpartition(".")[2] if name else None


def set_apart(solution: Solution, names: frozenset[str]) -> Solution:
    """Move what a model added beside its definitions to `Solution.set_apart`.

    Meant for a task that asked for a function or class; a program is left alone by not calling
    this. Code that does not parse, or defines none of what was asked for, stays as it is.

    Args:
        solution: what the model answered.
        names: what was asked for by name; empty where no name is known.
    """
    if solution.language not in {None, "python"} or solution.is_prose:
        return solution
    defined = frozenset().union(*(defined_names(file.source) for file in solution.files))
    if names and not names & defined:
        return solution
    files: list[SolutionFile] = []
    apart = [solution.set_apart] if solution.set_apart else []
    for file in solution.files:
        code, moved = _split(file)
        files.append(file.model_copy(update={"code": code}) if moved else file)
        apart += moved
    return solution.model_copy(update={"files": tuple(files), "set_apart": "\n".join(apart)})


def _split(file: SolutionFile) -> tuple[str, list[str]]:
    """The file's code without what is set apart, and the pieces that are."""
    tree = parse_python(file.code)
    if tree is None:
        return file.code, []
    definitions = [node for node in tree.body if isinstance(node, Definition)]
    if not definitions:
        return file.code, []
    beside = _find_beside(tree.body, _needed_names(file.code, definitions))
    lines = file.code.splitlines(keepends=True)
    if len(lines) != file.code.count("\n") + (not file.code.endswith("\n")):
        return file.code, []  # form feeds and the like end lines for Python's str, not its parser
    kept_lines = {
        number for node in tree.body if node not in beside for number in _line_numbers(node)
    }
    moved: set[int] = set()
    for statement in beside:
        numbers = set(_line_numbers(statement))
        if not numbers & kept_lines:
            moved |= numbers | _comments_above(lines, min(numbers))
    code = "".join(line for number, line in enumerate(lines, 1) if number not in moved)
    if not moved or parse_python(code) is None:
        return file.code, []
    text = "".join(line for number, line in enumerate(lines, 1) if number in moved)
    return code.rstrip("\n") + "\n", [text.strip("\n")]


def _needed_names(code: str, definitions: Sequence[ast.stmt]) -> set[str]:
    """Names of the module that its functions and classes read when they are made or called."""
    try:
        tables = symtable.symtable(code, "solution", "exec").get_children()
    except (SyntaxError, RecursionError):
        return set(loaded_names(definitions))
    names: set[str] = set()
    for node in definitions:
        outer = [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.stmt)]
        names |= loaded_names(outer)
    own = {node.name for node in definitions if isinstance(node, Definition)}
    waiting = [table for table in tables if table.get_name() in own]
    while waiting:
        table = waiting.pop()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
        waiting.extend(table.get_children())
    return names


def _find_beside(body: Sequence[ast.stmt], needed: set[str]) -> list[ast.stmt]:
    own = frozenset(node.name for node in body if isinstance(node, Definition))
    beside: list[ast.stmt] = []
    # From the end: what a kept statement reads is known before the statement that binds it.
    for statement in reversed(body):
        if _stands_beside(statement, own, needed):
            beside.append(statement)
        elif not isinstance(statement, Definition):
            needed |= loaded_names([statement])
    return beside


def _stands_beside(statement: ast.stmt, own: frozenset[str], needed: set[str]) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return False
        case ast.ClassDef() | ast.Expr(value=ast.Constant()):
            return False
        case ast.Assert():
            return True
        case ast.Expr(value=value):
            return _is_demonstration(value, own) and not _changes(statement, needed)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            if stored_names([statement]) & needed or _changes(statement, needed):
                return False
            return _is_demonstration(statement, own)
        case _ if is_main_guard(statement):
            return True
    if _changes(statement, needed) or stored_names([statement]) & (needed | own):
        return False
    if any(isinstance(part, ast.Import | ast.ImportFrom) for part in ast.walk(statement)):
        return False
    return _is_demonstration(statement, own)


def _is_demonstration(node: ast.AST, own: frozenset[str]) -> bool:
    """Whether it asserts, shows or asks something, or calls what the solution defines."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            name = dotted_name(part.func) or ""
            if name in _DEMONSTRATIONS or name in _RUNNERS or name.split(".")[0] in own:
                return True
    return False


def _changes(node: ast.AST, needed: set[str]) -> bool:
    """Whether it changes an object that the definitions use: `CACHE[1] = 1`, `TABLE.append(2)`."""
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _MUTATORS:
                target: ast.expr = part.func
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store()):
                target = part
            case _:
                continue
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name) and target.id in needed:
            return True
    return False


def _line_numbers(node: ast.stmt) -> range:
    first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _comments_above(lines: Sequence[str], number: int) -> set[int]:
    found: set[int] = set()
    number -= 1
    while number > 0 and lines[number - 1].startswith("#"):
        found.add(number)
        number -= 1
    return found


def _bound(statement: ast.stmt) -> frozenset[str]:
    """Names that a statement binds in its own scope, not those inside of functions in it."""
    if isinstance(statement, Definition):
        return frozenset({statement.name})
    inner = [node for node in ast.iter_child_nodes(statement) if isinstance(node, ast.stmt)]
    rest = [node for node in ast.iter_child_nodes(statement) if not isinstance(node, ast.stmt)]
    names = set(stored_names([statement] if not inner else rest))
    for node in inner:
        names |= _bound(node)
    return frozenset(names)


def _own_names(statement: ast.stmt) -> Iterable[str]:
    """What a test file binds itself; imports are what it wants of others."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        module = getattr(statement, "module", None) or ""
        return () if module else stored_names([statement])
    return _bound(statement)


def _called(nodes: Sequence[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        bound = stored_names([node])
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                names |= {part.func.id} - bound
    return names
