"""What a flow's nodes work with: handed in by the run, never stored in a checkpoint."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assay.agents.brief import Ask, Brief
from assay.checks.benchmark import Comparison
from assay.checks.suites import SuiteReport
from assay.domain.event import Happening
from assay.domain.roles import Agents, AgentSettings, RoleName
from assay.domain.solution import Solution
from assay.domain.task import Task, TestFile
from assay.domain.verdict import Verdict


class Check(Protocol):
    """Runs all checks on the solution of an attempt and shows them as they happen."""

    async def __call__(
        self,
        attempt: int,
        solution: Solution,
        *,
        generated: Sequence[TestFile] = (),
        known: Sequence[Verdict] = (),
        of_step: bool = False,
    ) -> tuple[Verdict, ...]:
        """Check it.

        Args:
            attempt: Its number.
            solution: What is checked.
            generated: Tests that agents wrote from the task.
            known: Verdicts on it that are there already.
            of_step: Whether more steps follow: then the task's own tests cannot pass yet, and are
                left out.
        """
        ...


@dataclass(frozen=True)
class FlowContext:
    """The task and the tools."""

    task: Task
    brief: Brief
    ask: Ask
    check: Check
    try_suite: Callable[[Solution, TestFile], Awaitable[SuiteReport]]
    """Finds out what generated tests of a solution are worth."""
    compare: Callable[[Solution, Solution, str], Awaitable[Comparison]]
    """Measures a solution and one that may be better on a workload."""
    record: Callable[[Happening], Awaitable[None]]
    """Stores what happened, then shows it."""
    agents: Agents = field(default_factory=dict)
    """What is set for each role."""

    def has(self, role: RoleName) -> bool:
        """Whether an agent of this role takes part."""
        return self.agents.get(role, AgentSettings()).asked
