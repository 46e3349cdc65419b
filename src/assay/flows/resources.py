"""What sessions run on: a store, a model, a sandbox, and where things are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.checks.benchmark import Comparison, compare_runs
from assay.checks.delivered_tests import asks_for_tests
from assay.checks.environment import describe_environment
from assay.checks.runner import expect_checks, run_checks
from assay.checks.subject import DEFAULT_LANGUAGE, Subject
from assay.checks.suites import SuiteReport, validate_suite
from assay.domain.languages import find_language
from assay.domain.limits import EMBEDDED_DOCUMENTATION_TOKENS
from assay.domain.receipt import Environment
from assay.domain.roles import Agents
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Task, TestFile
from assay.domain.verdict import CheckName, Verdict
from assay.flows.prepare import all_examples, documentation_room
from assay.models.model import Model
from assay.sandbox.compiler_cache import has_cache
from assay.sandbox.languages import get_language
from assay.sandbox.protocol import Sandbox
from assay.store.store import Store

MOST_FOLDER_TOKENS = 60_000


@dataclass(frozen=True)
class Resources:
    """Shared by the sessions of one Assay; it keeps nothing of a single one."""

    store: Store
    model: Model
    sandbox: Sandbox
    database: Path
    receipts: Path
    cache_folder: Path
    agents: Agents = field(default_factory=dict)
    """What is set for each role; their models are behind `model`."""
    templates: Mapping[str, str] = field(default_factory=dict)
    """The person's own prompts, by their files' names."""
    base_url: str | None = None
    """Address of the model's service, where one was given."""
    documentation_tokens: int | None = None
    allow_private_addresses: bool = False

    @property
    def folder_budget(self) -> int:
        """Tokens that the files of a folder may take in a prompt."""
        if self.model.is_embedded:
            return EMBEDDED_DOCUMENTATION_TOKENS
        return min(MOST_FOLDER_TOKENS, self.model.context_tokens // 2)

    @property
    def documentation_budget(self) -> int:
        """Tokens that documentation may take in a prompt."""
        return self.documentation_tokens or documentation_room(self.model)

    async def check(
        self,
        subject: Subject,
        on_started: Callable[[CheckName], None],
        on_verdict: Callable[[Verdict], None],
        known: Mapping[CheckName, Verdict],
        on_progress: Callable[[CheckName, int, int], None],
    ) -> tuple[Verdict, ...]:
        """Run all checks on a solution, but for those whose verdicts are known."""
        return await run_checks(
            subject, self.sandbox, self.cache_folder, on_started, on_verdict, known, on_progress
        )

    async def try_suite(self, task: Task, solution: Solution, suite: TestFile) -> SuiteReport:
        """Find out what generated tests are worth; see `checks.suites.validate_suite`."""
        subject = subject_of(task, solution, of_step=True)
        return await validate_suite(
            subject, suite, self.sandbox, self.cache_folder, seed=task.seed or 0
        )

    async def compare(
        self, task: Task, before: Solution, after: Solution, workload: str
    ) -> Comparison:
        """Measure two solutions in turn; see `checks.benchmark.compare_runs`."""
        former, changed = (subject_of(task, one, of_step=True) for one in (before, after))
        return await compare_runs(former, changed, workload, self.sandbox, self.cache_folder)

    async def environment(self, task: Task, solution: Solution) -> Environment:
        """Where the solution's checks run.

        Raises:
            ToolchainMissing: its language's interpreter is not on this machine.
            UnknownName: its language cannot be run.
            PackagesError: granted packages cannot be installed.
        """
        return await describe_environment(
            subject_of(task, solution), self.sandbox, self.cache_folder
        )

    def has_to_compile_first(self, task: Task) -> bool:
        """Whether the task's language needs a compiler's cache that is not there yet."""
        language = get_language(task.language or DEFAULT_LANGUAGE)
        return language.cache is not None and not has_cache(language, self.cache_folder)

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
            subject = subject_of(task, Solution(language=language.name, files=(file,)))
            await expect_checks(subject, self.sandbox, self.cache_folder)


def subject_of(
    task: Task,
    solution: Solution,
    *,
    generated: Sequence[TestFile] = (),
    of_step: bool = False,
) -> Subject:
    """A solution with what its checks need; without the task's own tests while steps follow."""
    return Subject(
        solution=solution,
        tests=() if of_step else task.tests,
        examples=() if of_step else all_examples(task, solution.language),
        generated=tuple(generated),
        attachments=task.attachments,
        delivers_tests=asks_for_tests(task) and solution.language in (None, "python"),
        test_command=() if of_step else task.test_command,
        grants=task.grants,
        run_limits=task.run_limits,
    )
