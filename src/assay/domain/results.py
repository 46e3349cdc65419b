"""What calls of Assay come to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.domain.answer import Answer
from assay.domain.judgement import Judgement, is_confirmed
from assay.domain.receipt import Environment, Receipt
from assay.domain.verdict import Verdict


@dataclass(frozen=True)
class Result:
    """How a session ended."""

    session: str
    answer: Answer
    receipt: Path | None
    """The receipt's file; None where nothing was run."""


@dataclass(frozen=True)
class Report:
    """What checks on code that exists already have shown."""

    verdicts: tuple[Verdict, ...]
    judgement: Judgement
    environment: Environment | None
    """None where the language cannot be run on this machine."""
    advice: tuple[str, ...] = ()
    """Sentences that say what the person can do, `--requirements` say."""


@dataclass(frozen=True)
class Verification:
    """What running a receipt's checks again has shown."""

    receipt: Receipt
    changed: tuple[str, ...]
    """Files whose content is no longer what the receipt's hashes say; then nothing was run."""
    report: Report | None

    @property
    def holds(self) -> bool:
        """Whether every file is as it was and every check ends as it did."""
        if self.changed or self.report is None:
            return False
        return is_confirmed(self.receipt, self.report.verdicts)
