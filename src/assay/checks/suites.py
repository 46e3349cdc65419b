"""What generated tests are worth: they have to fail on code that does nothing, and on mutants.

A suite that passes on an empty stub or on most mutants shows nothing of the code, and is thrown
away. A test that fails on the solution itself may be wrong, or the solution is: that is left open.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from assay.checks.judge import judge_tests
from assay.checks.mutation import Mutant, mutants, stub_of
from assay.checks.rig import Rig, make_rig
from assay.checks.subject import Subject
from assay.checks.testfile import ParsedTests, parse_tests
from assay.domain.data import Data
from assay.domain.solution import Solution
from assay.domain.task import TestFile
from assay.domain.verdict import CheckName, Outcome, Verdict
from assay.errors import BadInput
from assay.sandbox.protocol import Sandbox

MUTANTS = 12
AT_ONCE = 2
"""Runs side by side."""
SECONDS = 120
"""What trying a suite may take in all; mutants that are left then are not run."""
MUTANT_SECONDS = 5.0
"""What the tests of one mutant may take, where the solution needs less: many mutants hang."""

_NETWORK = re.compile(
    r"gaierror|Name or service not known|Temporary failure in name resolution|"
    r"Network is unreachable|Connection refused|NameResolutionError|ConnectError|URLError"
)


class SuiteReport(Data):
    """What trying a suite has shown."""

    kept: bool
    """Whether it is worth running."""
    reason: str = ""
    """Why not, in a sentence that a model can read."""
    total: int = 0
    """Tests that it holds."""
    passed: int = 0
    """Those that pass on the solution."""
    mutants: int = 0
    killed: int = 0
    """Mutants that failed a test that the solution passes."""
    failures: dict[str, str] = Field(default_factory=dict)
    """Tests that fail on the solution, and why."""
    survivors: tuple[str, ...] = ()
    """What was changed in the others."""


async def validate_suite(
    subject: Subject,
    suite: TestFile,
    sandbox: Sandbox,
    cache_folder: Path,
    *,
    limit: int = MUTANTS,
    seed: int = 0,
) -> SuiteReport:
    """Try Python tests on a solution, on a stub of it, and on up to `limit` mutants.

    Args:
        subject: The solution with what its runs need; its own tests are not run.
        suite: The tests.
        sandbox: Where everything runs.
        cache_folder: Where environments with granted packages are kept.
        limit: How many mutants are tried.
        seed: Which of the possible ones.

    Raises:
        ToolchainMissing: there is no Python to run them with.
        PackagesError: granted packages cannot be installed.
    """
    try:
        tests = await asyncio.to_thread(parse_tests, suite)
    except BadInput as error:
        return SuiteReport(kept=False, reason=error.message)
    rig = await make_rig(subject, sandbox, cache_folder)
    trial = _Trial(rig, tests)
    verdict = await trial.run(subject.solution)
    found = verdict.evidence
    failures = {one.test: one.message or one.got for one in found.failures}
    report = SuiteReport(kept=False, total=found.total, passed=found.passed, failures=failures)
    if reason := _unusable(verdict):
        return report.model_copy(update={"reason": reason})
    stub = stub_of(subject.solution)
    if stub.files and (await trial.run(stub)).passed:
        return report.model_copy(update={"reason": "The tests pass on code that does nothing."})
    if not verdict.evidence.passed:
        # Nothing can be said of mutants: the solution fails all of them itself.
        return report.model_copy(update={"kept": True})
    tried = await trial.try_all(mutants(subject.solution, limit=limit, seed=seed), verdict)
    survivors = tuple(mutant.description for mutant, killed in tried if not killed)
    killed = len(tried) - len(survivors)
    update = {"mutants": len(tried), "killed": killed, "survivors": survivors}
    if 2 * killed < len(tried):
        said = f"Only {killed} of {len(tried)} wrong versions of the code fail the tests."
        return report.model_copy(update={**update, "reason": said})
    return report.model_copy(update={**update, "kept": True})


@dataclass(frozen=True)
class _Trial:
    """Runs one suite on versions of one solution."""

    rig: Rig
    tests: ParsedTests

    async def run(self, solution: Solution, seconds: float | None = None) -> Verdict:
        """What the suite says of a version, at most `seconds` long."""
        limits = self.rig.limits
        if seconds is not None:
            wall = min(limits.wall_seconds, seconds)
            limits = limits.model_copy(update={"wall_seconds": wall})
        subject = replace(self.rig.subject, solution=solution, run_limits=limits)
        rig = replace(self.rig, subject=subject)
        return await judge_tests(rig, CheckName.GENERATED_TESTS, self.tests)

    async def try_all(
        self, versions: Sequence[Mutant], original: Verdict
    ) -> list[tuple[Mutant, bool]]:
        """Which mutants fail a test that the original passes; as many as time allows."""
        slots = asyncio.Semaphore(AT_ONCE)
        seconds = max(MUTANT_SECONDS, 4 * original.evidence.seconds)
        done: list[tuple[Mutant, bool]] = []

        async def try_one(mutant: Mutant) -> None:
            async with slots:
                verdict = await self.run(mutant.solution, seconds)
                done.append((mutant, _is_killed(verdict, original)))

        try:
            async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as tasks:
                for version in versions:
                    tasks.create_task(try_one(version))
        except TimeoutError:
            pass  # what is done tells enough
        return done


def _is_killed(verdict: Verdict, original: Verdict) -> bool:
    if verdict.outcome in {Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY}:
        return original.outcome not in {Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY}
    return verdict.evidence.passed < original.evidence.passed


def _unusable(verdict: Verdict) -> str:
    """Why tests that were run on the solution cannot be used at all; empty where they can."""
    evidence = verdict.evidence
    if verdict.outcome is Outcome.TIMED_OUT:
        return "The tests do not come to an end."
    if verdict.outcome is Outcome.COULD_NOT_RUN or not evidence.total:
        return f"The tests cannot be run: {evidence.summary}."
    if any(failure.message.startswith("ended ") for failure in evidence.failures):
        return "The tests end their own process."
    said = " ".join(failure.message + failure.got for failure in evidence.failures)
    if not evidence.passed and _NETWORK.search(said):
        return "The tests need the network, and there is none."
    if evidence.vacuous >= evidence.total:
        return "The tests assert nothing."
    return ""
