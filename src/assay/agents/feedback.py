"""What is said to a model of an attempt that failed."""

from __future__ import annotations

from assay.domain.answer import Attempt
from assay.domain.verdict import CheckName, Failure, Outcome, Verdict

MAX_FAILURES = 5
MAX_LINES = 12
MAX_LINE = 300

_HOW_IT_ENDED = {
    Outcome.FAILED: "failed",
    Outcome.TIMED_OUT: "was stopped because it ran too long",
    Outcome.OUT_OF_MEMORY: "was stopped because it used too much memory",
    Outcome.COULD_NOT_RUN: "could not run",
}


def feedback_on(attempt: Attempt, *, hide_tests: bool) -> str:
    """Say briefly what went wrong: the first check that did not pass, test by test.

    Args:
        attempt: what was tried.
        hide_tests: say of test files only how many tests failed. What their run printed or raised
            may hold what they compare with, so nothing of it is said.

    Returns:
        An empty string when nothing went wrong.
    """
    if attempt.error is not None:
        return attempt.error.message
    for verdict in attempt.verdicts:
        if not verdict.passed and verdict.outcome is not Outcome.NOT_RUN:
            hidden = hide_tests and verdict.check is CheckName.TESTS
            return _of_hidden(verdict) if hidden else _of_verdict(verdict)
    return ""


def _of_hidden(verdict: Verdict) -> str:
    evidence = verdict.evidence
    said = f"The check of hidden tests {_HOW_IT_ENDED[verdict.outcome]}"
    counted = f": {evidence.failed} of {evidence.total} did not pass" if evidence.total else ""
    return f"{said}{counted}."


def _of_verdict(verdict: Verdict) -> str:
    evidence = verdict.evidence
    name = verdict.check.value.replace("_", " ")
    head = f"The check of its {name} {_HOW_IT_ENDED[verdict.outcome]}"
    lines = [f"{head}: {evidence.summary}" if evidence.summary else f"{head}."]
    lines += [_of_failure(failure) for failure in evidence.failures[:MAX_FAILURES]]
    if evidence.failed > MAX_FAILURES:
        lines.append(f"… and {evidence.failed - MAX_FAILURES} more.")
    if not evidence.failures and verdict.outcome is not Outcome.COULD_NOT_RUN:
        # A compiler's first error is the one that matters, a program's last line.
        told = _lines(evidence.stderr)
        is_compiled = verdict.check is CheckName.IMPORTS
        lines += told[:MAX_LINES] if is_compiled else told[-MAX_LINES:]
    return "\n".join(lines)


def _of_failure(failure: Failure) -> str:
    where = f", where {_short(failure.where)}" if failure.where else ""
    parts = [_short(failure.test) + where]
    if failure.got:
        parts.append(f"expected {_short(failure.expected)}, got {_short(failure.got)}")
    elif failure.expected and failure.message:
        return f"- {parts[0]}: expected {_short(failure.expected)}, but {_short(failure.message)}"
    if failure.message:
        parts.append(_short(failure.message))
    return "- " + ": ".join(parts)


def _lines(text: str) -> list[str]:
    return [_short(line) for line in text.splitlines() if line.strip()]


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}…"
