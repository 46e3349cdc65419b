"""Correct programs in the styles that people write tests in: no check may fail any of them.

They stand in tests/cases/correct. What is expected of a program that is not simply verified:
`in_process`: its tests need the solution's own process; `ran`: its own objects decide what is
equal; `slow`: it needs a package that has to be installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.case_files import ProgramCase, read_programs

from assay.domain.judgement import judge
from assay.domain.task import Grants
from assay.domain.verdict import Verdict

Check = Callable[..., dict[str, Verdict]]

PROGRAMS = read_programs("correct")
QUICK = [pytest.param(case, id=case.name) for case in PROGRAMS if case.expected != "slow"]
SLOW = [pytest.param(case, id=case.name) for case in PROGRAMS if case.expected == "slow"]
MUTANTS = [
    pytest.param(mutant, id=case.name)
    for case in PROGRAMS
    if case.expected != "slow" and (mutant := case.mutant) is not None
]


def status_of(verdicts: dict[str, Verdict]) -> str:
    """What an answer with these verdicts would be called."""
    return judge(tuple(verdicts.values()), require=None).status.value


@pytest.mark.parametrize("case", QUICK)
def test_a_correct_program_passes(check: Check, case: ProgramCase) -> None:
    verdicts = check(case.original.files, tests=case.tests, attachments=case.attachments)
    assert {name: one.outcome for name, one in verdicts.items()} == {
        "imports": "passed",
        "execution": "passed",
        "tests": "passed",
    }, verdicts
    tests = verdicts["tests"]
    assert tests.evidence.passed == tests.evidence.total > 0
    assert tests.judged == ("in_process" if case.expected == "in_process" else "outside"), tests
    assert status_of(verdicts) == ("ran" if case.expected else "verified"), tests
    assert bool(tests.evidence.handles_compared) == (case.expected == "ran")


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_same_program_with_a_fault_does_not_pass(check: Check, mutant: ProgramCase) -> None:
    verdict = check(mutant.files, tests=mutant.tests, attachments=mutant.attachments)["tests"]
    assert verdict.outcome == "failed", verdict
    assert verdict.evidence.failures


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", SLOW)
def test_programs_with_packages(check: Check, case: ProgramCase) -> None:
    """The program needs the package that it imports first."""
    grants = Grants(requirements=case.files["solution.py"].split()[1])
    verdicts = check(case.original.files, tests=case.tests, grants=grants, wall_seconds=30)
    assert verdicts["tests"].passed, verdicts
    assert status_of(verdicts) == "verified"
    if (mutant := case.mutant) is not None:
        failed = check(mutant.files, tests=case.tests, grants=grants, wall_seconds=30)
        assert failed["tests"].outcome == "failed", failed


def test_the_reference_answers_of_the_data_set_pass(check: Check, data_folder: Path) -> None:
    questions = (data_folder / "mbpp_dev.jsonl").read_text("utf-8").splitlines()
    wrong = {}
    for question in map(json.loads, questions):
        tests = "\n".join(
            (*question["setup"], *question["public_tests"], *question["hidden_tests"])
        )
        verdicts = check(question["reference"], tests=tests)
        if status_of(verdicts) != "verified":
            wrong[question["task_id"]] = verdicts["tests"]
    assert len(questions) >= 80
    assert wrong == {}
