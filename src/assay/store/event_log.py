"""The events of sessions: numbered, and appended only by the process that may."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row, Select, bindparam, func, insert, literal, select

from assay.domain.event import AFTERWARDS, AnswerGiven, Event, Happening
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


def read_events(database: Database, session: str, after: int) -> Iterator[Event]:
    """Give the session's events with numbers above `after`, in their order."""
    query = _of(session).where(events.c.sequence > bindparam("after")).limit(_PAGE)
    query = query.order_by(events.c.sequence)
    while True:
        with database.reading() as connection:
            page = [_event(session, row) for row in connection.execute(query, {"after": after})]
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1].sequence


def last_event(database: Database, session: str) -> Event | None:
    """Give the latest event of the session itself; None where there is none."""
    query = (
        _of(session)
        .where(events.c.kind.not_in(AFTERWARDS))
        .order_by(events.c.sequence.desc())
        .limit(1)
    )
    with database.reading() as connection:
        row = connection.execute(query).one_or_none()
        return None if row is None else _event(session, row)


def receipts_of(database: Database, session: str) -> list[Path]:
    """Give the receipts that the session's answers name; an answer that cannot be read has none."""
    is_answer = (events.c.session == session) & (events.c.kind == "answer_given")
    with database.reading() as connection:
        answers = connection.execute(select(events.c.data).where(is_answer)).scalars().all()
    found = []
    for data in answers:
        with suppress(ValidationError):
            found.append(Path(AnswerGiven.model_validate_json(data).receipt or ""))
    return found


def _of(session: str) -> Select[tuple[int, float, str]]:
    return select(events.c.sequence, events.c.time, events.c.data).where(
        events.c.session == session
    )


def _event(session: str, row: Row[tuple[int, float, str]]) -> Event:
    happening = _HAPPENING.validate_json(row.data)
    return Event(session=session, sequence=row.sequence, time=row.time, happening=happening)
