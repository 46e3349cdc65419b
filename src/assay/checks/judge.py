"""Runs tests and examples, outside the solution's process wherever they allow it.

The tests run in a sandbox of their own. From there they reach the solution, which runs in another,
over a socket: calls go across it, and what comes back is data, or a proxy of what is not. So
nothing that the solution's code does in its process is seen by who compares. What cannot be tested
that way runs in the solution's own process, and is marked.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cached_property

from assay.checks.evidence import describe_ending, ended_well, of_run, outcome_of
from assay.checks.lacking import Lacking
from assay.checks.naming import PlacedSolution, place_solution
from assay.checks.pytest_packages import PYTEST_PATH, pytest_binds
from assay.checks.reports import Reports
from assay.checks.rig import Rig
from assay.checks.shape import defined_names
from assay.checks.test_processes import Binds, Plan, expect_outside, run_in_process, run_outside
from assay.checks.testfile import ParsedTests
from assay.domain.verdict import CheckName, Evidence, Failure, Judged, Outcome, Verdict
from assay.sandbox.protocol import WORKING_FOLDER, Ending, Job, Run


async def judge_tests(rig: Rig, check: CheckName, tests: ParsedTests) -> Verdict:
    """Run a test file and judge what came of it.

    Whether that happens outside is decided by the file's source alone.
    """
    placed = place_solution(rig, tests)
    reason = tests.why_in_process
    nonce = secrets.token_hex(16)
    plan = _plan(rig, tests, placed, nonce, linked=not reason)
    binds = _binds(tests)
    solution = None
    if reason:
        run, job = await run_in_process(rig, placed.files, plan, binds)
    else:
        run, job, solution = await run_outside(rig, placed.files, plan, binds)
    reports = Reports.read(tests, run, nonce, Lacking.of(rig, placed, tests).explain)
    return verdict_of(rig, check, Ran(run, job, reports, rig.limits.wall_seconds, solution), reason)


def expect_tests(rig: Rig, tests: ParsedTests) -> None:
    """Get the sandbox ready for a run of a test file."""
    if not tests.why_in_process:
        expect_outside(rig, _binds(tests))


def _binds(tests: ParsedTests) -> Binds:
    return pytest_binds() if tests.needs_pytest else ()


@dataclass(frozen=True)
class Ran:
    """A test file that has run."""

    run: Run
    """Of the process that the tests were in."""
    job: Job
    reports: Reports
    seconds: float
    """What the tests were given."""
    solution: Run | None
    """None where the solution was in the same process."""

    @cached_property
    def failures(self) -> list[Failure]:
        """Every test that did not pass, be it that it was not heard of."""
        return self.reports.all_failures(self.problem)

    @property
    def ending(self) -> Outcome:
        """How it ended, as far as the tests themselves do not say."""
        if self.reports.timed_out:
            return Outcome.TIMED_OUT
        if self.reports.too_many_files:
            return Outcome.COULD_NOT_RUN
        if self.solution and self.failures:
            # The tests go on where the solution has ended.
            outcome = outcome_of(self.solution)
            if outcome in {Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY}:
                return outcome
        return outcome_of(self.run)

    @property
    def problem(self) -> str:
        """Why not all of the tests came to their end; empty where they did."""
        reports = self.reports
        if reports.timed_out:
            what = "the test" if reports.running else reports.timed_out
            return f"{what} was still running after {self.seconds:g} seconds"
        if reports.too_many_files:
            return reports.too_many_files
        if self.solution and self.solution.ending is not Ending.STOPPED and reports.lost:
            return f"the solution's process: {describe_ending(self.solution)}"
        if reports.problem or (reports.ended and ended_well(self.run)):
            return reports.problem
        return describe_ending(self.run)


def _plan(
    rig: Rig, tests: ParsedTests, placed: PlacedSolution, nonce: str, *, linked: bool
) -> Plan:
    """What our driver has to know."""
    main = rig.subject.solution.main
    return {
        "module": placed.module,
        "modules": sorted(placed.modules),
        "file": _file_name(tests.file.name),
        "style": tests.style,
        "statements": tests.statements,
        "later": tests.later,
        "wants_names": tests.wants_names(placed.modules, defined_names(main.source)),
        "unbound": sorted(tests.unbound_names),
        "path": [PYTEST_PATH] if tests.needs_pytest else [],
        "linked": linked,
        "files_in": WORKING_FOLDER if linked and tests.needs_files else "",
        "seconds": rig.limits.wall_seconds,
        "nonce": nonce,
        "source": tests.file.source.encode("utf-8", "replace").decode(),
    }


def _file_name(name: str) -> str:
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    stem = base.removesuffix(".py")
    return base if base.startswith("test_") and stem.isidentifier() else "test_user.py"


def verdict_of(rig: Rig, check: CheckName, ran: Ran, reason: str) -> Verdict:
    """Judge tests that have run; `reason` says why they shared the solution's process, if so."""
    reports, problem = ran.reports, ran.problem
    wanting = reports.all_missing
    missing = tuple(name for name in dict.fromkeys(wanting) if name not in rig.own_modules)
    passed, failed, skipped = len(reports.passed), len(ran.failures), len(reports.skipped)
    outcome = ran.ending
    if outcome in {Outcome.PASSED, Outcome.FAILED}:
        outcome = Outcome.FAILED if failed or problem else Outcome.PASSED
        if missing and len(wanting) >= failed:
            outcome = Outcome.COULD_NOT_RUN
        elif outcome is Outcome.PASSED and not passed:
            outcome = Outcome.COULD_NOT_RUN
            problem = "no test was run"
    summary = f"{passed} of {passed + failed} passed"
    if reason:
        summary += f", in the solution's own process: {reason}"
    if skipped:
        summary += f"; {skipped} skipped ({next(iter(reports.skipped.values()))})"
    if vacuous := reports.vacuous:
        summary += f"; nothing was asserted in {', '.join(vacuous.values())}"
    if missing:
        summary += f"; no module named {', '.join(missing)}"
    elif problem:
        summary += f"; {problem}"
    evidence = of_run(
        ran.run,
        ran.job,
        summary=summary,
        total=passed + failed,
        passed=passed,
        skipped=skipped,
        compared=0 if reason else reports.compared,
        handles_compared=reports.handles_compared,
        vacuous=len(reports.vacuous),
        failures=tuple(ran.failures),
        missing=missing,
    )
    if ran.solution:
        evidence = _with_solution(evidence, ran.solution)
    judged = Judged.IN_PROCESS if reason else Judged.OUTSIDE
    return Verdict(check=check, outcome=outcome, judged=judged, evidence=evidence)


def _with_solution(evidence: Evidence, solution: Run) -> Evidence:
    """Add what the solution's own process used, and what it wrote past Python's streams."""
    return evidence.model_copy(
        update={
            "stdout": evidence.stdout + solution.stdout.text,
            "stderr": evidence.stderr + solution.stderr.text,
            "output_cut": evidence.output_cut or solution.stdout.cut or solution.stderr.cut,
            "cpu_seconds": evidence.cpu_seconds + solution.cpu_seconds,
            "peak_memory_bytes": solution.peak_memory_bytes,
        }
    )
