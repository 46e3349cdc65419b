"""What a session's events tell of its attempts."""

from __future__ import annotations

from collections.abc import Iterable

from assay.domain.answer import Attempt
from assay.domain.event import AnswerGiven, CheckEnded, Event, ReplyUnread, SolutionRead


def attempts_of(events: Iterable[Event]) -> tuple[Attempt, ...]:
    """The attempts of the answer; of a session without one, as far as it has come."""
    attempts: dict[int, Attempt] = {}
    for event in events:
        match event.happening:
            case AnswerGiven(answer=answer):
                return answer.attempts
            case SolutionRead(attempt=number, solution=solution):
                attempts[number] = Attempt(number=number, solution=solution)
            case ReplyUnread(attempt=number, error=error):
                attempts[number] = Attempt(number=number, error=error)
            case CheckEnded(attempt=number, verdict=verdict):
                known = attempts[number]
                verdicts = (*known.verdicts, verdict)
                attempts[number] = known.model_copy(update={"verdicts": verdicts})
    return tuple(attempts.values())
