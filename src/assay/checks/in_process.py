"""Tests that can only run in the solution's own process.

They are shown as such, since code that sets out to deceive them can. What they do hold against:
a program that exits before them, prints what a passing run prints, or writes test files of its
own; the tests are read-only, and each must report with a number drawn for this run.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from typing import Any

from assay.checks.channel import BadChannel, read_messages, text_of
from assay.checks.evidence import describe_ending, ended_well, of_run, outcome_of
from assay.checks.naming import PlacedSolution
from assay.checks.rig import Rig
from assay.checks.testfile import ParsedTests, Style
from assay.checks.values import cut
from assay.domain.verdict import CheckName, Evidence, Failure, Judged, Outcome, Verdict
from assay.errors import PackagesError
from assay.sandbox.protocol import Run

_PYTEST = "pytest"
_PARAMETERS = re.compile(r"\[.*\]$", re.DOTALL)


class _Reports:
    """What the driver reported, checked for being whole."""

    def __init__(self, tests: ParsedTests) -> None:
        self._tests = tests
        self.passed: list[str] = []
        self.failures: list[Failure] = []
        self.missing: list[str] = []
        self.problem = ""
        self.ended = False

    def read(self, run: Run, nonce: str) -> None:
        """Take in all messages of a run."""
        try:
            for message in read_messages(run):
                if message.get("nonce") != nonce or self.ended:
                    raise BadChannel("a message does not come from our driver")
                self._take(message)
        except BadChannel as error:
            self.problem = f"the solution wrote to the result channel itself: {error}"
            self.passed.clear()

    def unreported(self) -> list[str]:
        """Tests that stand in the file and were not heard of."""
        known = [*self.passed, *(failure.test for failure in self.failures)]
        heard = {_PARAMETERS.sub("", name) for name in known}
        return [name for name in self._tests.tests if name not in heard]

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("end") is True:
            self.ended = True
        elif "broken" in message:
            broken = message["broken"]
            self.problem = cut(text_of(broken, "message") if isinstance(broken, dict) else "")
            self._note_missing(message)
        elif name := text_of(message, "test"):
            if message.get("passed") is True:
                self.passed.append(name)
                return
            self._note_missing(message)
            got, expected = text_of(message, "got"), text_of(message, "expected")
            said = text_of(message, "message")
            self.failures.append(
                Failure(test=name, expected=cut(expected), got=cut(got), message=said)
            )

    def _note_missing(self, message: dict[str, Any]) -> None:
        if name := text_of(message, "missing"):
            self.missing.append(name.split(".")[0])


async def judge_in_process(
    rig: Rig, check: CheckName, placed: PlacedSolution, tests: ParsedTests
) -> Verdict:
    """Run a test file in the sandbox, in the same process as the solution."""
    if tests.style is Style.PYTEST and not _has_pytest(rig):
        try:
            rig = await asyncio.to_thread(rig.with_packages, _PYTEST)
        except PackagesError as error:
            summary = (
                f"{tests.file.name} needs pytest, which cannot be installed for the run: {error} "
                "Write the tests as plain asserts, or name an interpreter that has pytest "
                "with --python."
            )
            evidence = Evidence(summary=summary, total=len(tests.tests), missing=(_PYTEST,))
            return Verdict(check=check, outcome=Outcome.COULD_NOT_RUN, evidence=evidence)
    nonce = secrets.token_hex(16)
    name = _file_name(tests.file.name)
    plan = {"module": placed.module, "file": name, "style": tests.style, "nonce": nonce}
    support = {
        "tests.json": json.dumps(plan).encode(),
        name: tests.file.source.encode("utf-8", "replace"),
    }
    run, job = await rig.run_driver("run_tests.py", placed.files, support)
    reports = _Reports(tests)
    reports.read(run, nonce)
    problem = reports.problem
    if not problem and not (reports.ended and ended_well(run)):
        problem = describe_ending(run)
    unreported = reports.unreported()
    failures = [_named(failure, tests) for failure in reports.failures]
    failures += [
        _named(Failure(test=test, message=problem or "it was not run"), tests)
        for test in unreported
    ]
    missing = tuple(name for name in dict.fromkeys(reports.missing) if name not in rig.own_modules)
    outcome = outcome_of(run)
    if outcome in {Outcome.PASSED, Outcome.FAILED}:
        outcome = Outcome.FAILED if failures or problem else Outcome.PASSED
        if missing and len(reports.missing) >= len(reports.failures):
            outcome = Outcome.COULD_NOT_RUN
    total = len(reports.passed) + len(failures)
    summary = f"{len(reports.passed)} of {total} passed, in the solution's own process"
    if problem:
        summary += f"; {problem}"
    evidence = of_run(
        run,
        job,
        summary=summary,
        total=total,
        passed=len(reports.passed),
        failures=tuple(failures),
        missing=missing,
    )
    return Verdict(check=check, outcome=outcome, judged=Judged.IN_PROCESS, evidence=evidence)


def _has_pytest(rig: Rig) -> bool:
    return any(package.split("==")[0].lower() == _PYTEST for package in rig.toolchain.packages)


def _file_name(name: str) -> str:
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return base if re.fullmatch(r"test_\w{1,60}\.py", base) else "test_user.py"


def _named(failure: Failure, tests: ParsedTests) -> Failure:
    """Show the statement itself in place of its line number."""
    word, _, number = failure.test.partition(" ")
    lines = tests.file.source.splitlines()
    if word == "line" and number.isdigit() and 0 < int(number) <= len(lines):
        return failure.model_copy(update={"test": cut(lines[int(number) - 1].strip())})
    return failure
