"""What the programmer is told, and how its replies are taken."""

from __future__ import annotations

from typing import Any

import pytest

from assay.agents.brief import Brief, Failed, Question, repeats_itself
from assay.agents.feedback import feedback_on
from assay.agents.programmer import Programmer
from assay.domain.answer import Attempt, ErrorInfo
from assay.domain.message import Reply
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile
from assay.domain.verdict import CheckName, Evidence, Failure, Outcome, Verdict
from assay.errors import NoCode


async def nobody(_question: Question) -> Reply:
    raise AssertionError("no model is asked here")


def programmer(**values: Any) -> Programmer:
    brief = Brief(instructions="Add two numbers.", language=None, environment="Python 3", **values)
    return Programmer(brief, nobody)


def failed(code: str = "x = 1", got: str = "2") -> Failed:
    evidence = Evidence(
        total=1,
        summary="0 of 1 passed",
        failures=(Failure(test="add(1, 2) == 3", expected="3", got=got),),
    )
    attempt = Attempt(
        number=1,
        solution=Solution(language="python", files=(SolutionFile(path="s.py", code=code),)),
        verdicts=(Verdict(check=CheckName.EXAMPLES, outcome=Outcome.FAILED, evidence=evidence),),
    )
    return Failed(attempt=attempt, feedback=feedback_on(attempt, hide_tests=False))


def test_what_is_stable_comes_first_and_what_failed_last() -> None:
    first = programmer(documentation="DOCS", tests=(TestFile(name="t.py", source="TESTS"),))
    before = first.prompt(())
    after = first.prompt((failed(),))
    assert before[0] == after[0]
    assert before[0].content.index("DOCS") < before[0].content.index("experienced")
    assert after[1].content.startswith(before[1].content)
    assert "expected 3, got 2" in after[1].content[len(before[1].content) :]


def test_code_goes_back_only_where_the_model_gains_by_it() -> None:
    assert "x = 1" in programmer().prompt((failed(),))[1].content
    assert "x = 1" not in programmer(shows_code=False).prompt((failed(),))[1].content


def test_the_same_failure_twice_with_the_same_code_is_seen() -> None:
    assert repeats_itself([failed(), failed()])
    assert repeats_itself([failed(), failed(code="x  =  1  # another comment")])
    assert not repeats_itself([failed(), failed(code="x = 2")])
    assert not repeats_itself([failed(), failed(got="4")])
    assert not repeats_itself([failed()])


async def test_it_is_answered_by_a_fresh_sample() -> None:
    asked: list[Question] = []

    async def ask(question: Question) -> Reply:
        asked.append(question)
        return Reply(text="")

    agent = Programmer(programmer().brief, ask)
    await agent.write(1, ())
    await agent.write(3, (failed(), failed()))
    assert asked[1].messages == asked[0].messages
    assert asked[1].temperature > asked[0].temperature == 0


def test_an_unreadable_reply_is_told_as_such() -> None:
    attempt = Attempt(number=1, error=ErrorInfo(kind="no_code", message="There is no code."))
    feedback = feedback_on(attempt, hide_tests=False)
    assert feedback == "There is no code."
    prompt = programmer().prompt((Failed(attempt=attempt, feedback=feedback),))[1].content
    assert "An earlier answer could not be used. There is no code." in prompt
    assert "was run" not in prompt


def test_who_wants_words_is_told_no_rules_for_code() -> None:
    system = programmer(answer="prose").prompt(())[0].content
    assert "Answer in plain words" in system
    assert "code block" not in system


def test_prose_is_an_answer_only_to_a_question_that_wants_no_code() -> None:
    reply = Reply(text="A list can change, a tuple cannot.", finish_reason="stop")
    wondering = Programmer(
        Brief(instructions="What is a tuple?", language=None, environment=""), nobody
    )
    assert wondering.read(reply).is_prose
    writing = Programmer(
        Brief(instructions="Write a function.", language=None, environment=""), nobody
    )
    with pytest.raises(NoCode):
        writing.read(reply)


def test_the_wrong_language_goes_back_to_the_model() -> None:
    reply = Reply(text="```python\nprint(1)\n```", finish_reason="stop")
    wanted = Programmer(Brief(instructions="x", language="bash", environment=""), nobody)
    with pytest.raises(NoCode, match="bash"):
        wanted.read(reply)


def test_of_hidden_tests_only_their_number_is_said() -> None:
    marker = "MARKER-57"
    evidence = Evidence(
        total=5,
        passed=3,
        summary=marker,
        stdout=marker,
        stderr=marker,
        missing=(marker,),
        failures=(Failure(test=marker, expected=marker, got=marker, message=marker),),
    )
    verdict = Verdict(check=CheckName.TESTS, outcome=Outcome.FAILED, evidence=evidence)
    attempt = Attempt(number=1, verdicts=(verdict,))
    feedback = feedback_on(attempt, hide_tests=True)
    assert feedback == "The check of hidden tests failed: 2 of 5 did not pass."
    assert marker in feedback_on(attempt, hide_tests=False)
