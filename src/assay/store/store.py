"""Sessions with their events and replies: the one thing that remembers."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import bindparam, delete, func, insert, or_, select
from sqlalchemy.exc import IntegrityError

from assay.domain.event import AnswerGiven, Event, Happening
from assay.domain.message import Message, Reply
from assay.domain.task import Task
from assay.errors import BadInput, SessionNotFound
from assay.store import replies
from assay.store.checkpoints import delete_checkpoints
from assay.store.database import Database, explained
from assay.store.ids import as_typed, new_id
from assay.store.json_text import to_json
from assay.store.listing import ENDS, list_sessions
from assay.store.records import SessionSummary, StoredReply
from assay.store.running import Running
from assay.store.schema import events, sessions

_HAPPENING: TypeAdapter[Happening] = TypeAdapter(Happening)
_TASK = TypeAdapter(Task)

_PAGE = 500
"""Events that are read at a time."""
_TITLE_LENGTH = 200

_APPEND = (
    insert(events)
    .values(
        session=bindparam("of"),
        sequence=select(func.coalesce(func.max(events.c.sequence), 0) + 1)
        .where(events.c.session == bindparam("of"))
        .scalar_subquery(),
        time=bindparam("at"),
        kind=bindparam("named"),
        data=bindparam("text"),
    )
    .returning(events.c.sequence)
)


class Store:
    """The database of sessions. Safe to use from several threads and processes.

    All methods raise StoreError where the database cannot be used (damaged, full, read-only,
    locked), with a message that says what to do.
    """

    def __init__(self, path: Path, database: Database) -> None:
        self._path = path
        self._database = database
        self._running = Running(path.parent / "running")

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open the database at `path`, making or migrating it where needed.

        Raises:
            StoreError: it cannot be used, or a newer Assay wrote it.
        """
        return cls(path, Database.open(path))

    def close(self) -> None:
        """Close the database. Sessions of this store that have no end are now interrupted."""
        self._running.release_all()
        self._database.close()

    def create_session(self, *, flow: str, model: str, task: Task) -> str:
        """Begin a session, which counts as running until its last event; return its id."""
        now = time.time()
        session = new_id(now)
        data = to_json(_TASK, task)
        row = {
            "id": session,
            "created": now,
            "flow": flow,
            "model": model,
            "title": _title(_TASK.validate_json(data).instructions),
            "task": data,
        }
        with explained(self._path):
            self._running.hold(session)
        try:
            with self._database.writing() as connection:
                connection.execute(insert(sessions), row)
        except BaseException:
            self._running.release(session)
            raise
        return session

    def append(self, session: str, happening: Happening) -> Event:
        """Store what happened, numbered from 1 without gaps; return it as it was stored.

        Raises:
            SessionNotFound: there is no such session, or it was deleted meanwhile.
        """
        data = to_json(_HAPPENING, happening)
        # Read back before it is stored: so what is shown is what is stored, and can be read.
        stored = _HAPPENING.validate_json(data)
        now = time.time()
        row = {"of": session, "at": now, "named": happening.kind, "text": data}
        try:
            with self._database.writing() as connection:
                sequence: int = connection.execute(_APPEND, row).scalar_one()
        except IntegrityError as error:
            raise _not_found(session) from error
        if happening.kind in ENDS:
            self._running.release(session)
        return Event(session=session, sequence=sequence, time=now, happening=stored)

    def events(self, session: str, after: int = 0) -> Iterator[Event]:
        """Give the session's events with numbers above `after`, those stored meanwhile included.

        Raises:
            SessionNotFound: there is no such session.
        """
        self._require(session)
        return self._pages(session, after)

    def _pages(self, session: str, after: int) -> Iterator[Event]:
        query = (
            select(events.c.sequence, events.c.time, events.c.data)
            .where(events.c.session == session, events.c.sequence > bindparam("after"))
            .order_by(events.c.sequence)
            .limit(_PAGE)
        )
        while True:
            with self._database.reading() as connection:
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

    def task(self, session: str) -> Task:
        """Give what was asked in the session.

        Raises:
            SessionNotFound: there is no such session.
        """
        with self._database.reading() as connection:
            query = select(sessions.c.task).where(sessions.c.id == session)
            data = connection.execute(query).scalar()
            if data is None:
                raise _not_found(session)
            return _TASK.validate_json(data)

    def sessions(self, limit: int = 50) -> list[SessionSummary]:
        """Give the latest sessions, newest first."""
        return list_sessions(self._database, limit, self._running.is_held)

    def find(self, prefix: str) -> str:
        """Give the id of the one session whose id, or its part after the dash, begins so.

        Raises:
            SessionNotFound: there is none, or more than one.
        """
        typed = as_typed(prefix)
        if typed is None:
            raise _not_found(prefix)
        begins = or_(
            sessions.c.id.startswith(typed, autoescape=True),
            sessions.c.id.contains(f"-{typed}", autoescape=True),
        )
        query = select(sessions.c.id).where(begins).order_by(sessions.c.id.desc()).limit(4)
        with self._database.reading() as connection:
            found: list[str] = list(connection.execute(query).scalars())
        if typed in found:
            return typed
        if not found:
            raise _not_found(prefix)
        if len(found) == 1:
            return found[0]
        names = ", ".join(found[:3]) + (" and more" if len(found) > 3 else "")
        raise SessionNotFound(
            f"Several sessions begin with {prefix}: {names}. Type more of the id."
        )

    def delete(self, session: str) -> None:
        """Delete everything of the session: events, replies, checkpoints, and its receipt's file.

        Raises:
            SessionNotFound: there is no such session.
            BadInput: it is running.
        """
        self._require(session)
        if self._running.is_held(session):
            raise BadInput(f"Session {session} is running. Stop it first, then delete it.")
        # The session's row goes last, so that a deletion that was cut off can be done again.
        self._delete_receipts(session)
        delete_checkpoints(self._path, session)
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.id == session))
        self._database.empty_log()
        self._running.forget(session)

    def save_reply(
        self,
        session: str,
        step: str,
        attempt: int,
        role: str,
        prompt_hash: str,
        messages: Sequence[Message],
        reply: Reply,
    ) -> None:
        """Store a reply before it is used. Where there is one already, that one stays.

        Raises:
            SessionNotFound: there is no such session.
        """
        database = self._database
        try:
            replies.save_reply(database, session, step, attempt, role, prompt_hash, messages, reply)
        except IntegrityError as error:
            raise _not_found(session) from error

    def find_reply(
        self, session: str, step: str, attempt: int, role: str, prompt_hash: str
    ) -> Reply | None:
        """Give the reply that was stored under this key, None where there is none."""
        return replies.find_reply(self._database, session, step, attempt, role, prompt_hash)

    def replies(self, session: str) -> list[StoredReply]:
        """Give all replies of the session in the order in which they came.

        Raises:
            SessionNotFound: there is no such session.
        """
        self._require(session)
        return replies.list_replies(self._database, session)

    def _require(self, session: str) -> None:
        with self._database.reading() as connection:
            query = select(sessions.c.id).where(sessions.c.id == session)
            if connection.execute(query).scalar() is None:
                raise _not_found(session)

    def _delete_receipts(self, session: str) -> None:
        is_answer = (events.c.session == session) & (events.c.kind == "answer_given")
        with self._database.reading() as connection:
            answers = connection.execute(select(events.c.data).where(is_answer)).scalars().all()
        for data in answers:
            # What cannot be read has to be deletable too, it only leaves its receipt.
            with contextlib.suppress(ValidationError):
                receipt = Path(AnswerGiven.model_validate_json(data).receipt or "")
                # The name is looked at, so that a changed database cannot name another file.
                if receipt.name == f"{session}.json":
                    with explained(receipt):
                        receipt.unlink(missing_ok=True)


def _not_found(session: str) -> SessionNotFound:
    return SessionNotFound(f"There is no session {session!r}. `assay sessions` lists them.")


def _title(instructions: str) -> str:
    lines = instructions.strip().splitlines()
    return lines[0][:_TITLE_LENGTH] if lines else ""
