"""What sessions run on: a store, a model, a sandbox, and where things are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.checks.environment import describe_environment
from assay.checks.runner import expect_checks, run_checks
from assay.checks.subject import DEFAULT_LANGUAGE, Subject
from assay.domain.languages import find_language
from assay.domain.receipt import Environment
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Task
from assay.domain.verdict import CheckName, Verdict
from assay.flows.prepare import all_examples, documentation_room
from assay.models.model import Model
from assay.sandbox.protocol import Sandbox
from assay.store.store import Store


@dataclass(frozen=True)
class Resources:
    """Shared by the sessions of one Assay; it keeps nothing of a single one."""

    store: Store
    model: Model
    sandbox: Sandbox
    database: Path
    receipts: Path
    cache_folder: Path
    base_url: str | None = None
    """Address of the model's service, where one was given."""
    documentation_tokens: int | None = None
    allow_private_addresses: bool = False

    @property
    def documentation_budget(self) -> int:
        """Tokens that documentation may take in a prompt."""
        return self.documentation_tokens or documentation_room(self.model)

    async def check(
        self,
        task: Task,
        solution: Solution,
        on_started: Callable[[CheckName], None],
        on_verdict: Callable[[Verdict], None],
        known: Mapping[CheckName, Verdict],
        on_progress: Callable[[CheckName, int, int], None],
    ) -> tuple[Verdict, ...]:
        """Run all checks of `task` on a solution, but for those whose verdicts are known."""
        subject = _subject(task, solution)
        return await run_checks(
            subject, self.sandbox, self.cache_folder, on_started, on_verdict, known, on_progress
        )

    async def environment(self, task: Task, solution: Solution) -> Environment:
        """Where the solution's checks run.

        Raises:
            ToolchainMissing: its language's interpreter is not on this machine.
            UnknownName: its language cannot be run.
            PackagesError: granted packages cannot be installed.
        """
        return await describe_environment(_subject(task, solution), self.sandbox, self.cache_folder)

    async def expect_checks(self, task: Task) -> None:
        """Get ready for the checks of a solution in one file, while the model writes it.

        Raises:
            ToolchainMissing: its language's interpreter is not on this machine.
            UnknownName: its language cannot be run.
            PackagesError: granted packages cannot be installed.
            BadInput: a granted variable is not set.
        """
        language = find_language(task.language or DEFAULT_LANGUAGE)
        if language is not None:
            file = SolutionFile(path=language.default_file, code="")
            subject = _subject(task, Solution(language=language.name, files=(file,)))
            await expect_checks(subject, self.sandbox, self.cache_folder)


def _subject(task: Task, solution: Solution) -> Subject:
    return Subject(
        solution=solution,
        tests=task.tests,
        examples=all_examples(task, solution.language),
        attachments=task.attachments,
        grants=task.grants,
        run_limits=task.run_limits,
    )
