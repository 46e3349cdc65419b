"""Handing over what a session came to: code, files or JSON, and the line that says its worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay.domain.answer import ErrorInfo
from assay.domain.checkin import CheckedIn
from assay.domain.results import Result
from assay.errors import AssayError
from assay.surfaces.cli.display import Display
from assay.surfaces.cli.exits import status_of
from assay.surfaces.cli.output import answer_json, print_solution, write_files
from assay.surfaces.cli.streams import print_json


def deliver(
    result: Result,
    display: Display,
    output: Path | None,
    *,
    as_json: bool,
    check_in: Callable[[], CheckedIn] | None = None,
) -> int:
    """Print the answer, write its files into `output`, say how it ended; return the exit status.

    Args:
        result: What came of the session.
        display: Where it is said.
        output: A folder for the files.
        as_json: Whether one object is printed instead of the code; it tells of the check-in too.
        check_in: Checks the answer in, once it has been shown.

    Raises:
        OutputError: stdout cannot be written.
    """
    written: tuple[str, ...] = ()
    if output and result.answer.solution:
        try:
            written = write_files(result.answer.solution, output)
        except AssayError as error:
            result = _with_error(result, error)
    try:
        if not as_json and result.answer.solution:
            display.gap()
            print_solution(result.answer.solution)
            display.gap()
    finally:
        _say_how_it_ended(result, display)
        for one in written:
            display.say(f"wrote {one}")
    done, refusal = None, None
    if check_in is not None and result.answer.solution is not None:
        try:
            done = check_in()
        except AssayError as error:
            refusal = error
            display.insist(f"assay: {error.message}")
    if as_json:
        if refusal is not None and result.answer.error is None:
            result = _with_error(result, refusal)
        print_json({**answer_json(result), "checked_in": done and done.model_dump(mode="json")})
    return refusal.exit_status if refusal is not None else status_of(result.answer)


def _with_error(result: Result, error: AssayError) -> Result:
    """The answer stays, and says what went wrong with its files."""
    described = ErrorInfo(kind=error.kind, message=error.message)
    return replace(result, answer=result.answer.model_copy(update={"error": described}))


def _say_how_it_ended(result: Result, display: Display) -> None:
    """The headline, what to do, and where the receipt is; an error even with --quiet."""
    answer = result.answer
    if answer.error is not None and answer.solution is not None:
        display.insist(f"assay: {answer.error.message}")
    if answer.solution is None:
        display.insist(f"assay: {answer.headline}")
    else:
        display.headline(answer.status, answer.headline)
    for advice in answer.advice:
        display.say(advice, "yellow")
    if answer.solution is not None and answer.solution.set_apart:
        display.say("Calls and asserts that the model added were kept apart and not run.", "dim")
    display.say(f"session {result.session}", "dim")
    if result.receipt:
        display.say(f"receipt {result.receipt}", "dim")
