"""How a session ended: told as it ends, or read later from what was kept of it."""

from __future__ import annotations

from pathlib import Path

from assay.domain.event import AnswerGiven, SessionFailed, SessionStarted
from assay.domain.results import Result
from assay.domain.roles import Agents
from assay.domain.usage import Usage
from assay.flows.conclusion import no_answer
from assay.store.listing import can_go_on
from assay.store.records import SessionState
from assay.store.store import Store


def how_it_ended(store: Store, session: str) -> Result | None:
    """What came of a session; None where something is left to do.

    Raises:
        SessionNotFound: there is no such session.
    """
    last = store.last_event(session)
    match last.happening if last else None:
        case AnswerGiven(answer=answer, receipt=receipt):
            return Result(session, answer, Path(receipt) if receipt else None)
        case SessionFailed(error=error) if not can_go_on(SessionState.FAILED, error.kind):
            return Result(session, no_answer(error, (), spent(store, session)), None)
        case _:
            return None


def answered_tries(store: Store, session: str) -> int:
    """How often the session's model has answered: with a reply, or so that it was asked again.

    Raises:
        SessionNotFound: there is no such session.
    """
    asked_again = sum(event.happening.kind == "retrying" for event in store.events(session))
    return len(store.replies(session)) + asked_again


def agents_of(store: Store, session: str) -> Agents:
    """What was set for each role as the session began; its models stay what they were.

    Raises:
        SessionNotFound: there is no such session.
    """
    for event in store.events(session):
        if isinstance(event.happening, SessionStarted):
            return event.happening.agents
    return {}


def spent(store: Store, session: str) -> Usage:
    """What all replies of the session have cost."""
    return sum((stored.reply.usage for stored in store.replies(session)), Usage())
