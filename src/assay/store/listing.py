"""The list of sessions, each in one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    JSON,
    Connection,
    Row,
    Select,
    and_,
    func,
    literal_column,
    select,
    type_coerce,
)

from assay.domain.event import AFTERWARDS, CallEnded
from assay.domain.usage import Usage
from assay.errors import ModelError
from assay.store.database import Database
from assay.store.records import SessionState, SessionSummary
from assay.store.schema import events, sessions

ENDS = {
    "answer_given": SessionState.ANSWERED,
    "session_failed": SessionState.FAILED,
    "session_stopped": SessionState.STOPPED,
}
"""What a session is after each event that can be its last."""

_MODEL_ERRORS = {ModelError.kind, *(error.kind for error in ModelError.__subclasses__())}


def can_go_on(state: SessionState, error_kind: str | None) -> bool:
    """Whether something is left to do: it was cut off, or failed for want of its model."""
    if state in {SessionState.STOPPED, SessionState.INTERRUPTED}:
        return True
    return state is SessionState.FAILED and error_kind in _MODEL_ERRORS


def list_sessions(
    database: Database, limit: int, is_held: Callable[[str], bool]
) -> list[SessionSummary]:
    """Give the latest sessions, newest first; `is_held` says whether a process runs one."""
    newest_first = sessions.c.created.desc(), sessions.c.id.desc()
    latest = select(sessions.c.id).order_by(*newest_first).limit(limit)
    last = select(func.max(events.c.sequence)).where(
        events.c.session == sessions.c.id, events.c.kind.not_in(AFTERWARDS)
    )
    data = type_coerce(events.c.data, JSON)
    query = (
        select(
            *(sessions.c[name] for name in ("id", "created", "title", "flow", "model", "follows")),
            events.c.kind,
            data["answer"]["status"].as_string().label("status"),
            data["answer"]["headline"].as_string().label("headline"),
            data["error"]["message"].as_string().label("error"),
            data["error"]["kind"].as_string().label("error_kind"),
        )
        .outerjoin(
            events,
            and_(
                events.c.session == sessions.c.id,
                events.c.sequence == last.correlate(sessions).scalar_subquery(),
            ),
        )
        .where(sessions.c.id.in_(latest))
        .order_by(*newest_first)
    )
    with database.reading() as connection:
        rows = connection.execute(query).all()
        usage = _usage(connection, latest)
        return [_summary(row, is_held(row.id), usage.get(row.id, Usage())) for row in rows]


def _summary(row: Row[*tuple[Any, ...]], held: bool, usage: Usage) -> SessionSummary:
    state = _state(row.kind, held)
    return SessionSummary(
        id=row.id,
        created=row.created,
        title=row.title,
        flow=row.flow,
        model=row.model,
        state=state,
        status=row.status,
        headline=row.headline or row.error or "",
        usage=usage,
        follows=row.follows,
        resumable=can_go_on(state, row.error_kind),
    )


def _state(last: str | None, held: bool) -> SessionState:
    if last in ENDS:
        return ENDS[last]
    return SessionState.RUNNING if held else SessionState.INTERRUPTED


def _usage(connection: Connection, latest: Select[tuple[str]]) -> dict[str, Usage]:
    # As a literal, so that SQLite sees that the index of calls holds all that is asked for.
    is_call = events.c.kind == literal_column("'call_ended'")
    query = select(events.c.session, events.c.data).where(is_call, events.c.session.in_(latest))
    sums: defaultdict[str, Usage] = defaultdict(Usage)
    for session, data in connection.execute(query):
        sums[session] += CallEnded.model_validate_json(data).usage
    return sums
