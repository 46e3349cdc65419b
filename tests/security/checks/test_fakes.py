"""Programs that want a wrong answer to pass as right: tests/cases/fakes.

None may come out as verified. Judged outside, none passes a single test, but for those that say
how far they come: `some` pass a test that asks what they know; `ran` pass, since their own objects
were asked, or nothing was, which the verdict counts. In the solution's own process many pass; the
answer is then called `ran` at most.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.case_files import ProgramCase, read_programs

from assay.domain.answer import Status
from assay.domain.judgement import judge
from assay.domain.verdict import Judged, Verdict

Check = Callable[..., dict[str, Verdict]]

FAKES = read_programs("fakes")
ASKED = [
    pytest.param(case, tests, id=f"{case.name}-{number}")
    for case in FAKES
    if case.expected == "ran"
    for number, tests in enumerate(case.tests, 1)
]
OTHERS = [pytest.param(case, id=case.name) for case in FAKES if case.expected != "ran"]
RIGHT = "def add(a, b):\n    return a + b\n"
SHARED = next(case.tests for case in FAKES if case.name == "exits-at-import")
ADDERS = [pytest.param(case, id=case.name) for case in FAKES if case.tests == SHARED]
IN_PROCESS = """
import threading
from solution import add
def test_add():
    found = []
    thread = threading.Thread(target=lambda: found.append(add(1, 2)))
    thread.start()
    thread.join()
    assert found == [3]
"""


def status_of(verdicts: dict[str, Verdict]) -> Status:
    """What an answer with these verdicts would be called."""
    return judge(tuple(verdicts.values()), require=None).status


@pytest.mark.parametrize("case", OTHERS)
def test_a_fake_does_not_pass(check: Check, case: ProgramCase) -> None:
    verdicts = check(case.files, tests=case.tests, wall_seconds=2)
    tests = verdicts["tests"]
    assert status_of(verdicts) is Status.UNVERIFIED, tests
    assert not tests.passed, tests
    assert case.expected == "some" or tests.evidence.passed == 0, tests
    in_process = case.expected == "in_process"
    assert tests.judged == (Judged.IN_PROCESS if in_process else Judged.OUTSIDE), tests


@pytest.mark.parametrize(("case", "tests"), ASKED)
def test_what_the_fakes_own_objects_decide_verifies_nothing(
    check: Check, case: ProgramCase, tests: str
) -> None:
    verdicts = check(case.files, tests=tests, wall_seconds=2)
    assert status_of(verdicts) is not Status.VERIFIED, verdicts["tests"]
    evidence = verdicts["tests"].evidence
    assert evidence.handles_compared or evidence.vacuous, verdicts["tests"]
    assert verdicts["tests"].judged == Judged.OUTSIDE


@pytest.mark.slow
@pytest.mark.parametrize("case", ADDERS)
def test_a_fake_verifies_nothing_in_its_own_process(check: Check, case: ProgramCase) -> None:
    verdicts = check(case.files, tests=IN_PROCESS, wall_seconds=2)
    assert status_of(verdicts) is not Status.VERIFIED
    assert verdicts["tests"].judged == Judged.IN_PROCESS


def test_the_right_answer_passes_what_the_fakes_do_not(check: Check) -> None:
    """The control: nothing but what they do themselves fails the fakes."""
    verdicts = check(RIGHT, tests=SHARED)
    assert status_of(verdicts) is Status.VERIFIED
    assert check(RIGHT, tests=IN_PROCESS)["tests"].passed
