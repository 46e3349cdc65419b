"""Exit statuses, and how errors are told: one sentence on stderr, and the `error` of --json."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import AssayError, CheckInError, OutputError, UsageError, error_of_kind
from assay.surfaces.cli.streams import complain, print_json

if TYPE_CHECKING:
    from assay.domain.answer import Answer
    from assay.surfaces.cli.reports import Reports

OK = 0
WITHOUT_EVIDENCE = 1
NO_SANDBOX = 5


@contextmanager
def told(
    as_json: bool = False, command: str = "", reports: Reports | None = None
) -> Iterator[None]:
    """Turn Assay's errors into their sentence and exit status; no traceback reaches a person.

    Args:
        as_json: Whether --json was given.
        command: The name of a command whose objects all have the same keys.
        reports: Where else it is told, with --junit and --summary.
    """
    try:
        if reports is not None:
            reports.check()
        yield
    except AssayError as error:
        if reports is not None and not isinstance(error, CheckInError):
            # Why they cannot be written is known, or told below.
            with suppress(OutputError):
                reports.write_failure(error.message)
        tell(error.kind, error.message, as_json, command)
        sys.exit(error.exit_status)


def tell(kind: str, message: str, as_json: bool, command: str = "") -> None:
    """Say what went wrong: on stderr, and with --json as the one object on stdout."""
    complain(f"assay: {message}")
    if as_json:
        # Where stdout is what cannot be written, it has been said already.
        with suppress(OutputError):
            print_json(failure_json(kind, message, command))


def tell_wrong_use(error: typer.TyperException, arguments: Sequence[str]) -> int:
    """Tell what is wrong with a command line that could not be read; return the exit status."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "assay"
    message = f"{error.format_message().rstrip('.')}. See: {path} --help"
    tell(UsageError.kind, message, *_asked_for(arguments))
    return UsageError.exit_status


def tell_bug(error: Exception, arguments: Sequence[str]) -> int:
    """Tell that Assay itself failed, and where the details are; return the exit status."""
    if os.environ.get("ASSAY_DEBUG"):
        traceback.print_exception(error)
    kept = _keep_details(error)
    details = f"The details are in {kept}" if kept else "Set ASSAY_DEBUG=1 to see the details"
    message = (
        f"This is a bug of Assay's ({type(error).__name__}). {details}; please report it. "
        "What a session had so far is kept: assay sessions"
    )
    tell("bug", message, *_asked_for(arguments))
    return WITHOUT_EVIDENCE


def failure_json(kind: str, message: str, command: str = "") -> dict[str, Any]:
    """The object of a command that came to nothing, with all keys that its object has."""
    from assay.domain.answer import Status
    from assay.domain.usage import Usage

    failed = {"status": Status.FAILED.value, "headline": f"No answer. {message}"}
    nothing: dict[str, dict[str, Any]] = {
        "ask": {
            **failed,
            "language": None,
            "solution": None,
            "best": None,
            "attempts": [],
            "team": None,
            "usage": Usage().model_dump(mode="json"),
            "advice": [],
            "receipt": None,
            "session": None,
            "checked_in": None,
        },
        "check": {
            **failed,
            "language": None,
            "solution": None,
            "verdicts": [],
            "environment": None,
            "advice": [],
        },
        "verify": {"holds": False, "changed": [], "verdicts": [], "recorded": []},
    }
    return {**nothing.get(command, {}), "error": {"kind": kind, "message": message}}


def status_of(answer: Answer) -> int:
    """The exit status for an answer."""
    if answer.error is not None:
        kind = error_of_kind(answer.error.kind)
        return kind.exit_status if kind else WITHOUT_EVIDENCE
    return OK if answer.has_required_evidence else WITHOUT_EVIDENCE


def _asked_for(arguments: Sequence[str]) -> tuple[bool, str]:
    """Whether JSON is wanted, and the command, of arguments that may not make sense."""
    return "--json" in arguments, next((word for word in arguments if word[:1] != "-"), "")


def _keep_details(error: Exception) -> Path | None:
    """Write the traceback into the data folder, where that can be done."""
    with suppress(Exception):
        from assay.settings import Settings

        folder = Settings().data_folder / "bugs"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        path.write_text("".join(traceback.format_exception(error)), "utf-8", "backslashreplace")
        return path
    return None
