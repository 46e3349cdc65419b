"""What a team has done beside its attempts: the plan, the tests it wrote, what it improved."""

from __future__ import annotations

from assay.domain.data import Data
from assay.domain.plan import Plan
from assay.domain.task import TestFile


class Suite(Data):
    """Tests that an agent wrote from the task, and what they were found to be worth."""

    step: int
    """The step that they are of, from 1."""
    file: TestFile
    kept: bool
    reason: str = ""
    """Why it was thrown away, or which of its tests were."""
    tests: int = 0
    mutants: int = 0
    """Changed versions of the solution that it was tried on."""
    killed: int = 0
    """How many of them it found wrong."""


class Optimization(Data):
    """A proposal to make a solution better, with what was measured."""

    attempt: int
    """Number of the attempt that holds the proposal."""
    kept: bool
    reason: str
    """What was measured, or why nothing was; a sentence."""
    seconds_before: float | None = None
    """Median of one run; None where nothing was measured."""
    seconds_after: float | None = None
    peak_bytes_before: int | None = None
    peak_bytes_after: int | None = None
    pairs: int = 0
    """How often the two were run in turn."""


class TeamRecord(Data):
    """The work of a team on one task."""

    plan: Plan | None = None
    done: int = 0
    """How many of the plan's steps are done."""
    suites: tuple[Suite, ...] = ()
    optimization: Optimization | None = None
    closing: str = ""
    """The Manager's last message."""
    draft: str = ""
    """What the Check-In agent wrote of the change: a title, an empty line, a description."""

    @property
    def is_done(self) -> bool:
        """Whether no step of a divided plan is left."""
        return self.plan is None or not self.plan.is_divided or self.done >= len(self.plan.steps)

    @property
    def tests(self) -> tuple[TestFile, ...]:
        """The generated tests that count."""
        return tuple(suite.file for suite in self.suites if suite.kept)
