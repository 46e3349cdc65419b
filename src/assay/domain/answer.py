"""What a session ends with."""

from __future__ import annotations

from enum import StrEnum

from assay.domain.data import Data
from assay.domain.solution import Solution
from assay.domain.team import TeamRecord
from assay.domain.usage import Usage
from assay.domain.verdict import Verdict


class Status(StrEnum):
    """How far an answer may be trusted."""

    VERIFIED = "verified"
    """Tests or examples passed, judged outside; none of the user's failed."""
    RAN = "ran"
    """It ran without error; nothing outside it showed that it does what was asked."""
    ANSWERED = "answered"
    """Prose: there is nothing to run."""
    UNVERIFIED = "unverified"
    """Checks failed or could not run."""
    FAILED = "failed"
    """There is no answer."""


class ErrorInfo(Data):
    """An error as data."""

    kind: str
    message: str


class Attempt(Data):
    """One solution with its verdicts, reflection and usage."""

    number: int
    """From 1."""
    step: int = 1
    """The step of the plan that it works on, from 1."""
    solution: Solution | None = None
    """None where the reply could not be read; `error` says why."""
    error: ErrorInfo | None = None
    verdicts: tuple[Verdict, ...] = ()
    reflection: str = ""
    usage: Usage = Usage()


class Answer(Data):
    """The best attempt, with what may be said of it and how it came about."""

    status: Status
    headline: str
    """The highest evidence that passed, what failed or was not run, and never more."""
    has_required_evidence: bool
    """Whether what the task requires is there: decides between exit status 0 and 1."""
    solution: Solution | None = None
    best: int | None = None
    """Number of the attempt that `solution` is from."""
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = Usage()
    advice: tuple[str, ...] = ()
    """Sentences that say what the person can do, `--requirements` say."""
    error: ErrorInfo | None = None
    team: TeamRecord | None = None
    """What a team did beside the attempts; None where one agent wrote alone."""
