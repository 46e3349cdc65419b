"""What is checked in: files, and what is said of them with the evidence there is."""

from __future__ import annotations

from dataclasses import dataclass

from assay.domain.answer import Answer, Status
from assay.domain.judgement import best_attempt
from assay.domain.verdict import CheckName, Verdict
from assay.errors import CheckInRefused
from assay.markdown import fenced, inline, table
from assay.visible import visible

MAX_TITLE = 72
TRAILER = "Assay-Session"
"""Of a commit's message; finds it again."""


@dataclass(frozen=True)
class Change:
    """Files with a title and a description."""

    session: str
    title: str
    """One line of plain text."""
    words: str
    """What it does, in plain text; may be empty."""
    evidence: str
    """What was shown, in Markdown."""
    headline: str
    files: dict[str, bytes]
    """By path, with forward slashes."""

    @property
    def marker(self) -> str:
        """What finds this change again, wherever it was put."""
        return f"{TRAILER}: {self.session}"

    @property
    def message(self) -> str:
        """A commit's message."""
        parts = [self.title, self.words, self.headline, self.marker]
        return "\n\n".join(part for part in parts if part) + "\n"

    @property
    def body(self) -> str:
        """A description in Markdown."""
        words = fenced(self.words) if self.words else ""
        parts = [words, self.evidence, f"`{self.marker}`"]
        return "\n\n".join(part for part in parts if part) + "\n"


def change_of(
    session: str, instructions: str, answer: Answer, *, allow_unverified: bool = False
) -> Change:
    """Put together what is checked in of an answer.

    Args:
        session: Whose answer it is.
        instructions: What was asked.
        answer: With the text that a team's Check-In agent wrote, if any.
        allow_unverified: Whether it may lack the evidence that was required.

    Raises:
        CheckInRefused: there are no files, or the evidence is missing.
    """
    solution = answer.solution
    if solution is None or solution.is_prose:
        raise CheckInRefused(f"Session {session} has no code that could be checked in.")
    if not answer.has_required_evidence and not allow_unverified:
        raise CheckInRefused(
            f"The answer lacks the evidence that was required ({answer.headline.rstrip('.')}), so "
            "it is not checked in. If you want it all the same, say --allow-unverified; the "
            "description will tell."
        )
    draft = answer.team.draft if answer.team else ""
    title, _, words = (draft or instructions.strip()).partition("\n")
    if not draft:
        words = instructions.strip() if words or len(title) > MAX_TITLE else ""
    return Change(
        session=session,
        title=_one_line(title) or f"Answer of session {session}",
        words=visible(words.strip()),
        evidence=_evidence(answer),
        headline=_headline(answer),
        files={file.path: file.source.encode("utf-8", "replace") for file in solution.files},
    )


def _headline(answer: Answer) -> str:
    """Status and headline; that the evidence is missing stands first."""
    said = f"{answer.status.value.upper()}: {visible(answer.headline)}"
    return said if answer.has_required_evidence else f"NOT SHOWN TO WORK. {said}"


def _evidence(answer: Answer) -> str:
    best = best_attempt(answer.attempts)
    verdicts = best.verdicts if best else ()
    rows = [_row(verdict) for verdict in verdicts if verdict.check is not CheckName.BENCHMARK]
    parts = [f"**{inline(_headline(answer))}**"]
    if rows:
        parts.append(table(("check", "outcome", "judged", "shown"), rows))
    if answer.team and answer.team.suites:
        parts += [_suites(answer)]
    if answer.team and answer.team.optimization:
        parts.append(f"Optimizer: {inline(answer.team.optimization.reason)}")
    if answer.status is not Status.VERIFIED and answer.has_required_evidence:
        parts.append("No test of the user's was passed outside the code's own process.")
    return "\n\n".join(parts)


def _row(verdict: Verdict) -> tuple[str, ...]:
    judged = verdict.judged.value.replace("_", " ") if verdict.judged else ""
    evidence = verdict.evidence
    shown = f"{evidence.passed} of {evidence.total} passed" if evidence.total else evidence.summary
    names = (verdict.check.value, verdict.outcome.value)
    return (*(name.replace("_", " ") for name in names), judged, inline(shown))


def _suites(answer: Answer) -> str:
    kept = [suite for suite in answer.team.suites if suite.kept] if answer.team else []
    tests = sum(suite.tests for suite in kept)
    killed, mutants = (sum(getattr(one, name) for one in kept) for name in ("killed", "mutants"))
    return f"Generated tests: {tests}, which find {killed} of {mutants} mutants wrong."


def _one_line(text: str) -> str:
    line = " ".join(visible(text).split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1]}…"
