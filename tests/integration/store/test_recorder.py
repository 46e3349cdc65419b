from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assay.domain.event import Event, Happening, Notice, Text
from assay.domain.message import Reply
from assay.errors import StoreError
from assay.store.database import connect
from assay.store.recorder import Recorder
from assay.store.records import StoredReply
from assay.store.store import Store


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Recording:
    """A recorder with a clock that stands still, and what it has shown."""

    def __init__(self, store: Store, session: str) -> None:
        self.store = store
        self.session = session
        self.clock = Clock()
        self.shown: list[Event] = []
        self.recorder = Recorder(store, session, self.show, clock=self.clock)

    def show(self, event: Event) -> None:
        # What is shown is stored already.
        assert list(self.store.events(self.session))[-1] == event
        self.shown.append(event)

    def texts(self) -> list[Happening]:
        return [event.happening for event in self.shown]


@pytest.fixture
def recording(store: Store, session: str) -> Recording:
    return Recording(store, session)


async def test_events_are_stored_and_then_shown(recording: Recording) -> None:
    recording.recorder.note(Notice(text="a"))
    recording.recorder.note(Notice(text="b"))
    await recording.recorder.settle()
    assert recording.texts() == [Notice(text="a"), Notice(text="b")]


async def test_text_is_joined_until_its_time_has_come(recording: Recording) -> None:
    for piece in ("a", "b", "c"):
        recording.recorder.note(Text(text=piece))
    recording.clock.now += 0.11
    recording.recorder.note(Text(text="d"))
    await recording.recorder.settle()
    assert recording.texts() == [Text(text="a"), Text(text="bcd")]


async def test_other_happenings_come_after_the_text_before_them(recording: Recording) -> None:
    for happening in (Text(text="a"), Text(text="b"), Notice(text="n"), Text(text="c")):
        recording.recorder.note(happening)
    await recording.recorder.settle()
    await recording.recorder.settle()
    texts = [Text(text="a"), Text(text="b"), Notice(text="n"), Text(text="c")]
    assert recording.texts() == texts


async def test_a_character_cut_between_pieces_is_whole(recording: Recording) -> None:
    for piece in ("x", "\ud83d", "\ude00"):
        recording.recorder.note(Text(text=piece))
    await recording.recorder.settle()
    assert recording.texts() == [Text(text="x"), Text(text="😀")]


async def test_text_of_ten_seconds_is_a_hundred_events(recording: Recording) -> None:
    for _ in range(1000):
        recording.recorder.note(Text(text="x"))
        recording.clock.now += 0.01
    await recording.recorder.settle()
    assert 90 <= len(recording.shown) <= 101
    texts = [happening.text for happening in recording.texts() if isinstance(happening, Text)]
    assert "".join(texts) == "x" * 1000


async def test_what_cannot_be_stored_is_not_shown(recording: Recording, path: Path) -> None:
    recording.recorder.note(Notice(text="a"))
    await recording.recorder.settle()
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE events RENAME TO gone")
    recording.recorder.note(Notice(text="b"))
    recording.recorder.note(Notice(text="c"))
    with pytest.raises(StoreError, match="damaged"):
        await recording.recorder.settle()
    assert recording.texts() == [Notice(text="a")]


async def test_a_failure_is_told_once_and_what_comes_later_is_stored(
    recording: Recording, path: Path
) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE events RENAME TO gone")
        recording.recorder.note(Notice(text="a"))
        with pytest.raises(StoreError):
            await recording.recorder.settle()
        other.execute("ALTER TABLE gone RENAME TO events")
    recording.recorder.note(Notice(text="b"))
    await recording.recorder.settle()
    assert recording.texts() == [Notice(text="b")]


async def test_a_reply_is_stored_even_if_the_events_before_it_cannot_be(
    recording: Recording, path: Path, stored: Callable[..., StoredReply]
) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE events RENAME TO gone")
    recording.recorder.note(Notice(text="a"))
    with pytest.raises(StoreError):
        await recording.recorder.save_reply(stored())
    assert recording.store.replies(recording.session) == [stored()]


@pytest.fixture
def impatient(
    path: Path, session: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Recording]:
    """One whose store gives up a locked database soon, and tries again."""
    store.release(session)
    monkeypatch.setattr("assay.store.database.BUSY_SECONDS", 0.01)
    with closing(Store.open(path)) as opened:
        yield Recording(opened, session)


async def test_a_locked_database_is_waited_for_and_the_loop_goes_on(
    impatient: Recording,
    path: Path,
    stored: Callable[..., StoredReply],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries, tried_often = count(1), asyncio.Event()
    append, loop = impatient.store.append, asyncio.get_running_loop()

    def counted(*arguments: Any) -> Event:
        if next(tries) == 4:
            loop.call_soon_threadsafe(tried_often.set)
        return append(*arguments)

    monkeypatch.setattr(impatient.store, "append", counted)
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        impatient.recorder.note(Notice(text="a"))
        saving = asyncio.create_task(impatient.recorder.save_reply(stored()))
        await tried_often.wait()
        assert (impatient.shown, saving.done()) == ([], False)
    await saving
    assert impatient.texts() == [Notice(text="a")]
    assert impatient.store.replies(impatient.session) == [stored()]


async def test_a_reply_that_cannot_be_stored_is_there_after_a_resume(
    impatient: Recording, path: Path, stored: Callable[..., StoredReply]
) -> None:
    impatient.recorder.is_patient = False
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="assay resume") as raised:
            await impatient.recorder.save_reply(stored())
    (file,) = (path.parent / "unsaved").iterdir()
    assert str(file) in raised.value.message
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert impatient.store.replies(impatient.session) == []
    impatient.store.take_over(impatient.session)
    assert impatient.store.replies(impatient.session) == [stored()]
    assert not file.exists()


async def test_a_reply_that_can_be_kept_nowhere_is_told(
    impatient: Recording, path: Path, stored: Callable[..., StoredReply]
) -> None:
    (path.parent / "unsaved").touch()
    impatient.recorder.is_patient = False
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="it was:\ntwo"):
            await impatient.recorder.save_reply(stored(reply=Reply(text="two")))
