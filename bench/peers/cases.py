"""The programs, abuses and fakes, as the files beside this one have them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.domain.data import Data
from bench.peers.serving import Case

SECONDS = 3
"""What each harness is told that a case may take."""
MARK = "assay-abuse"
"""The name that processes of abuses give themselves, to be found by."""
ADD = "def add(a, b):\n    return a + b\n"
ADD_TESTS = "assert add(1, 2) == 3\nassert add(-1, 1) == 0\n"
ORDINARY = Case(code=ADD, tests=ADD_TESTS, seconds=SECONDS)

_MARKING = f"""
try:
    import ctypes

    ctypes.CDLL(None).prctl(15, {MARK.encode()!r})
except Exception:
    pass
"""
_FOLDER = Path(__file__).parent


class Program(Data):
    """An ordinary program, right or wrong."""

    name: str
    right: bool
    code: str
    tests: str

    @property
    def case(self) -> Case:
        """As it is given to a harness."""
        return Case(self.code, self.tests, SECONDS)


class Abuse(Data):
    """A program that abuses who runs it."""

    name: str
    code: str
    tests: str = ""
    """Where they are, they pass only if the program got what it wanted."""
    passing: str = ""
    """What is said of that in a word or two."""

    def case(self, home: Path, port: int) -> Case:
        """As it is given to a harness, aimed at decoys."""
        code = _MARKING + self.code.replace("{HOME}", str(home)).replace("{PORT}", str(port))
        if self.tests:
            return Case(code, self.tests, SECONDS)
        return Case(f"{code}\n\n{ADD}", ADD_TESTS, SECONDS)


class Fake(Data):
    """A wrong program that tries to pass all the same."""

    name: str
    code: str
    tests: str = ADD_TESTS

    @property
    def case(self) -> Case:
        """As it is given to a harness."""
        return Case(self.code, self.tests, SECONDS)


def read_programs() -> tuple[Program, ...]:
    """The right programs, and then the wrong ones."""
    entries = [
        entry
        for file in sorted((_FOLDER / "programs").glob("*.toml"))
        for entry in _read(file, "program")
    ]
    return (*_programs(entries, "code", right=True), *_programs(entries, "wrong", right=False))


def read_abuses() -> tuple[Abuse, ...]:
    """All abuses."""
    return tuple(Abuse.model_validate(one) for one in _read(_FOLDER / "abuses.toml", "abuse"))


def read_fakes() -> tuple[Fake, ...]:
    """All fakes."""
    return tuple(Fake.model_validate(one) for one in _read(_FOLDER / "fakes.toml", "fake"))


def _programs(entries: list[dict[str, str]], key: str, *, right: bool) -> Iterator[Program]:
    for entry in entries:
        if key in entry:
            yield Program(name=entry["name"], right=right, code=entry[key], tests=entry["tests"])


def _read(file: Path, key: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))[key]
    return entries
