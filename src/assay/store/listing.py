"""The list of sessions, each in one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from sqlalchemy import JSON, Connection, Select, and_, func, literal_column, select, type_coerce

from assay.domain.event import CallEnded
from assay.domain.usage import Usage
from assay.store.database import Database
from assay.store.records import SessionState, SessionSummary
from assay.store.schema import events, sessions

ENDS = {
    "answer_given": SessionState.ANSWERED,
    "session_failed": SessionState.FAILED,
    "session_stopped": SessionState.STOPPED,
}
"""What a session is after each event that can be its last."""


def list_sessions(
    database: Database, limit: int, is_held: Callable[[str], bool]
) -> list[SessionSummary]:
    """Give the latest sessions, newest first; `is_held` says whether a process runs one."""
    newest_first = sessions.c.created.desc(), sessions.c.id.desc()
    latest = select(sessions.c.id).order_by(*newest_first).limit(limit)
    last = select(func.max(events.c.sequence)).where(events.c.session == sessions.c.id)
    data = type_coerce(events.c.data, JSON)
    query = (
        select(
            *(sessions.c[name] for name in ("id", "created", "title", "flow", "model")),
            events.c.kind,
            data["answer"]["status"].as_string().label("status"),
            data["answer"]["headline"].as_string().label("headline"),
            data["error"]["message"].as_string().label("error"),
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
        return [
            SessionSummary(
                id=row.id,
                created=row.created,
                title=row.title,
                flow=row.flow,
                model=row.model,
                state=_state(row.kind, is_held(row.id)),
                status=row.status,
                headline=row.headline or row.error or "",
                usage=usage.get(row.id, Usage()),
            )
            for row in rows
        ]


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
