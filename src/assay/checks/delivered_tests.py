"""Tests that were asked for: they pass on the attached code, and fail on wrong versions of it."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.checks.evidence import without_run
from assay.checks.rig import Rig
from assay.checks.subject import Subject
from assay.checks.suites import SuiteReport, validate_suite
from assay.domain.solution import Solution, SolutionFile, is_test_path
from assay.domain.task import Attachment, Task, TestFile
from assay.domain.verdict import CheckName, Evidence, Failure, Judged, Outcome, Verdict

MUTANTS = 20

_ASKED = re.compile(
    r"\b(?:write|create|generate|add|develop|provide|make)\b[^.?!\n]{0,60}\btests?\b", re.IGNORECASE
)


def asks_for_tests(task: Task) -> bool:
    """Whether tests of attached Python code are what is wanted."""
    return bool(_ASKED.search(task.instructions)) and bool(_code(task.attachments))


async def check_delivered(rig: Rig) -> Verdict:
    """Try the solution's tests on the attached code."""
    subject = rig.subject
    suites = [file for file in subject.solution.files if is_test_path(file.path)]
    suite = suites[-1] if suites else subject.solution.main
    code = _code(subject.attachments)
    tested = replace(
        subject,
        solution=Solution(language="python", files=code),
        tests=(),
        examples=(),
        attachments=_rest(subject, suite, code),
    )
    name = suite.path.rsplit("/", 1)[-1]
    report = await validate_suite(
        tested,
        TestFile(name=name, source=suite.source),
        rig.sandbox,
        rig.cache_folder,
        limit=MUTANTS,
    )
    return _verdict(report)


def _code(attachments: tuple[Attachment, ...]) -> tuple[SolutionFile, ...]:
    """Attached Python files that are no tests themselves."""
    return tuple(
        SolutionFile(path=one.name, code=one.text or "")
        for one in attachments
        if one.name.endswith(".py") and not is_test_path(one.name) and one.text is not None
    )


def _rest(
    subject: Subject, suite: SolutionFile, code: tuple[SolutionFile, ...]
) -> tuple[Attachment, ...]:
    """What else lies there: other attachments, and files that came with the tests."""
    names = {file.path for file in code}
    kept = tuple(one for one in subject.attachments if one.name not in names)
    beside = tuple(
        Attachment(name=file.path, content=file.source.encode())
        for file in subject.solution.files
        if file != suite
    )
    return (*kept, *beside)


def _verdict(report: SuiteReport) -> Verdict:
    if not report.total:
        return without_run(CheckName.MUTANTS, Outcome.FAILED, report.reason or "there are no tests")
    summary = f"{report.passed} of {report.total} pass on the attached code"
    if report.mutants:
        summary += f", and {report.killed} of {report.mutants} wrong versions of it fail them"
    failures = [Failure(test=test, message=why) for test, why in report.failures.items()]
    if report.reason:
        failures.append(Failure(test="wrong versions of the code", message=report.reason))
    good = report.kept and report.passed == report.total
    evidence = Evidence(
        summary=summary, total=report.total, passed=report.passed, failures=tuple(failures)
    )
    outcome = Outcome.PASSED if good else Outcome.FAILED
    return Verdict(
        check=CheckName.MUTANTS, outcome=outcome, judged=Judged.IN_PROCESS, evidence=evidence
    )
