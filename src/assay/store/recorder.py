"""Events are stored first, then shown."""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.domain.event import Event, Happening, Text
from assay.store.store import Store

TEXT_SECONDS = 0.1
"""Streamed text is stored at most this often."""


class Recorder:
    """Stores what happens in one session, and hands each stored event on.

    A piece of text that comes soon after the last one waits for the next piece that comes late
    enough, for any other happening, or for `flush`; pieces that waited become one event. To be
    used from one thread.
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
        self._store = store
        self._session = session
        self._generation = generation
        self._on_event = on_event
        self._clock = clock
        self._pieces: list[str] = []
        self._last_text = float("-inf")

    def record(self, happening: Happening) -> None:
        """Store `happening`, then show it.

        Raises:
            StoreError: it cannot be stored; it was not shown, and the session has to stop.
            SessionNotFound: the session was deleted meanwhile.
            LeaseLost: another process has gone on with the session.
        """
        if isinstance(happening, Text):
            self._pieces.append(happening.text)
            if self._clock() - self._last_text >= TEXT_SECONDS:
                self.flush()
            return
        self.flush()
        self._on_event(self._store.append(self._session, happening, self._generation))

    def flush(self) -> None:
        """Store and show the text that waits.

        Raises:
            StoreError: it cannot be stored.
            SessionNotFound: the session was deleted meanwhile.
            LeaseLost: another process has gone on with the session.
        """
        text = "".join(self._pieces)
        if not text:
            return
        self._pieces.clear()
        self._last_text = self._clock()
        self._on_event(self._store.append(self._session, Text(text=text), self._generation))
