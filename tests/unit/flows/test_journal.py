from __future__ import annotations

from assay.domain.answer import ErrorInfo
from assay.domain.event import (
    CallStarted,
    CheckEnded,
    Event,
    Happening,
    Notice,
    SessionFailed,
    SessionResumed,
    SessionStarted,
    SessionStopped,
    SolutionRead,
    Text,
)
from assay.domain.solution import Solution, SolutionFile
from assay.domain.verdict import CheckName, Outcome, Verdict
from assay.flows.journal import Journal

STARTED = SessionStarted(flow="correct", model="m", instructions="Add.")
PASSED = Verdict(check=CheckName.IMPORTS, outcome=Outcome.PASSED)


def solution(code: str) -> Solution:
    return Solution(language="python", files=(SolutionFile(path="solution.py", code=code),))


def journal(*happenings: Happening, times: tuple[float, ...] | None = None) -> Journal:
    return Journal(
        Event(session="s", sequence=number, time=time, happening=happening)
        for number, (happening, time) in enumerate(
            zip(happenings, times or range(len(happenings)), strict=True), start=1
        )
    )


def test_what_happened_is_recalled_as_often_as_it_happened() -> None:
    notice, call = Notice(text="x"), CallStarted(attempt=1, role="programmer", model="m")
    remembered = journal(STARTED, notice, notice, call)
    assert remembered.recalls(notice)
    assert remembered.recalls(notice)
    assert not remembered.recalls(notice)
    assert remembered.recalls(call)
    assert not remembered.recalls(CallStarted(attempt=2, role="programmer", model="m"))


def test_a_session_that_begins_recalls_nothing() -> None:
    assert not Journal().recalls(STARTED)


def test_what_belongs_to_one_process_comes_anew() -> None:
    failed = SessionFailed(error=ErrorInfo(kind="model_unreachable", message="x"))
    anew: list[Happening] = [Text(text="x"), SessionResumed(), SessionStopped(), failed]
    remembered = journal(*anew)
    assert not any(remembered.recalls(happening) for happening in anew)


def test_a_verdict_is_known_of_the_very_solution_only() -> None:
    first, second = solution("a = 1"), solution("a = 2")
    remembered = journal(
        SolutionRead(attempt=1, solution=first), CheckEnded(attempt=1, verdict=PASSED)
    )
    assert remembered.verdicts(1, first) == {CheckName.IMPORTS: PASSED}
    assert remembered.verdicts(1, second) == {}
    assert remembered.verdicts(2, first) == {}


def test_a_solution_that_was_read_anew_has_no_verdicts_yet() -> None:
    first, second = solution("a = 1"), solution("a = 2")
    remembered = journal(
        SolutionRead(attempt=1, solution=first),
        CheckEnded(attempt=1, verdict=PASSED),
        SolutionRead(attempt=1, solution=second),
    )
    assert remembered.verdicts(1, second) == {}
    assert remembered.verdicts(1, first) == {}


def test_time_counts_while_a_process_works() -> None:
    notice = Notice(text="x")
    remembered = journal(
        STARTED, notice, SessionResumed(), notice, times=(100.0, 103.0, 900.0, 904.5)
    )
    assert remembered.seconds == 7.5


def test_a_clock_that_goes_back_takes_nothing_away() -> None:
    remembered = journal(STARTED, Notice(text="x"), times=(100.0, 50.0))
    assert remembered.seconds == 0.0


def test_half_a_character_is_recalled_as_it_was_stored() -> None:
    remembered = journal(STARTED, Notice(text="half \ufffd"))
    assert remembered.recalls(Notice(text="half \ud83d"))
