"""Mutants: versions of Python code with one small change each, which good tests find wrong.

Made on the syntax tree, so that each compiles and differs by one place. Tests that pass on most of
them show little of the code.
"""

from __future__ import annotations

import ast
import copy
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from assay.checks.mutations import Change, changes_of
from assay.checks.syntax import Definition, is_main_guard, parse_python
from assay.domain.solution import Solution, SolutionFile, is_test_path

_SKIPPED_FIELDS = frozenset({"annotation", "returns", "decorator_list", "type_params"})


@dataclass(frozen=True)
class Mutant:
    """A changed solution."""

    solution: Solution
    description: str
    """File, line and what was changed."""


@dataclass(frozen=True)
class _Site:
    """A place that can be changed."""

    file: int
    node: int
    """Its place in the order of `ast.walk`."""
    description: str
    change: Change
    group: str
    """The definition that it is in."""


def mutants(solution: Solution, *, limit: int, seed: int = 0) -> tuple[Mutant, ...]:
    """Change a solution's Python files in up to `limit` ways, spread over their definitions.

    Files with tests are left alone, and so is what runs only as a main program, unless there is
    nothing else. The same solution, limit and seed give the same mutants.
    """
    trees = [_tree_of(file) for file in solution.files]
    by_group: defaultdict[str, list[_Site]] = defaultdict(list)
    for number, tree in enumerate(trees):
        if tree is not None:
            for site in _sites(number, tree):
                by_group[site.group].append(site)
    order = random.Random(seed)  # noqa: S311 - no secret
    groups = list(by_group.values())
    for group in groups:
        order.shuffle(group)
    made: dict[str, Mutant] = {}
    while any(groups) and len(made) < limit:
        for group in groups:
            if group and len(made) < limit:
                site = group.pop()
                source = _changed(trees[site.file], site)
                if source is not None:
                    made.setdefault(source, _mutant(solution, site, source))
    return tuple(made.values())


def stub_of(solution: Solution) -> Solution:
    """The solution's definitions with bodies that do nothing: what tests must not pass on.

    Names and arguments are kept, and what classes declare. Code that does not parse has none.
    """
    files = []
    for file in solution.files:
        tree = _tree_of(file)
        body = list(_stubs(tree.body)) if tree else []
        if any(isinstance(statement, Definition) for statement in body):
            source = ast.unparse(ast.Module(body=body, type_ignores=[]))
            files.append(SolutionFile(path=file.path, code=source))
    return solution.model_copy(update={"files": tuple(files)})


def _tree_of(file: SolutionFile) -> ast.Module | None:
    is_python = file.path.endswith(".py") and not is_test_path(file.path)
    return parse_python(file.source) if is_python else None


def _mutant(solution: Solution, site: _Site, source: str) -> Mutant:
    files = list(solution.files)
    path = files[site.file].path
    files[site.file] = SolutionFile(path=path, code=source)
    changed = solution.model_copy(update={"files": tuple(files)})
    return Mutant(changed, f"{path}, {site.description}")


def _changed(tree: ast.Module | None, site: _Site) -> str | None:
    """The source after a change; None where that changed nothing or cannot be compiled."""
    if tree is None:
        return None
    before = ast.unparse(tree)
    changed = copy.deepcopy(tree)
    for number, node in enumerate(ast.walk(changed)):
        if number == site.node:
            site.change(node)
            break
    source = ast.unparse(ast.fix_missing_locations(changed))
    if source == before or parse_python(source) is None:
        return None
    return source


def _sites(file: int, tree: ast.Module) -> Iterator[_Site]:
    """All places of a file, those in main programs only where there are no others."""
    skipped = set(_skipped(tree, main=True))
    found = list(_places(file, tree, skipped))
    if not found:
        found = list(_places(file, tree, set(_skipped(tree, main=False))))
    yield from found


def _places(file: int, tree: ast.Module, skipped: set[int]) -> Iterator[_Site]:
    groups = {
        id(node): statement.name
        for statement in tree.body
        if isinstance(statement, Definition)
        for node in ast.walk(statement)
    }
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for what, change in changes_of(node):
            line = getattr(node, "lineno", 1)
            group = f"{file}:{groups.get(id(node), '')}"
            yield _Site(file, number, f"line {line}: {what}", change, group)


def _skipped(tree: ast.Module, *, main: bool) -> Iterator[int]:
    """Nodes whose change would change nothing that a test can see."""
    for node in ast.walk(tree):
        if isinstance(node, Definition | ast.Module):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield id(first.value)
        if isinstance(node, ast.JoinedStr) or (main and _is_main(node)):
            yield from map(id, ast.walk(node))
        for name, value in ast.iter_fields(node):
            if name in _SKIPPED_FIELDS:
                parts = value if isinstance(value, list) else [value]
                for part in parts:
                    if isinstance(part, ast.AST):
                        yield from map(id, ast.walk(part))


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt) and is_main_guard(node)


def _stubs(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield _with_body(statement, [ast.Expr(ast.Constant(value=...))])
            case ast.ClassDef():
                kept = [one for one in _stubs(statement.body) if not isinstance(one, ast.Import)]
                yield _with_body(statement, kept or [ast.Pass()])
            case ast.Import() | ast.ImportFrom() | ast.AnnAssign():
                yield statement


def _with_body(statement: ast.stmt, body: list[ast.stmt]) -> ast.stmt:
    stub = copy.copy(statement)
    setattr(stub, "body", body)  # noqa: B010 - a definition, which has one
    return stub
