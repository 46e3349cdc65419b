"""What a flow's nodes work with: handed in by the run, never stored in a checkpoint."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assay.agents.brief import Ask, Brief
from assay.domain.event import Happening
from assay.domain.solution import Solution
from assay.domain.task import Task
from assay.domain.verdict import Verdict

Check = Callable[[int, Solution], Awaitable[tuple[Verdict, ...]]]
"""Runs all checks on the solution of an attempt and shows them as they happen."""


@dataclass(frozen=True)
class FlowContext:
    """The task and the tools."""

    task: Task
    brief: Brief
    ask: Ask
    check: Check
    record: Callable[[Happening], Awaitable[None]]
    """Stores what happened, then shows it."""
