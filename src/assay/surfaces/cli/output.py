"""What a command leaves behind: code on stdout, a JSON object, files in a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.domain.results import Report, Result, Verification
from assay.domain.solution import Solution
from assay.errors import BadInput, OutputError
from assay.surfaces.cli.streams import is_plain, write_out
from assay.visible import visible

_COMMENT = {"javascript": "//", "typescript": "//"}


def print_solution(solution: Solution) -> None:
    """Print the code, and only the code; the prose of an answer in words."""
    if solution.is_prose:
        prose = solution.prefix.strip() + "\n"
        write_out(visible(prose) if sys.stdout.isatty() else prose)
        return
    for file in solution.files:
        if len(solution.files) > 1:
            write_out(f"{_COMMENT.get(solution.language or '', '#')} file: {file.path}\n")
        write_out(_coloured(file.source, solution.language))


def answer_json(result: Result) -> dict[str, Any]:
    """The object that `assay ask --json` prints."""
    answer = result.answer
    return {
        "status": answer.status.value,
        "headline": answer.headline,
        "language": answer.solution.language if answer.solution else None,
        "solution": solution_json(answer.solution),
        "best": answer.best,
        "attempts": [attempt.model_dump(mode="json") for attempt in answer.attempts],
        "team": answer.team.model_dump(mode="json") if answer.team else None,
        "usage": answer.usage.model_dump(mode="json"),
        "advice": list(answer.advice),
        "receipt": str(result.receipt) if result.receipt else None,
        "session": result.session,
        "error": answer.error.model_dump() if answer.error else None,
    }


def report_json(report: Report, solution: Solution | None) -> dict[str, Any]:
    """The object that `assay check --json` prints."""
    environment = report.environment
    return {
        "status": report.judgement.status.value,
        "headline": report.judgement.headline,
        "language": solution.language if solution else None,
        "solution": solution_json(solution),
        "verdicts": [verdict.model_dump(mode="json") for verdict in report.verdicts],
        "environment": environment.model_dump(mode="json") if environment else None,
        "advice": list(report.advice),
        "error": None,
    }


def verification_json(verification: Verification) -> dict[str, Any]:
    """The object that `assay verify --json` prints."""
    receipt, report = verification.receipt, verification.report
    shown = report_json(report, receipt.solution) if report else {"verdicts": [], "error": None}
    recorded = [verdict.model_dump(mode="json") for verdict in receipt.verdicts]
    changed = list(verification.changed)
    return {"holds": verification.holds, "changed": changed, **shown, "recorded": recorded}


def solution_json(solution: Solution | None) -> dict[str, Any] | None:
    """A solution with its files' whole sources."""
    if solution is None:
        return None
    files = [{**file.model_dump(), "source": file.source} for file in solution.files]
    return {**solution.model_dump(mode="json"), "files": files}


def check_folder(folder: Path) -> None:
    """Find out before anything is spent whether files can be written into `folder`.

    Raises:
        BadInput: it is a file or a link, or cannot be written to.
    """
    if folder.is_symlink():
        raise BadInput(f"The folder {folder} is a symbolic link; name a real folder with -o.")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is not a folder; name one with -o.")
    if not can_be_written(folder):
        raise BadInput(f"The folder {folder} cannot be written to; name another with -o.")


def can_be_written(folder: Path) -> bool:
    """Whether files can be written into `folder`, or it can be made."""
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return os.access(nearest, os.W_OK)


def write_files(solution: Solution, folder: Path) -> tuple[str, ...]:
    """Write a solution's files; what a file held before is kept beside it as `NAME.~N~`.

    Returns:
        What was written, in words, one a file.

    Raises:
        BadInput: a path in `folder` leads through a symbolic link.
        OutputError: a file cannot be written.
    """
    written = []
    for file in solution.files:
        path = folder.joinpath(*file.path.split("/"))
        for part in (path, *path.parents[: len(file.path.split("/"))]):
            if part.is_symlink():
                raise BadInput(f"{part} is a symbolic link; Assay writes through none.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = ""
            if path.exists() and path.read_bytes() != file.source.encode():
                kept = f" (what was there is kept as {path.rename(_backup(path)).name})"
            _write_whole(path, file.source)
        except OSError as error:
            raise OutputError(
                f"{path} cannot be written ({error.strerror}); the session keeps its code: "
                "assay sessions"
            ) from error
        written.append(f"{path}{kept}")
    return tuple(written)


def table(rows: Sequence[Sequence[str]], headings: Sequence[str]) -> None:
    """Print a table on stdout, plain where that is not a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from assay.surfaces.cli.console import StreamConsole

    if not sys.stdout.isatty():
        write_out("".join("\t".join(visible(cell) for cell in row) + "\n" for row in rows))
        return
    shown = Table(*headings, box=box.SIMPLE_HEAD)
    shown.columns[0].no_wrap = True  # an id is copied, and has to be whole for that
    for row in rows:
        shown.add_row(*(Text(visible(cell), overflow="fold") for cell in row))
    StreamConsole(sys.stdout).print(shown, soft_wrap=False)


def _write_whole(path: Path, text: str) -> None:
    """Write a file; none is left where the disk is too full for it."""
    try:
        path.write_text(text, "utf-8")
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _backup(path: Path) -> Path:
    numbers = iter(range(1, 10_000))
    return next(p for n in numbers if not (p := path.with_name(f"{path.name}.~{n}~")).exists())


def _coloured(source: str, language: str | None) -> str:
    """Harmless to a terminal, with colours where it can show them; else as it stands."""
    if not sys.stdout.isatty():
        return source
    source = visible(source)
    if is_plain(sys.stdout):
        return source
    from pygments import highlight
    from pygments.formatters import TerminalFormatter
    from pygments.lexers import TextLexer, get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        lexer = TextLexer()
    return str(highlight(source, lexer, TerminalFormatter()))
