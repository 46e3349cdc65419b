"""Reading what the command line names: the question, tests, requirements, attachments."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assay.context.attachments import read_attachments
from assay.context.workfolder import read_working_folder
from assay.domain.limits import MIB, Limits, RunLimits
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Attachment, Grants
from assay.errors import BadInput, TapeError
from assay.sandbox.languages import add_languages, get_language, language_names, language_of_path
from assay.settings import Settings, read_settings
from assay.store.records import SessionRecord
from assay.surfaces.cli.display import Display
from assay.surfaces.cli.streams import complain

MAX_TEXT_BYTES = 16 * MIB


def read_question(words: str) -> str:
    """The question itself, or stdin where it is `-`.

    Raises:
        BadInput: it is not UTF-8, or far too long.
    """
    return read_stdin("question") if words == "-" else read_argument(words, "question")


def read_argument(words: str, what: str) -> str:
    """An argument as text.

    Raises:
        BadInput: it is not UTF-8.
    """
    try:
        words.encode()
    except UnicodeEncodeError:
        # Where the locale is not UTF-8, Python hands its bytes over in disguise.
        return _text(os.fsencode(words), what)
    return words


def read_stdin(what: str) -> str:
    """All of stdin as text.

    Raises:
        BadInput: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        content = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise BadInput(f"The {what} cannot be read from stdin: {error.strerror}.") from error
    if len(content) > MAX_TEXT_BYTES:
        raise BadInput(f"The {what} on stdin is larger than {MAX_TEXT_BYTES // MIB} MiB.")
    return _text(content, f"{what} on stdin")


def read_text(path: Path, what: str) -> str:
    """A file of the user's as text.

    Raises:
        BadInput: it is missing, unreadable, a folder, too large, or not UTF-8.
    """
    try:
        if not path.exists():
            raise BadInput(f"The {what} {path} does not exist.")
        if not path.is_file():
            raise BadInput(f"The {what} {path} is not a file.")
        if path.stat().st_size > MAX_TEXT_BYTES:
            raise BadInput(f"The {what} {path} is larger than {MAX_TEXT_BYTES // MIB} MiB.")
        return _text(path.read_bytes(), f"{what} {path}")
    except OSError as error:
        raise BadInput(f"The {what} {path} cannot be read: {error.strerror}.") from error


def read_examples(examples: Sequence[str]) -> tuple[str, ...]:
    """The user's examples."""
    return tuple(read_argument(example, "example") for example in examples)


def read_attached(paths: Sequence[Path]) -> tuple[Attachment, ...]:
    """The attachments that can be read; a line on stderr for each one that cannot."""
    attachments, skipped = read_attachments(paths)
    for one in skipped:
        complain(f"assay: the attachment {one.source} is left out: it {one.reason}")
    return attachments


def read_grants(
    env: Sequence[str], python: str | None, requirements: Path | None, stand_ins: Sequence[str]
) -> Grants:
    """What the user's flags give to runs.

    Raises:
        BadInput: a file cannot be read, or there is no such stand-in or interpreter.
    """
    unknown = sorted(set(stand_ins) - {"openai"})
    if unknown:
        raise BadInput(f"There is no stand-in {unknown[0]!r}; there is openai.")
    if python is not None and shutil.which(python) is None:
        raise BadInput(f"There is no interpreter {python}; name one that is there with --python.")
    text = None if requirements is None else read_text(requirements, "requirements file")
    return Grants(
        env=tuple(env),
        python=python,
        requirements=text,
        stand_ins=("openai",) if stand_ins else (),
    )


def settings(**flags: Any) -> Settings:
    """Settings with the flags that were given on top.

    Raises:
        BadInput: a value cannot be used; says which and where it may have come from.
    """
    found = read_settings(**{name: value for name, value in flags.items() if value is not None})
    if found.languages is not None:
        add_languages(found.languages)
    return found


