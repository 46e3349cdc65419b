"""Under which module name tests find the solution."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence, Set
from dataclasses import dataclass

from assay.checks.rig import Rig
from assay.checks.shape import defined_names
from assay.checks.syntax import BUILTINS
from assay.checks.testfile import ParsedTests

DEFAULT_MODULE = "solution"
_TAKEN = frozenset(sys.stdlib_module_names) | {
    "pytest", "_pytest", "hypothesis", "numpy", "pandas",
}  # fmt: skip


@dataclass(frozen=True)
class PlacedSolution:
    """The files of a run in which the solution can be imported."""

    module: str
    """The main file's, dotted where it lies in a package."""
    modules: frozenset[str]
    """Top-level names of all modules that the solution's files make."""
    files: dict[str, bytes]


def place_solution(rig: Rig, tests: ParsedTests) -> PlacedSolution:
    """Give the solution's main file the name by which `tests` import it, or keep its own."""
    main = rig.subject.solution.main
    module = module_of(main.path)
    wanted = None
    if len(rig.subject.solution.files) == 1:
        wanted = _wanted_module(rig, tests, defined_names(main.source))
    files = rig.files
    name = wanted or module or DEFAULT_MODULE
    if name != module:
        files[f"{name}.py"] = files.pop(main.path)
    paths = (file.path for file in rig.subject.solution.files if file != main)
    modules = {path.split("/")[0].removesuffix(".py") for path in paths if path.endswith(".py")}
    # A file statistics.py is the solution's own affair: the tests mean the library's.
    modules -= _TAKEN | _granted(rig)
    return PlacedSolution(name, frozenset({*modules, name.split(".")[0]}), files)


def module_of(path: str) -> str | None:
    """The name under which the file at `path` can be imported, None where it cannot."""
    if not path.endswith(".py"):
        return None
    parts = path.removesuffix(".py").split("/")
    if not all(part.isidentifier() for part in parts) or parts[0] in _TAKEN:
        return None
    return None if parts[-1] == "__main__" else ".".join(parts)


def _wanted_module(rig: Rig, tests: ParsedTests, defined: frozenset[str]) -> str | None:
    """The module that the tests import and that must be the solution."""
    granted = _granted(rig)
    candidates: dict[str, set[str]] = {}
    for node in tests.imports:
        for module, names in _imported(node, tests.attributes):
            if module in rig.own_modules:
                return None  # it is there under its own name, or is an attachment
            if module not in _TAKEN and module.lower() not in granted:
                candidates.setdefault(module, set()).update(names)
    for module, names in candidates.items():
        if names & defined:
            return module
    # It may lack what the tests want; unless they use its names without importing them, the one
    # module that nobody else has is still meant to be the solution.
    if len(candidates) == 1 and not (tests.unbound_names - BUILTINS) & defined:
        (module,) = candidates
        return module
    return None


def _granted(rig: Rig) -> set[str]:
    return {package.split("==")[0].lower().replace("-", "_") for package in rig.toolchain.packages}


def _imported(
    node: ast.Import | ast.ImportFrom, attributes: Set[str]
) -> Sequence[tuple[str, set[str]]]:
    """Top-level modules of an import statement, each with the names that are used of it."""
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        return [(module, {alias.name for alias in node.names})] if module.isidentifier() else []
    found = []
    for alias in node.names:
        if alias.name.isidentifier():
            prefix = f"{alias.asname or alias.name}."
            used = {
                name.removeprefix(prefix).split(".")[0]
                for name in attributes
                if name.startswith(prefix)
            }
            found.append((alias.name, used))
    return found
