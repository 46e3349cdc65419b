"""What a run showed, in the words of a verdict."""

from __future__ import annotations

import re
from typing import Any

from assay.domain.verdict import CheckName, Evidence, Outcome, Verdict
from assay.sandbox.protocol import Ending, Job, Run

MAX_SUMMARY = 500
MAX_FAILURES = 200
MAX_MISSING = 20
"""Kept of one run: few have more, but hostile code can report any number."""
MAX_SHOWN = 500
"""Characters of a value or call that are shown."""
_ERROR_LINE = re.compile(r"^(?:Uncaught )?[\w.]*(?:Error|Exception)\b.*")


def ended_well(run: Run) -> bool:
    """Whether the program came to its end with status 0."""
    return run.ending is Ending.EXITED and run.exit_status == 0


def outcome_of(run: Run) -> Outcome:
    """What the way a run ended says."""
    if run.ending is Ending.TIMED_OUT:
        return Outcome.TIMED_OUT
    if run.ending is Ending.OUT_OF_MEMORY:
        return Outcome.OUT_OF_MEMORY
    return Outcome.PASSED if ended_well(run) else Outcome.FAILED


def describe_ending(run: Run) -> str:
    """How a run that did not end well ended, in one line."""
    match outcome_of(run):
        case Outcome.TIMED_OUT:
            return f"still running after {run.seconds:.0f} seconds, and stopped"
        case Outcome.OUT_OF_MEMORY:
            return "stopped: it used more memory than it may"
    if run.ending is Ending.TOO_MANY_FILES:
        return "stopped: it made more files than it may"
    if run.signal:
        return f"ended by {run.signal}"
    if run.exit_status == 0:
        return "ended early with exit status 0"
    return error_line(run.stderr.text) or f"ended with exit status {run.exit_status}"


def error_line(stderr: str) -> str:
    """The line that names the error: after Python's last frame, else one that looks like it."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    frames = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    after = lines[frames[-1] :] if frames else []
    for line in after:
        if not line.startswith(" "):
            return line[:MAX_SUMMARY]
    for line in reversed(lines):
        if _ERROR_LINE.match(line):
            return line[:MAX_SUMMARY]
    return lines[-1][:MAX_SUMMARY] if lines else ""


def of_run(run: Run, job: Job, **more: Any) -> Evidence:
    """The evidence that any run gives, and what the check adds, as far as anyone reads it."""
    more["failures"] = more.get("failures", ())[:MAX_FAILURES]
    more["missing"] = tuple(cut(name, 100) for name in more.get("missing", ())[:MAX_MISSING])
    more["summary"] = cut(more.get("summary", ""), 2 * MAX_SUMMARY)
    return Evidence(
        command=job.command,
        exit_status=run.exit_status,
        signal=run.signal,
        stdout=run.stdout.text,
        stderr=run.stderr.text,
        output_cut=run.stdout.cut or run.stderr.cut,
        seconds=run.seconds,
        cpu_seconds=run.cpu_seconds,
        peak_memory_bytes=run.peak_memory_bytes,
        **more,
    )


def without_run(
    check: CheckName, outcome: Outcome, summary: str, missing: tuple[str, ...] = ()
) -> Verdict:
    """The verdict of a check for which nothing was run."""
    return Verdict(
        check=check, outcome=outcome, evidence=Evidence(summary=summary, missing=missing)
    )


def cut(text: str, length: int = MAX_SHOWN) -> str:
    """`text`, with a mark where it was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"
