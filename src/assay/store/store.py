"""Sessions with their events and replies: the one thing that remembers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter
from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from assay.domain.event import Event, Happening
from assay.domain.message import Reply
from assay.domain.task import Task
from assay.store import event_log, replies
from assay.store.checkpoints import delete_checkpoints
from assay.store.database import Database, explained
from assay.store.ids import new_id
from assay.store.json_text import to_json
from assay.store.leases import latest_generation, raise_generation, require_generation
from assay.store.listing import ENDS, list_sessions
from assay.store.lookup import find_session, not_found
from assay.store.records import SessionRecord, SessionSummary, StoredReply, title_of
from assay.store.running import Running, still_running
from assay.store.schema import sessions
from assay.store.unsaved import Unsaved

_TASK = TypeAdapter(Task)


class Store:
    """The database of sessions. Safe to use from several threads and processes.

    All methods raise StoreError where the database cannot be used (damaged, full, read-only,
    locked), with a message that says what to do.
    """

    def __init__(self, path: Path, database: Database) -> None:
        self._path = path
        self._database = database
        self._running = Running(path.parent / "running")
        self._unsaved = Unsaved(path.parent / "unsaved")

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

    def create_session(
        self,
        *,
        flow: str,
        model: str,
        task: Task,
        base_url: str | None = None,
        follows: str | None = None,
    ) -> str:
        """Begin a session, which counts as running until its last event; return its id.

        What this process writes of it belongs to the session's first generation.
        """
        now = time.time()
        session = new_id(now)
        data = to_json(_TASK, task)
        row = {
            "id": session,
            "created": now,
            "flow": flow,
            "model": model,
            "title": title_of(_TASK.validate_json(data).instructions),
            "task": data,
            "base_url": base_url,
            "follows": follows,
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

    def take_over(self, session: str) -> int:
        """Go on with a session that no process runs; return the new generation to write with.

        Whatever an earlier generation still tries to write is refused from now on.

        Raises:
            SessionNotFound: there is no such session.
            SessionRunning: a living process, this one or another, runs it.
        """
        self._require(session)
        with explained(self._path):
            try:
                self._running.hold(session)
            except BlockingIOError as error:
                raise still_running(session) from error
        try:
            generation = raise_generation(self._database, session)
            self._save_unsaved(session)
        except BaseException:
            self._running.release(session)
            raise
        return generation

    def require_idle(self, session: str) -> None:
        """Make sure that no living process runs the session.

        Raises:
            SessionRunning: one does.
        """
        if self._running.is_held(session):
            raise still_running(session)

    def release(self, session: str) -> None:
        """Let another process go on with a session that this one runs and will not end."""
        self._running.release(session)

    def require_lease(self, session: str, generation: int) -> None:
        """Make sure that nobody has gone on with the session since `generation` began.

        Raises:
            SessionNotFound: there is no such session.
            LeaseLost: somebody has.
        """
        require_generation(self._database, session, generation)

    def append(self, session: str, happening: Happening, generation: int = 1) -> Event:
        """Store what happened, numbered from 1 without gaps; return it as it was stored.

        Raises:
            SessionNotFound: there is no such session, or it was deleted meanwhile.
            LeaseLost: the session is in a later generation.
        """
        event = event_log.append(self._database, session, happening, generation)
        if event is None:
            self.require_lease(session, generation)
            raise not_found(session)
        if happening.kind in ENDS:
            self._running.release(session)
        return event

    def append_after(self, session: str, happening: Happening) -> Event:
        """Store what happened with the session after it has ended.

        Raises:
            SessionNotFound: there is no such session.
            SessionRunning: a living process runs it.
            LeaseLost: it is gone on with at this moment.
        """
        self.require_idle(session)
        return self.append(session, happening, latest_generation(self._database, session))

    def events(self, session: str, after: int = 0) -> Iterator[Event]:
        """Give the session's events with numbers above `after`, those stored meanwhile included.

        Raises:
            SessionNotFound: there is no such session.
        """
        self._require(session)
        return event_log.read_events(self._database, session, after)

    def last_event(self, session: str) -> Event | None:
        """Give the session's latest event but for what came after its end; None without any.

        Raises:
            SessionNotFound: there is no such session.
        """
        self._require(session)
        return event_log.last_event(self._database, session)

    def task(self, session: str) -> Task:
        """Give what was asked in the session.

        Raises:
            SessionNotFound: there is no such session.
        """
        return self.record(session).task

    def record(self, session: str) -> SessionRecord:
        """Give what the session was begun with.

        Raises:
            SessionNotFound: there is no such session.
        """
        names = ("id", "flow", "model", "base_url", "task", "prepared")
        query = select(*(sessions.c[name] for name in names)).where(sessions.c.id == session)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                raise not_found(session)
            return SessionRecord(**{**row._mapping, "task": _TASK.validate_json(row.task)})

    def keep_prepared(self, session: str, prepared: str) -> None:
        """Keep what was prepared for the session's prompts; what is there already stays."""
        is_first = (sessions.c.id == session) & sessions.c.prepared.is_(None)
        with self._database.writing() as connection:
            connection.execute(update(sessions).where(is_first).values(prepared=prepared))

    def exists(self, session: str) -> bool:
        """Whether there is a session with this whole id."""
        query = select(sessions.c.id).where(sessions.c.id == session)
        with self._database.reading() as connection:
            return connection.execute(query).scalar() is not None

    def followers(self, session: str) -> list[str]:
        """Give the ids of the sessions that follow this one, oldest first."""
        query = select(sessions.c.id).where(sessions.c.follows == session).order_by(sessions.c.id)
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def sessions(self, limit: int = 50) -> list[SessionSummary]:
        """Give the latest sessions, newest first."""
        return list_sessions(self._database, limit, self._running.is_held)

    def find(self, prefix: str) -> str:
        """Give the id of the one session whose id, or its part after the dash, begins so.

        Raises:
            SessionNotFound: there is none, or more than one.
        """
        return find_session(self._database, prefix)

    def delete(self, session: str) -> None:
        """Delete everything of the session: events, replies, checkpoints, and its receipt's file.

        Raises:
            SessionNotFound: there is no such session.
            SessionRunning: it is running.
        """
        self._require(session)
        self.require_idle(session)
        # The session's row goes last, so that a deletion that was cut off can be done again.
        self._delete_receipts(session)
        with explained(self._path):
            self._unsaved.forget(session)
        delete_checkpoints(self._path, session)
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.id == session))
        self._database.empty_log()
        self._running.forget(session)

    def save_reply(self, session: str, stored: StoredReply) -> None:
        """Store a reply before it is used. Where there is one already, that one stays.

        Raises:
            SessionNotFound: there is no such session.
        """
        try:
            replies.save_reply(self._database, session, stored)
        except IntegrityError as error:
            raise not_found(session) from error

    def keep_apart(self, session: str, stored: StoredReply) -> str:
        """Keep a reply that cannot be stored until the session is taken over; say where it is."""
        try:
            path = self._unsaved.keep(session, stored)
        except OSError:
            return f"The reply that had come cannot be kept; it was:\n{stored.reply.text}"
        return (
            f"The reply that had come is kept in {path}: `assay resume {session}` goes on from it."
        )

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
        if not self.exists(session):
            raise not_found(session)

    def _save_unsaved(self, session: str) -> None:
        """Store what the database did not take when it came."""
        with explained(self._path):
            for file, stored in self._unsaved.replies(session):
                replies.save_reply(self._database, session, stored)
                file.unlink()

    def _delete_receipts(self, session: str) -> None:
        for receipt in event_log.receipts_of(self._database, session):
            # The name is looked at, so that a changed database cannot name another file.
            if receipt.name == f"{session}.json":
                with explained(receipt):
                    receipt.unlink(missing_ok=True)
