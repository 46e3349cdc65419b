"""What a session's attempts come to."""

from __future__ import annotations

import pytest

from assay.domain.answer import Attempt, Status
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import Task
from assay.domain.usage import Usage
from assay.domain.verdict import CheckName, Evidence, Outcome, Verdict
from assay.errors import BadInput, LimitReached
from assay.flows.conclusion import conclude

TASK = Task(instructions="x")


def attempt(language: str, missing: tuple[str, ...] = ()) -> Attempt:
    outcome = Outcome.COULD_NOT_RUN if missing else Outcome.PASSED
    verdict = Verdict(
        check=CheckName.EXECUTION, outcome=outcome, evidence=Evidence(missing=missing)
    )
    files = (SolutionFile(path="a", code="x"),)
    return Attempt(number=1, solution=Solution(language=language, files=files), verdicts=(verdict,))


@pytest.mark.parametrize(
    ("language", "advice"), [("python", "--requirements"), ("bash", "ask for a solution without")]
)
def test_advice_is_of_use_in_the_language(language: str, advice: str) -> None:
    answer = conclude(TASK, [attempt(language, ("jq",))], None, Usage())
    (said,) = answer.advice
    assert said.startswith("jq cannot be found")
    assert advice in said


def test_an_error_on_the_way_takes_no_answer_away() -> None:
    answer = conclude(TASK, [attempt("python")], LimitReached("No time is left."), Usage())
    assert answer.status is Status.RAN
    assert answer.error is not None
    assert answer.error.kind == "limit_reached"


def test_an_error_before_any_answer_is_all_there_is() -> None:
    answer = conclude(TASK, [], BadInput("The prompt is too long."), Usage())
    assert answer.status is Status.FAILED
    assert answer.headline == "No answer. The prompt is too long."
