"""Runs the checks of a solution in their order, and says what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from assay.checks.command_tests import judge_command
from assay.checks.delivered_tests import check_delivered
from assay.checks.evidence import without_run
from assay.checks.execution import check_execution
from assay.checks.given_tests import GivenTests, parse_examples, parse_given_tests, why_unfit
from assay.checks.imports import check_imports, has_syntax_error, imports_job
from assay.checks.judge import expect_tests, judge_tests
from assay.checks.judge_programs import judge_program
from assay.checks.judge_scripts import judge_scripts
from assay.checks.native_tests import NativeTests, judge_native_tests
from assay.checks.program_tests import ProgramTests
from assay.checks.rig import Rig, make_rig
from assay.checks.script_tests import ScriptTests
from assay.checks.subject import Subject
from assay.checks.testfile import ParsedTests
from assay.domain.task import TestKind
from assay.domain.verdict import CheckName, Evidence, Judged, Outcome, Verdict
from assay.errors import ToolchainMissing, UnknownName
from assay.sandbox.protocol import Sandbox

_WORST_FIRST = (
    Outcome.FAILED,
    Outcome.TIMED_OUT,
    Outcome.OUT_OF_MEMORY,
    Outcome.COULD_NOT_RUN,
    Outcome.NOT_RUN,
    Outcome.PASSED,
)

OnProgress = Callable[[CheckName, int, int], None]


@dataclass(frozen=True)
class _Wanted:
    """What a subject is held against, read before anything runs."""

    files: Mapping[CheckName, Sequence[GivenTests]]
    unfit: str = ""
    """Why none of it can be run on code in this language."""

    @classmethod
    async def of(cls, subject: Subject) -> _Wanted:
        """Read it aside: a long test file takes seconds."""
        if unfit := why_unfit(subject.language, subject.tests, subject.examples):
            return cls({}, unfit)
        return await asyncio.to_thread(cls._read, subject)

    @classmethod
    def _read(cls, subject: Subject) -> _Wanted:
        files = {CheckName.TESTS: [*map(parse_given_tests, subject.tests)]}
        if subject.examples:
            files[CheckName.EXAMPLES] = [parse_examples(subject.language, subject.examples)]
        if subject.generated:
            files[CheckName.GENERATED_TESTS] = [*map(parse_given_tests, subject.generated)]
        return cls(files)


async def run_checks(
    subject: Subject,
    sandbox: Sandbox,
    cache_folder: Path,
    on_started: Callable[[CheckName], None],
    on_verdict: Callable[[Verdict], None],
    known: Mapping[CheckName, Verdict] = MappingProxyType({}),
    on_progress: OnProgress = lambda check, done, total: None,
) -> tuple[Verdict, ...]:
    """Check a solution: imports, execution, then examples and tests where there are any.

    Args:
        subject: the solution and what belongs to it; prose has no checks.
        sandbox: where everything runs.
        cache_folder: where environments with granted packages are kept.
        on_started: called as a check begins.
        on_verdict: called with each new verdict as it is there.
        known: verdicts on this very solution that are there already; their checks do not run.
        on_progress: called with cases done and cases in all, as a program's cases are run.

    Returns:
        One verdict for each check that applies, in the order in which they ran. A toolchain that
        is missing makes verdicts, not an exception.

    Raises:
        BadInput: a test or example that cannot be read, or a granted variable that is not set.
        PackagesError: granted packages cannot be installed.
        NoSandbox: nothing can be run on this machine.
    """
    if subject.solution.is_prose:
        return ()
    wanted = await _Wanted.of(subject)
    verdicts: list[Verdict] = []
    try:
        rig = await make_rig(subject, sandbox, cache_folder)
    except (ToolchainMissing, UnknownName) as error:
        for check in _applicable(subject):
            verdicts.append(without_run(check, Outcome.COULD_NOT_RUN, str(error)))
            on_verdict(verdicts[-1])
        return tuple(verdicts)
    _expect_runs(rig, wanted, [one for one in _applicable(subject)[1:] if one not in known])
    for check in _applicable(subject):
        verdict = known.get(check)
        if verdict is None:
            verdict = _spare(check, verdicts)
            if verdict is None:
                on_started(check)
                verdict = await _run_check(check, rig, wanted, partial(on_progress, check))
            on_verdict(verdict)
        verdicts.append(verdict)
    return tuple(verdicts)


async def expect_checks(subject: Subject, sandbox: Sandbox, cache_folder: Path) -> None:
    """Get the sandbox ready for checks while the solution is still being written.

    Args:
        subject: what is known of it; of the solution, the language and the main file's name.
        sandbox: where the checks will run.
        cache_folder: where environments with granted packages are kept.

    Raises:
        UnknownName: a language that cannot be run.
        ToolchainMissing: its interpreter is not on this machine.
        PackagesError: granted packages cannot be installed.
        BadInput: a granted variable is not set.
    """
    rig = await make_rig(subject, sandbox, cache_folder)
    _expect_runs(rig, await _Wanted.of(subject), _applicable(subject))


def _expect_runs(rig: Rig, wanted: _Wanted, checks: Sequence[CheckName]) -> None:
    if rig.language.name != "python":
        return
    if CheckName.IMPORTS in checks:
        rig.sandbox.expect(imports_job(rig))
    if CheckName.EXECUTION in checks:
        rig.sandbox.expect(rig.program_job(rig.subject.solution.main.path, rig.files))
    for check in checks:
        for tests in wanted.files.get(check, ()):
            if isinstance(tests, ParsedTests):
                expect_tests(rig, tests)


def _applicable(subject: Subject) -> tuple[CheckName, ...]:
    if subject.delivers_tests:
        # pytest runs them, and brings itself along: alone they may well not even be imported.
        return (CheckName.MUTANTS,)
    checks = [CheckName.IMPORTS]
    # Cases run the program with what it needs; without that it may well end with an error.
    # A folder's own tests tell more than one of its files that is run by itself.
    has_cases = any(file.kind is TestKind.PROGRAM for file in subject.tests)
    if not has_cases and not subject.test_command:
        checks.append(CheckName.EXECUTION)
    if subject.examples:
        checks.append(CheckName.EXAMPLES)
    if subject.tests or subject.test_command:
        checks.append(CheckName.TESTS)
    if subject.generated:
        checks.append(CheckName.GENERATED_TESTS)
    return tuple(checks)


def _spare(check: CheckName, before: Sequence[Verdict]) -> Verdict | None:
    """The verdict of a check that an earlier one made pointless.

    A program whose import fails for another reason than a missing module still runs: where it
    fails is worth knowing. Tests run even if the program failed, as what they call may be right.
    """
    imports = next((one for one in before if one.check is CheckName.IMPORTS), None)
    if imports is None:
        return None
    if imports.evidence.missing:
        missing = imports.evidence.missing
        summary = f"could not run without {', '.join(missing)}"
        return without_run(check, Outcome.COULD_NOT_RUN, summary, missing)
    if has_syntax_error(imports):
        return without_run(check, Outcome.NOT_RUN, "not run: the code does not parse or compile")
    return None


async def _run_check(
    check: CheckName, rig: Rig, wanted: _Wanted, on_case: Callable[[int, int], None]
) -> Verdict:
    if check is CheckName.IMPORTS:
        return await check_imports(rig)
    if check is CheckName.EXECUTION:
        return await check_execution(rig)
    if check is CheckName.MUTANTS:
        return await check_delivered(rig)
    if wanted.unfit:
        return without_run(check, Outcome.COULD_NOT_RUN, wanted.unfit)
    verdicts = []
    if check is CheckName.TESTS and rig.subject.test_command:
        verdicts.append(await judge_command(rig, rig.subject.test_command))
    files = wanted.files.get(check, ())
    verdicts += [await _check_tests(check, rig, file, on_case) for file in files]
    return _merge(check, verdicts)


async def _check_tests(
    check: CheckName, rig: Rig, tests: GivenTests, on_case: Callable[[int, int], None]
) -> Verdict:
    if isinstance(tests, ProgramTests):
        return await judge_program(rig, tests, on_case)
    if isinstance(tests, ScriptTests):
        return await judge_scripts(rig, check, tests)
    if isinstance(tests, NativeTests):
        return await judge_native_tests(rig, check, tests)
    return await judge_tests(rig, check, tests)


def _joined(parts: Sequence[Evidence]) -> str:
    """One line for several runs; counts are added up where nothing else is to be said."""
    if all(part.summary == f"{part.passed} of {part.total} passed" for part in parts):
        return f"{sum(one.passed for one in parts)} of {sum(one.total for one in parts)} passed"
    return "; ".join(part.summary for part in parts)


def _merge(check: CheckName, verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict for several runs: the worst outcome, judged outside only if all were."""
    if len(verdicts) == 1:
        return verdicts[0]
    worst = min(verdicts, key=lambda verdict: _WORST_FIRST.index(verdict.outcome))
    parts = [verdict.evidence for verdict in verdicts]
    evidence = worst.evidence.model_copy(
        update={
            "summary": _joined(parts),
            "seconds": sum(part.seconds for part in parts),
            "cpu_seconds": sum(part.cpu_seconds for part in parts),
            "peak_memory_bytes": max(part.peak_memory_bytes or 0 for part in parts) or None,
            "total": sum(part.total for part in parts),
            "passed": sum(part.passed for part in parts),
            "skipped": sum(part.skipped for part in parts),
            "compared": sum(part.compared for part in parts),
            "handles_compared": sum(part.handles_compared for part in parts),
            "vacuous": sum(part.vacuous for part in parts),
            "failures": tuple(failure for part in parts for failure in part.failures),
            "missing": tuple(dict.fromkeys(name for part in parts for name in part.missing)),
        }
    )
    outside = all(verdict.judged is Judged.OUTSIDE for verdict in verdicts)
    judged = Judged.OUTSIDE if outside else Judged.IN_PROCESS
    return Verdict(check=check, outcome=worst.outcome, judged=judged, evidence=evidence)
