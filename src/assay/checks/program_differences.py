"""What a run of a program shows that differs from what a case expects.

The program wrote all of it, and may be hostile: it can be anything, and very long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.checks.evidence import describe_ending, error_line
from assay.checks.program_tests import Case
from assay.sandbox.protocol import Ending, Output, Run

BEFORE, SHOWN = 40, 200
"""Characters of a long line that are shown: before the first that differs, and in all."""


@dataclass(frozen=True)
class Difference:
    """One expectation that was not met."""

    message: str = ""
    expected: str = ""
    got: str = ""


def find_differences(case: Case, run: Run) -> list[Difference]:
    """Compare a run with what its case expects; a run that was stopped meets nothing."""
    found = list(_ending(case, run))
    if run.exit_status is None:
        return found
    if case.stdout is not None:
        found += _output("standard output", case.stdout, run.stdout, exact=case.exact)
    found += _lacking("standard output", case.stdout_contains, run.stdout, exact=case.exact)
    found += _lacking("standard error", case.stderr_contains, run.stderr, exact=case.exact)
    for path, expected in case.files_after.items():
        found += _file(path, expected, run.files.get(path), exact=case.exact)
    return found


def _ending(case: Case, run: Run) -> Iterator[Difference]:
    if run.ending is not Ending.EXITED:
        yield Difference(describe_ending(run))
    elif run.exit_status != case.exit_status:
        said = error_line(run.stderr.text)
        yield Difference(
            f"exit status {run.exit_status} in place of {case.exit_status}"
            + (f" ({said})" if said else "")
        )


def _output(what: str, expected: str, output: Output, *, exact: bool) -> Iterator[Difference]:
    if output.cut:
        yield Difference(f"{what} has {output.size:,} bytes, far more than is expected")
    elif len(output.text.encode()) != output.size:
        yield Difference(f"{what} is not UTF-8 text")
    else:
        yield from _texts(what, expected, output.text, exact=exact)


def _lacking(
    what: str, parts: Iterable[str], output: Output, *, exact: bool
) -> Iterator[Difference]:
    text = "\n".join(_lines(output.text, exact=exact))
    kept = f", as far as its {output.size:,} bytes are kept" if output.cut else ""
    for part in parts:
        if "\n".join(_lines(part, exact=exact)) not in text:
            message = f"{what} does not contain it{kept}"
            yield Difference(message, _line(part, 0), _line(text, 0))


def _file(path: str, expected: str, content: bytes | None, *, exact: bool) -> Iterator[Difference]:
    if content is None:
        yield Difference(f"there is no file {path} that can be read")
        return
    try:
        text = content.decode()
    except UnicodeDecodeError:
        yield Difference(f"the file {path} is not UTF-8 text")
    else:
        yield from _texts(f"the file {path}", expected, text, exact=exact)


def _texts(what: str, expected: str, got: str, *, exact: bool) -> Iterator[Difference]:
    """The first line that differs, alone where there is only one."""
    wanted, found = _lines(expected, exact=exact), _lines(got, exact=exact)
    if wanted == found:
        return
    pairs = zip(wanted, found, strict=False)
    number = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(wanted), len(found)))
    left, right = (lines[number] if number < len(lines) else None for lines in (wanted, found))
    start = _first_difference(left or "", right or "")
    alone = what == "standard output" and max(len(wanted), len(found)) == 1
    yield Difference(
        "" if alone else f"line {number + 1} of {what} differs",
        _line(left, start),
        _line(right, start),
    )


def _lines(text: str, *, exact: bool) -> list[str]:
    """The lines of a text that are compared; without `exact`, only what is seen of them."""
    if exact:
        return text.split("\n")
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _first_difference(left: str, right: str) -> int:
    pairs = zip(left, right, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _line(line: str | None, difference: int) -> str:
    """A line as it is shown; of a long one, the part around the first difference."""
    if line is None:
        return "no such line"
    start = max(0, difference - BEFORE) if len(line) > SHOWN else 0
    end = start + SHOWN
    part = _visible(line[start:end])
    return ("…" if start else "") + part + ("…" if end < len(line) else "")


def _visible(text: str) -> str:
    """A text as it stands where that shows all of it, else as a literal."""
    plain = text.isprintable() and text == text.strip() and text
    return text if plain else repr(text)
