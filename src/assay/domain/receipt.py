"""The proof that comes with an answer: enough to run every check again, with no model."""

from __future__ import annotations

from typing import Literal

from assay.domain.answer import Status
from assay.domain.choices import Require
from assay.domain.data import Data
from assay.domain.limits import RunLimits
from assay.domain.solution import Solution
from assay.domain.task import Attachment, Grants, TestFile
from assay.domain.team import TeamRecord
from assay.domain.usage import Usage
from assay.domain.verdict import Verdict

RECEIPT_VERSION: Literal[1] = 1


class Environment(Data):
    """Where the checks ran."""

    assay: str
    """Assay's version."""
    platform: str
    sandbox: str
    """Name of the backend and what holds its limits."""
    toolchain: str
    """The language's interpreter or compiler with its version."""
    packages: tuple[str, ...] = ()
    """`name==version` of what a run could import beyond the standard library."""
    limits: RunLimits


class Receipt(Data):
    """Written as one JSON file; `assay verify` believes no verdict in it and runs them again."""

    version: Literal[1] = RECEIPT_VERSION
    session: str
    created: str
    """ISO 8601, UTC."""
    instructions: str
    model: str
    flow: str
    status: Status
    headline: str
    solution: Solution
    tests: tuple[TestFile, ...] = ()
    examples: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    delivers_tests: bool = False
    """Whether the solution is tests of the attached code."""
    test_command: tuple[str, ...] = ()
    """What tests the folder that was worked on."""
    require: Require | None = None
    hide_tests: bool = False
    trust_in_process: bool = False
    grants: Grants = Grants()
    environment: Environment
    verdicts: tuple[Verdict, ...] = ()
    hashes: dict[str, str]
    """SHA-256 by `solution/PATH`, `tests/NAME`, `generated_tests/NAME`, `attachments/NAME`."""
    usage: Usage = Usage()
    team: TeamRecord | None = None
    """What a team did: its plan, its tests, what it tried to improve."""

    @property
    def generated_tests(self) -> tuple[TestFile, ...]:
        """Tests that agents wrote, which are run again as well."""
        return self.team.tests if self.team else ()
