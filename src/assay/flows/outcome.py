"""How a session ended: told as it ends, or read later from what was kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.domain.answer import Answer
from assay.domain.event import AnswerGiven, SessionFailed
from assay.domain.usage import Usage
from assay.flows.conclusion import no_answer
from assay.store.listing import can_go_on
from assay.store.records import SessionState
from assay.store.store import Store


@dataclass(frozen=True)
class Finished:
    """How a session ended."""

    session: str
    answer: Answer
    receipt: Path | None


def how_it_ended(store: Store, session: str) -> Finished | None:
    """What came of a session; None where something is left to do.

    Raises:
        SessionNotFound: there is no such session.
    """
    last = store.last_event(session)
    match last.happening if last else None:
        case AnswerGiven(answer=answer, receipt=receipt):
            return Finished(session, answer, Path(receipt) if receipt else None)
        case SessionFailed(error=error) if not can_go_on(SessionState.FAILED, error.kind):
            return Finished(session, no_answer(error, (), spent(store, session)), None)
        case _:
            return None


def spent(store: Store, session: str) -> Usage:
    """What all replies of the session have cost."""
    return sum((stored.reply.usage for stored in store.replies(session)), Usage())
