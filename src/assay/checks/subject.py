"""What is checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.domain.limits import RunLimits
from assay.domain.solution import Solution
from assay.domain.task import Attachment, Grants, TestFile

DEFAULT_LANGUAGE = "python"


@dataclass(frozen=True)
class Subject:
    """A solution with everything that its checks need, as a task or a receipt has it."""

    solution: Solution
    tests: tuple[TestFile, ...] = ()
    examples: tuple[str, ...] = ()
    """Expressions such as `f(1, 2) == 3`."""
    generated: tuple[TestFile, ...] = ()
    """Tests that a model wrote from the task."""
    attachments: tuple[Attachment, ...] = ()
    delivers_tests: bool = False
    """Whether the solution is tests of the attached code."""
    test_command: tuple[str, ...] = ()
    """What tests the folder that the attachments are of."""
    grants: Grants = field(default_factory=Grants)
    run_limits: RunLimits | None = None
    """None: the language's own."""

    @property
    def language(self) -> str:
        """Name of the solution's language; Python where it does not say."""
        return self.solution.language or DEFAULT_LANGUAGE
