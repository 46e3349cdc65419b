"""Where the solution and its tests lie, so that what the tests import is the solution."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from assay.checks.rig import Rig
from assay.checks.script_tests import ScriptTests, is_es_module

_ENDINGS = ("", ".js", ".mjs", ".cjs", ".json", "/index.js")


@dataclass(frozen=True)
class PlacedScripts:
    """The files of a run of tests in JavaScript."""

    files: dict[str, bytes]
    solution: str
    tests: str
    imported: bool
    """Whether the tests import the solution; else its names have to be there for them."""


def place_scripts(rig: Rig, tests: ScriptTests) -> PlacedScripts:
    """Lay the tests where their imports lead to the solution, or the solution where they lead."""
    files = rig.files
    solution = rig.subject.solution.main.path
    depth = max((path.split("/").count("..") for path in tests.imports), default=0)
    folder = "tests/" * depth
    wanted = [posixpath.normpath(posixpath.join(folder, path)) for path in tests.imports]
    found = any(path + ending in files for path in wanted for ending in _ENDINGS)
    if wanted and not found and len(rig.subject.solution.files) == 1:
        name = wanted[0]
        content = files.pop(solution)
        solution = name if posixpath.splitext(name)[1] else f"{name}.js"
        files[solution] = content
    # Its own ending says whether it is an ES module, whatever the solution is.
    stem = posixpath.splitext(posixpath.basename(tests.file.name))[0]
    ending = ".mjs" if is_es_module(tests.file.source) else ".cjs"
    while f"{folder}{stem}{ending}" in files:
        stem += "-tests"
    name = f"{folder}{stem}{ending}"
    files[name] = tests.file.source.encode("utf-8", "replace")
    return PlacedScripts(files, solution, name, imported=bool(wanted))
