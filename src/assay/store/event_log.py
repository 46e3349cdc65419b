"""The events of sessions: numbered, and appended only by the process that may."""

from __future__ import annotations

import time
from collections.abc import Iterator

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, insert, literal, select

from assay.domain.event import Event, Happening
from assay.store.database import Database
from assay.store.json_text import to_json
from assay.store.schema import events, sessions

_HAPPENING: TypeAdapter[Happening] = TypeAdapter(Happening)

_PAGE = 500
"""Events that are read at a time."""

_last = (
    select(func.coalesce(func.max(events.c.sequence), 0))
    .where(events.c.session == bindparam("of"))
    .scalar_subquery()
)
_APPEND = (
    insert(events)
    .from_select(
        ["session", "sequence", "time", "kind", "data"],
        select(
            sessions.c.id,
            _last + literal(1),
            bindparam("at"),
            bindparam("named"),
            bindparam("text"),
        ).where(sessions.c.id == bindparam("of"), sessions.c.generation == bindparam("by")),
    )
    .returning(events.c.sequence)
)


def append(database: Database, session: str, happening: Happening, generation: int) -> Event | None:
    """Store what happened; None where there is no such session of this generation."""
    data = to_json(_HAPPENING, happening)
    # Read back before it is stored: so what is shown is what is stored, and can be read.
    stored = _HAPPENING.validate_json(data)
    now = time.time()
    row = {"of": session, "by": generation, "at": now, "named": happening.kind, "text": data}
    with database.writing() as connection:
        sequence: int | None = connection.execute(_APPEND, row).scalar()
    if sequence is None:
        return None
    return Event(session=session, sequence=sequence, time=now, happening=stored)


def read_events(
    database: Database, session: str, after: int, *, without: tuple[str, ...] = ()
) -> Iterator[Event]:
    """Give the session's events with numbers above `after` whose kind is not in `without`."""
    query = (
        select(events.c.sequence, events.c.time, events.c.data)
        .where(events.c.session == session, events.c.sequence > bindparam("after"))
        .where(events.c.kind.not_in(without))
        .order_by(events.c.sequence)
        .limit(_PAGE)
    )
    while True:
        with database.reading() as connection:
            page = [
                Event(
                    session=session,
                    sequence=row.sequence,
                    time=row.time,
                    happening=_HAPPENING.validate_json(row.data),
                )
                for row in connection.execute(query, {"after": after})
            ]
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].sequence
