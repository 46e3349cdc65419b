"""What a command has shown, as reports for others tell it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.domain.answer import Status
from assay.domain.judgement import best_attempt
from assay.domain.results import Report, Result, Verification
from assay.domain.solution import Solution
from assay.domain.team import TeamRecord
from assay.domain.usage import Usage
from assay.domain.verdict import Verdict


@dataclass(frozen=True)
class Shown:
    """One command's result."""

    title: str
    """What was done: `Answer`, `Check`, `Verification`."""
    status: Status
    headline: str
    is_enough: bool
    """Whether the command ends with status 0 for it."""
    verdicts: tuple[Verdict, ...] = ()
    solution: Solution | None = None
    advice: tuple[str, ...] = ()
    error: str = ""
    session: str | None = None
    receipt: Path | None = None
    usage: Usage | None = None
    attempts: int = 0
    team: TeamRecord | None = None

    @classmethod
    def of_result(cls, result: Result) -> Shown:
        """What `assay ask` comes to."""
        answer = result.answer
        best = best_attempt(answer.attempts)
        return cls(
            title="Answer",
            status=answer.status,
            headline=answer.headline,
            is_enough=answer.has_required_evidence and answer.error is None,
            verdicts=best.verdicts if best else (),
            solution=answer.solution,
            advice=answer.advice,
            error=answer.error.message if answer.error else "",
            session=result.session,
            receipt=result.receipt,
            usage=answer.usage,
            attempts=len(answer.attempts),
            team=answer.team,
        )

    @classmethod
    def of_report(cls, report: Report, solution: Solution) -> Shown:
        """What `assay check` comes to."""
        judged = report.judgement
        return cls(
            title="Check",
            status=judged.status,
            headline=judged.headline,
            is_enough=judged.has_required_evidence,
            verdicts=report.verdicts,
            solution=solution,
            advice=report.advice,
        )

    @classmethod
    def of_verification(cls, verification: Verification, path: Path) -> Shown:
        """What `assay verify` comes to."""
        report, receipt = verification.report, verification.receipt
        said = "The receipt holds" if verification.holds else "The receipt does not hold"
        changed = f": changed are {', '.join(verification.changed)}" if verification.changed else ""
        judged = f". {report.judgement.headline}" if report else f"{changed}."
        return cls(
            title="Verification",
            status=report.judgement.status if report else Status.FAILED,
            headline=f"{said}{judged}",
            is_enough=verification.holds,
            verdicts=report.verdicts if report else (),
            solution=receipt.solution,
            session=receipt.session,
            receipt=path,
        )

    @classmethod
    def of_failure(cls, message: str) -> Shown:
        """A command that came to nothing."""
        return cls(
            title="Failure",
            status=Status.FAILED,
            headline=message,
            is_enough=False,
            error=message,
        )
