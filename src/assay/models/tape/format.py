"""The file of a tape: JSON Lines, first a head that says who was asked, then one line a call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from pydantic import Field, ValidationError, model_validator

from assay.domain.answer import ErrorInfo
from assay.domain.data import Data, say_problem
from assay.domain.limits import MIB
from assay.domain.message import Prompt, Reply
from assay.domain.usage import Usage
from assay.errors import TapeError, error_of_kind
from assay.files import UnreadableFile, read_regular_file

TAPE_VERSION: Literal[1] = 1

SIZE_LIMIT = 256 * MIB
"""Bytes that a tape may have: fifty attempts whose prompts fill the largest windows there are."""

Line = dict[str, Any]


class Head(Data):
    """The first line."""

    tape: Literal[1] = TAPE_VERSION
    assay: str
    """Version of the Assay that recorded it."""
    model: str
    context_tokens: int = Field(ge=1)
    is_embedded: bool


class Ending(ErrorInfo):
    """The error that a call ended with, and what the call had used by then."""

    usage: Usage = Usage()


class Call(Data):
    """One call: a prompt, and either a reply or an error."""

    prompt: Prompt
    reply: Reply | None = None
    error: Ending | None = None

    @model_validator(mode="after")
    def _ends_in_one_way(self) -> Self:
        if (self.reply is None) == (self.error is None):
            raise ValueError("a call has either a reply or an error")
        if self.error is not None and error_of_kind(self.error.kind) is None:
            raise ValueError(f"there is no error of the kind {self.error.kind}")
        return self


@dataclass(frozen=True)
class Tape:
    """A tape that has been read."""

    path: Path
    head: Head
    calls: tuple[Call, ...]
    is_cut: bool
    """Whether its last line ends in the middle, as where the recording was killed."""


def to_line(data: Head | Call) -> bytes:
    """One line of a tape. Escaped, since replies can hold what is no text in any encoding."""
    return json.dumps(data.model_dump(mode="json")).encode() + b"\n"


def read_tape(path: Path) -> Tape:
    """Read a whole tape. A last line that is cut is left out.

    Raises:
        TapeError: it cannot be read as a tape of this version; the message says why.
    """
    try:
        content = read_regular_file(path, SIZE_LIMIT)
    except UnreadableFile as error:
        raise TapeError(f"{path} {error}. Name a tape that --record wrote.") from error
    return _read(path, BytesIO(content))


def _read(path: Path, file: BinaryIO) -> Tape:
    lines = _lines(path, file)
    first = next(lines, None)
    if first is None:
        raise TapeError(f"{path} is no tape: it has no whole first line. Record it again.")
    head = _head(path, first)
    calls = []
    is_cut = False
    for number, line in enumerate(lines, start=2):
        if line is None:
            is_cut = True
        else:
            calls.append(_call(path, number, line))
    return Tape(path, head, tuple(calls), is_cut)


def _lines(path: Path, file: BinaryIO) -> Iterator[Line | None]:
    """Each line as an object; None for a last one that is cut."""
    for number, line in enumerate(file, start=1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not line.endswith(b"\n"):
                yield None
                return
            raise TapeError(_no_line(path, number, "it is not JSON")) from error
        if not isinstance(value, dict):
            raise TapeError(_no_line(path, number, "it is no object"))
        yield value


def _head(path: Path, line: Line) -> Head:
    version = line.get("tape")
    if not isinstance(version, int):
        raise TapeError(f"{path} is no tape: its first line has no version. Name another file.")
    if version > TAPE_VERSION:
        raise TapeError(
            f"{path} was recorded by a newer Assay (tape version {version}, this one knows "
            f"{TAPE_VERSION}). Update Assay."
        )
    try:
        return Head.model_validate(line)
    except ValidationError as error:
        raise TapeError(_no_line(path, 1, _first_fault(error))) from error


def _call(path: Path, number: int, line: Line) -> Call:
    try:
        return Call.model_validate(line)
    except ValidationError as error:
        raise TapeError(_no_line(path, number, _first_fault(error))) from error


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {say_problem(first)}" if place else say_problem(first)


def _no_line(path: Path, number: int, why: str) -> str:
    return (
        f"Line {number} of the tape {path} is not as Assay wrote it: {why}. "
        "Take the original again, or record it anew with --record."
    )
