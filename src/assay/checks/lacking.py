"""What tests want of a solution and it does not have, in a plain sentence.

From outside, Python says it of what stands for the solution there: that it cannot be imported from
an unknown location.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from assay.checks.naming import PlacedSolution, module_of
from assay.checks.rig import Rig
from assay.checks.syntax import Definition, parse_python, stored_names
from assay.checks.testfile import ParsedTests

MAX_NAMED = 5
"""Names that are told of those it has."""
MAX_LIKENED = 1_000
_NEAR = 0.6
_LACKS = re.compile(
    r"ImportError: cannot import name '(?P<imported>\w+)' from '(?P<source>[\w.]+)'"
    r"|AttributeError: module '(?P<owner>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
    r"|NameError: name '(?P<name>\w+)' is not defined"
)


@dataclass(frozen=True)
class Lacking:
    """Says of errors that tests had what the solution lacks."""

    main: str
    """The main file's module."""
    paths: Mapping[str, str]
    """Of the solution's files, by their modules."""
    sources: Mapping[str, str]
    """By the files' paths."""
    wanted: frozenset[str]
    """Names that the tests use without binding them."""

    @classmethod
    def of(cls, rig: Rig, placed: PlacedSolution, tests: ParsedTests) -> Lacking:
        """For one solution and the tests that are run on it."""
        files = rig.subject.solution.files
        paths = {name: file.path for file in files if (name := module_of(file.path))}
        paths[placed.module] = rig.subject.solution.main.path
        sources = {file.path: file.source for file in files}
        return cls(placed.module, paths, sources, tests.unbound_names)

    def explain(self, message: str) -> str:
        """The message of an error, or what the solution lacks where that is what it means."""
        found = _LACKS.match(message)
        if found is None:
            return message
        name = found["imported"] or found["attribute"] or found["name"]
        module = found["source"] or found["owner"] or (self.main if name in self.wanted else "")
        path = self.paths.get(module)
        if path is None:
            return message
        names = _offered(self.sources[path])
        if name in names:
            return message
        which = "the solution" if len(self.sources) == 1 else f"the solution's {path}"
        return f"{which} has no `{name}`; it has {_listed(name, names)}"


@lru_cache(maxsize=8)
def _offered(source: str) -> tuple[str, ...]:
    """What a module defines for others, in its order."""
    tree = parse_python(source)
    names: list[str] = []
    for node in tree.body if tree else ():
        if isinstance(node, Definition):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            names += sorted(stored_names([node]))
    return tuple(dict.fromkeys(name for name in names if not name.startswith("_")))


def _listed(wanted: str, names: Sequence[str]) -> str:
    """The first names, those that are like the wanted one before the others."""
    first = sorted(names[:MAX_LIKENED], key=lambda name: not _is_near(name, wanted))
    shown = ", ".join(f"`{name}`" for name in first[:MAX_NAMED]) or "no names"
    more = len(names) - MAX_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _is_near(name: str, wanted: str) -> bool:
    return SequenceMatcher(None, name.lower(), wanted.lower()).ratio() > _NEAR
