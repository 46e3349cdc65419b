r"""Reads programs with their tests from tests/cases/correct and tests/cases/fakes.

Each file holds programs of one kind:

    === NAME [EXPECTED: WHY]
    the solution, up to
    --- tests
    its tests; further files of the solution follow `--- file PATH`, attachments `--- attach NAME`.

Tests that stand before a file's first program are those of each program that has none. EXPECTED
is what judging must come to where that is not the usual. In a correct program a line that ends in
`# mutant: OTHER` stands for two: with OTHER in its place the tests have to fail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

CASES = Path(__file__).parent / "cases"

_HEAD = re.compile(r"^=== (\S+)(?: \[(\w+): (.+)\])?\n", re.MULTILINE)
_PART = re.compile(r"^--- (tests|file|attach) ?(\S*)\n", re.MULTILINE)
_MUTANT = re.compile(r"^( *)(.*?)  # mutant: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class ProgramCase:
    """A program with tests, and what is expected of judging it."""

    name: str
    expected: str
    """The word in brackets; empty if there is none."""
    files: dict[str, str]
    tests: tuple[str, ...]
    """The sources of its test files."""
    attachments: dict[str, str]

    @property
    def mutant(self) -> ProgramCase | None:
        """The same program with its marked line changed; None if no line is marked."""
        files = {path: _MUTANT.sub(r"\1\3", text) for path, text in self.files.items()}
        return None if files == self.files else replace(self, files=files)

    @property
    def original(self) -> ProgramCase:
        """The program without the mark."""
        files = {path: _MUTANT.sub(r"\1\2", text) for path, text in self.files.items()}
        return replace(self, files=files)


def read_programs(folder: str) -> list[ProgramCase]:
    """All programs in the files of `tests/cases/FOLDER`, in the files' order."""
    found: list[ProgramCase] = []
    for path in sorted((CASES / folder).glob("*.txt")):
        shared, *parts = _HEAD.split(path.read_text("utf-8"))
        for name, expected, _, body in zip(*[iter(parts)] * 4, strict=True):
            own = body if "--- tests\n" in body else body + shared
            found.append(_read_program(f"{path.stem}-{name}", expected or "", own))
    return found


def _read_program(name: str, expected: str, body: str) -> ProgramCase:
    code, *parts = _PART.split(body)
    files, attachments = {"solution.py": code}, dict[str, str]()
    tests: list[str] = []
    for kind, path, text in zip(*[iter(parts)] * 3, strict=True):
        if kind == "tests":
            tests.append(text)
        elif kind == "file":
            files[path] = text
        else:
            attachments[path] = text
    return ProgramCase(name, expected, files, tuple(tests), attachments)
