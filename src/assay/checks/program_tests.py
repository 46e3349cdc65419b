"""Tests of a whole program, read from TOML: what each run is given, and what has to come of it."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from assay.domain.data import Data, say_problem
from assay.domain.task import TestFile
from assay.errors import BadInput, UnsafePath
from assay.sandbox.bubblewrap import safe_path
from assay.sandbox.protocol import WORKING_FOLDER

MAX_DESCRIBED = 20
MAX_DESCRIBED_TEXT = 1000
"""How many cases a prompt shows, and characters of one text in them."""

MAX_ARGUMENTS = 100_000
"""Bytes of all arguments together."""

EXAMPLE = '[[case]]\nargs = ["2", "3"]\nstdout = "5"'


def _one_or_more(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_one_or_more)]


class Case(Data):
    """One run of the program."""

    name: str = ""
    args: tuple[str, ...] = ()
    stdin: str = ""
    files: dict[str, str] = Field(default_factory=dict)
    """Path in the working folder -> what lies there when the program starts."""
    exit_status: int = Field(default=0, ge=0, le=255)
    stdout: str | None = None
    stdout_contains: Texts = ()
    stderr_contains: Texts = ()
    files_after: dict[str, str] = Field(default_factory=dict)
    """Path in the working folder -> what has to lie there when the program has ended."""
    exact: bool = False
    """Whether line ends, and white space at the ends of lines and of the text, count."""

    @property
    def expectations(self) -> int:
        """How many things are compared, the exit status among them where it is stated."""
        texts = (*self.stdout_contains, *self.stderr_contains, *self.files_after)
        return len(texts) + (self.stdout is not None) + ("exit_status" in self.model_fields_set)


class _CaseFile(Data):
    case: tuple[Case, ...] = Field(min_length=1)


@dataclass(frozen=True)
class ProgramTests:
    """The cases of one file."""

    file: TestFile
    cases: tuple[Case, ...]


@lru_cache(maxsize=8)
def parse_program_tests(file: TestFile) -> ProgramTests:
    """Read a file of cases; thousands take seconds, so what was found is kept.

    Raises:
        BadInput: it is not TOML, holds no case, or one that cannot be run or expects nothing.
    """
    try:
        table = tomllib.loads(file.source)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"The tests in {file.name} are not TOML: {error}. Put that right.") from None
    try:
        cases = _CaseFile.model_validate(table).case
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadInput(_explain(file.name, first)) from None
    for number, case in enumerate(cases, 1):
        if problem := _find_problem(case):
            raise BadInput(f"Case {number} of {file.name} {problem}")
    return ProgramTests(file, cases)


def describe_cases(cases: Sequence[Case]) -> tuple[str, ...]:
    """The first cases in words, a paragraph each: what is given, and what has to come of it."""
    said = ["\n  ".join(_describe(case)) for case in cases[:MAX_DESCRIBED]]
    if len(cases) > MAX_DESCRIBED:
        said.append(f"- and {len(cases) - MAX_DESCRIBED} more like these")
    return tuple(said)


def _describe(case: Case) -> Iterator[str]:
    yield f"- arguments: {shlex.join(case.args) or 'none'}"
    if case.stdin:
        yield f"standard input: {_quote(case.stdin)}"
    for path, text in case.files.items():
        yield f"the file {path} holds: {_quote(text)}"
    if case.stdout is not None:
        yield f"has to print: {_quote(case.stdout)}"
    for text in case.stdout_contains:
        yield f"has to print, among other things: {_quote(text)}"
    for text in case.stderr_contains:
        yield f"has to print on standard error, among other things: {_quote(text)}"
    for path, text in case.files_after.items():
        yield f"has to leave the file {path} with: {_quote(text)}"
    if "exit_status" in case.model_fields_set:
        yield f"has to end with exit status {case.exit_status}"


def _quote(text: str) -> str:
    return repr(text if len(text) <= MAX_DESCRIBED_TEXT else f"{text[:MAX_DESCRIBED_TEXT]}…")


def _explain(name: str, problem: ErrorDetails) -> str:
    """What pydantic found, as a sentence."""
    if problem["loc"] in {(), ("case",)} and problem["type"] != "extra_forbidden":
        return f"The file {name} holds no case; write such as\n\n{EXAMPLE}"
    place, known, key = f"The file {name}", "[[case]]", problem["loc"][0]
    match problem["loc"]:
        case (_, int(number), *inside):
            place, known = f"Case {number + 1} of {name}", ", ".join(Case.model_fields)
            key = ".".join(map(str, inside)) or key
    match problem["type"]:
        case "extra_forbidden":
            return f"{place} has `{key}`, which is not known; there is {known}."
        case "string_type":
            return f"{place} needs text for `{key}`: put it in quotes."
        case _:
            return f"{place} has a `{key}` that cannot be used: {say_problem(problem)}."


def _find_problem(case: Case) -> str:
    """Why a case cannot be used; empty where it can."""
    if not case.expectations:
        return "expects nothing; say what it has to print with `stdout`, or its `exit_status`."
    if not all(text.strip() for text in (*case.stdout_contains, *case.stderr_contains)):
        return "looks for an empty text, which is in every output; say what has to be printed."
    if "\0" in "".join(case.args) or len("".join(case.args).encode()) > MAX_ARGUMENTS:
        return (
            "has arguments that no program can be given: they may have "
            f"{MAX_ARGUMENTS:,} bytes in all, and no NUL character."
        )
    for path in (*case.files, *case.files_after):
        try:
            safe_path(WORKING_FOLDER, path)
        except UnsafePath:
            return f"names the file {path!r}, which is not inside the working folder."
    return ""
