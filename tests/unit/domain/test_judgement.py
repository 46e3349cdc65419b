"""What may be said of verdicts: never more than they show."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.answer import Attempt, Status
from assay.domain.judgement import all_passed, best_attempt, judge
from assay.domain.solution import Solution, SolutionFile
from assay.domain.verdict import CheckName, Evidence, Judged, Outcome, Verdict


def verdict(check: str, outcome: str, judged: str | None = None, **evidence: Any) -> Verdict:
    return Verdict(
        check=CheckName(check),
        outcome=Outcome(outcome),
        judged=Judged(judged) if judged else None,
        evidence=Evidence(**evidence),
    )


IMPORTS = verdict("imports", "passed")
EXECUTION = verdict("execution", "passed")
OUTSIDE = verdict("examples", "passed", "outside", total=2, passed=2, compared=2)
IN_PROCESS = verdict("tests", "passed", "in_process", total=3, passed=3)
BY_OBJECTS = verdict(
    "tests", "passed", "outside", total=3, passed=3, compared=2, handles_compared=1
)
VACUOUS = verdict("tests", "passed", "outside", total=3, passed=3, compared=2, vacuous=1)
COMPARED_NOTHING = verdict("tests", "passed", "outside", total=3, passed=3)
BROKEN = verdict("execution", "failed", summary="ZeroDivisionError: division by zero")
FAILED_EXAMPLES = verdict("examples", "failed", "outside", total=2, passed=1)


def solution(code: str) -> Solution:
    return Solution(language="python", files=(SolutionFile(path="solution.py", code=code),))


@pytest.mark.parametrize(
    ("verdicts", "status", "headline"),
    [
        ([IMPORTS, EXECUTION, OUTSIDE], "verified", "2 of 2 examples passed, judged outside"),
        ([IMPORTS, EXECUTION, IN_PROCESS], "ran", "which hostile code could deceive"),
        ([IMPORTS, EXECUTION, OUTSIDE, IN_PROCESS], "ran", "partly in the solution's own process"),
        ([EXECUTION, BY_OBJECTS], "ran", "1 comparison was decided by the solution's own objects"),
        ([EXECUTION, VACUOUS], "ran", "1 test asserted nothing, be it in a loop"),
        ([EXECUTION, COMPARED_NOTHING, OUTSIDE], "ran", "nothing was compared"),
        ([IMPORTS, EXECUTION], "ran", "nothing shows yet that it does what was asked"),
        ([IMPORTS, BROKEN], "unverified", "Execution failed (ZeroDivisionError"),
        ([IMPORTS, EXECUTION, FAILED_EXAMPLES], "unverified", "examples failed (1 of 2 passed)"),
        ([IMPORTS, BROKEN, OUTSIDE], "verified", "execution failed"),
        ([], "unverified", "Nothing was checked"),
    ],
)
def test_status_and_headline(verdicts: list[Verdict], status: str, headline: str) -> None:
    judgement = judge(verdicts, require=None)
    assert judgement.status == status
    assert headline.lower() in judgement.headline.lower()


def test_trust_in_process_is_the_users_to_give() -> None:
    verdicts = [EXECUTION, IN_PROCESS]
    assert judge(verdicts, require=None).status is Status.RAN
    assert judge(verdicts, require=None, trust_in_process=True).status is Status.VERIFIED


@pytest.mark.parametrize(
    ("verdicts", "require", "there"),
    [
        ([EXECUTION], None, True),
        ([EXECUTION], "tests", False),
        ([EXECUTION, FAILED_EXAMPLES], None, False),
        ([EXECUTION, FAILED_EXAMPLES], "execution", True),
        ([EXECUTION, OUTSIDE], None, True),
        ([EXECUTION, IN_PROCESS], "tests", True),
        ([BROKEN], None, False),
        ([], None, False),
    ],
)
def test_required_evidence(verdicts: list[Verdict], require: Any, there: bool) -> None:
    assert judge(verdicts, require=require).has_required_evidence is there


@given(
    st.lists(
        st.builds(
            Verdict,
            check=st.sampled_from(CheckName),
            outcome=st.sampled_from(Outcome),
            judged=st.sampled_from([None, *Judged]),
            evidence=st.builds(Evidence, total=st.integers(0, 9), passed=st.integers(0, 9)),
        ),
        unique_by=lambda one: one.check,
    )
)
def test_verified_is_never_said_when_a_users_check_did_not_pass(verdicts: list[Verdict]) -> None:
    users = [one for one in verdicts if one.check in ("tests", "examples")]
    judgement = judge(verdicts, require=None)
    if not users or not all(one.passed and one.judged is Judged.OUTSIDE for one in users):
        assert judgement.status is not Status.VERIFIED
    for one in verdicts:
        if not one.passed and any(other.passed for other in verdicts):
            assert one.check.value.replace("_", " ") in judgement.headline.lower() or (
                one.check not in (*CheckName,)[:5]
            )


def test_the_best_attempt_has_the_strongest_evidence_and_the_earliest_of_equals_wins() -> None:
    weak = Attempt(number=1, solution=solution("a"), verdicts=(IMPORTS, BROKEN))
    better = Attempt(number=2, solution=solution("b"), verdicts=(IMPORTS, EXECUTION))
    part = Attempt(number=3, solution=solution("c"), verdicts=(IMPORTS, FAILED_EXAMPLES))
    unread = Attempt(number=4)
    again = Attempt(number=5, solution=solution("d"), verdicts=(IMPORTS, FAILED_EXAMPLES))
    assert best_attempt([weak, better, unread]) == better
    assert best_attempt([weak, better, part, unread, again]) == part
    assert best_attempt([unread]) is None


def test_nothing_checked_is_not_all_passed() -> None:
    assert not all_passed([])
    assert all_passed([IMPORTS, EXECUTION])
    assert not all_passed([IMPORTS, BROKEN])