def check_tape(tape: Path, model: str) -> None:
    """Make sure that a tape was recorded with the model that a flag names beside it.

    Raises:
        TapeError: it cannot be read, or another model was recorded.
    """
    from assay.models.tape.format import read_tape

    recorded = read_tape(tape).head.model
    if model != recorded:
        raise TapeError(
            f"The tape {tape} was recorded with {recorded}, and --model says {model}. "
            "Leave --model out: a tape is played without its model."
        )


def given_limits(settings: Settings, *flags: float | None) -> dict[str, Limits]:
    """The limits of a task some of whose flags are given; without any, it has none of its own."""
    return {} if all(flag is None for flag in flags) else {"limits": settings.limits}


def read_begun(prefix: str) -> SessionRecord:
    """What an earlier session was begun with.

    Raises:
        SessionNotFound: there is none, or more than one.
    """
    from assay.client import Assay

    with closing(Assay(settings()).open_store()) as store:
        return store.record(store.find(prefix))


def read_folder(
    folder: Path | None, test_command: str | None, attached: tuple[Attachment, ...]
) -> dict[str, Any]:
    """The fields of a task that works on a folder, with what is attached beside it.

    Raises:
        BadInput: the folder cannot be worked on, or the command cannot be read.
    """
    if folder is None:
        if test_command is not None:
            raise BadInput("--test-command tests a folder: name it with --in.")
        return {"attachments": attached}
    files, skipped = read_working_folder(folder)
    for one in skipped:
        complain(f"assay: {one.source} is left out: it {one.reason}")
    try:
        words = tuple(shlex.split(test_command or ""))
    except ValueError as error:
        raise BadInput(f"--test-command cannot be read ({error}).") from error
    others = {file.name: file for file in (*files, *attached)}
    return {
        "attachments": tuple(others.values()),
        "folder": tuple(file.name for file in files),
        "test_command": words,
    }


def language_name(name: str | None) -> str | None:
    """The canonical name of a language.

    Raises:
        UnknownName: there is no such language.
    """
    return get_language(name).name if name else None


def run_limits(language: str | None, seconds: float | None, mib: int | None) -> RunLimits | None:
    """The language's own limits with the user's on top; None where the user has none."""
    if seconds is None and mib is None:
        return None
    limits = get_language(language or "python").limits.model_dump()
    if seconds is not None:
        limits |= {"wall_seconds": seconds, "cpu_seconds": max(limits["cpu_seconds"], 2 * seconds)}
    if mib is not None:
        limits["memory_bytes"] = mib * MIB
    try:
        return RunLimits(**limits)
    except ValidationError as error:
        raise BadInput(
            "--run-timeout has to be positive and at most 1,000,000 seconds, "
            "--run-memory at least 16 MiB, and no more than a machine can have."
        ) from error


def read_solution(paths: Sequence[Path], language: str | None) -> Solution:
    """Files that exist already as a solution; the last one is the program.

    Raises:
        BadInput: one cannot be read, two have one name, or the language is not known.
    """
    names = [path.name for path in paths]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadInput(f"Two files are named {min(twice)}; give each its own name.")
    files = [SolutionFile(path=path.name, code=read_text(path, "file")) for path in paths]
    found = get_language(language) if language else language_of_path(paths[-1].name)
    if found is None:
        known = ", ".join(language_names())
        raise BadInput(
            f"{paths[-1]} is in no language that can be run here by its name ({known}); "
            "name its language with --language."
        )
    if not files[-1].source.strip():
        raise BadInput(f"The file {paths[-1]} is empty; there is nothing to check.")
    return Solution(language=found.name, files=tuple(files))


def pull_when_missing(settings: Settings, display: Display) -> None:
    """Fetch the weights of the embedded model that is asked for, where they are not there yet."""
    from assay.surfaces.cli.models import fetch, is_missing

    provider, _, name = settings.model.partition(":")
    is_asked = settings.allow_model_calls and settings.replay is None
    if provider == "embedded" and is_asked and is_missing(name, settings):
        fetch(name, settings, display)


def _text(content: bytes, what: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"The {what} is not UTF-8 text; save or send it as UTF-8.") from error
