"""What a session's events tell of its attempts."""

from __future__ import annotations

from collections.abc import Iterable

from assay.domain.answer import Attempt
from assay.domain.event import AnswerGiven, CheckEnded, Event, ReplyUnread, SolutionRead
from assay.errors import StoreError


def attempts_of(events: Iterable[Event]) -> tuple[Attempt, ...]:
    """The attempts of the answer; of a session without one, as far as it has come.

    Raises:
        StoreError: a check ended of an attempt that no event before it has begun.
    """
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
                if (known := attempts.get(number)) is None:
                    raise StoreError(
                        f"Events of session {event.session} are missing: there is a check of "
                        f"attempt {number}, and no solution. Ask anew; `assay delete "
                        f"{event.session}` removes what is left."
                    )
                verdicts = (*known.verdicts, verdict)
                attempts[number] = known.model_copy(update={"verdicts": verdicts})
    return tuple(attempts.values())
