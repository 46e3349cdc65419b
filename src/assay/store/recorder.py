"""Events are stored first, then shown; nothing in the event loop waits for the database."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from assay.domain.event import Event, Happening, Text
from assay.errors import StoreBusy, StoreError
from assay.store.records import StoredReply
from assay.store.store import Store

TEXT_SECONDS = 0.1
"""Streamed text is stored at most this often."""

Write = Callable[[], Event | None]
"""Writes into the database; what it returns is shown."""


class Recorder:
    """Stores what happens in one session in the order in which it came, each before it is shown.

    Everything is written in another thread, one after the other. While another program holds the
    database, a write is tried again for as long as `is_patient` says so.

    A piece of text that comes soon after the last one waits for the next piece that comes late
    enough, for any other happening, or for `settle`; pieces that waited become one event. To be
    used from one event loop.
    """

    def __init__(
        self,
        store: Store,
        session: str,
        on_event: Callable[[Event], None],
        *,
        generation: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_patient = True
        """Whether a database that is held is waited for without end; not, where time is over."""
        self._store = store
        self._session = session
        self._generation = generation
        self._on_event = on_event
        self._clock = clock
        self._pieces: list[str] = []
        self._last_text = float("-inf")
        self._waiting: deque[Write] = deque()
        self._replies: deque[StoredReply] = deque()
        """Those that are still to be stored; they wait for no event that fails."""
        self._writer: asyncio.Task[None] | None = None

    def note(self, happening: Happening) -> None:
        """Have `happening` stored and then shown, after all that came before.

        Raises:
            StoreError: an earlier one could not be stored: the session has to stop.
            SessionNotFound: the session was deleted meanwhile.
            LeaseLost: another process has gone on with the session.
        """
        self._reap()
        if isinstance(happening, Text):
            self._pieces.append(happening.text)
            if self._clock() - self._last_text >= TEXT_SECONDS:
                self._note_text()
            return
        self._note_text()
        self._queue(partial(self._append, happening))

    async def settle(self) -> None:
        """Wait until all that was noted is stored and shown.

        Raises:
            StoreError: some of it cannot be stored; it and what came after it was not shown.
            SessionNotFound: the session was deleted meanwhile.
            LeaseLost: another process has gone on with the session.
        """
        self._note_text()
        while self._writer is not None:
            # Unlike awaiting the task, this leaves it at its work when it is cancelled itself.
            await asyncio.wait({self._writer})
            self._reap()

    async def write(self, write: Write) -> None:
        """Write something else of the session in its turn; what it returns is shown.

        Raises:
            AssayError: what `write` raises, and what `settle` does.
        """
        self._reap()
        self._queue(write)
        await self.settle()

    async def save_reply(self, stored: StoredReply) -> None:
        """Store a reply, whatever became of the events before it.

        Raises:
            StoreError: it cannot be stored, and the message says where it is kept instead; or what
                was noted before cannot.
            SessionNotFound: the session was deleted meanwhile.
            LeaseLost: another process has gone on with the session.
        """
        self._replies.append(stored)
        try:
            self._reap()
        finally:
            self._start()
            await self.settle()

    def _append(self, happening: Happening) -> Event:
        return self._store.append(self._session, happening, self._generation)

    def _save(self, stored: StoredReply) -> None:
        try:
            self._store.save_reply(self._session, stored)
        except StoreError as error:
            if self.is_patient and isinstance(error, StoreBusy):
                raise
            kept = self._store.keep_apart(self._session, stored)
            raise StoreError(f"{error.message} {kept}") from error

    def _note_text(self) -> None:
        if text := "".join(self._pieces):
            self._pieces.clear()
            self._last_text = self._clock()
            self._queue(partial(self._append, Text(text=text)))

    def _queue(self, write: Write) -> None:
        self._waiting.append(write)
        self._start()

    def _start(self) -> None:
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all())

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                event = await self._patiently(self._waiting.popleft())
                if event is not None:
                    self._on_event(event)
        finally:
            self._waiting.clear()
            while self._replies:
                await self._patiently(partial(self._save, self._replies.popleft()))

    async def _patiently(self, write: Write) -> Event | None:
        while True:
            try:
                return await asyncio.to_thread(write)
            except StoreBusy:
                if not self.is_patient:
                    raise

    def _reap(self) -> None:
        """Let go of a writer that has come to its end, and raise what it ended with."""
        if self._writer is not None and self._writer.done():
            writer, self._writer = self._writer, None
            writer.result()
