from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay.domain.event import Event, Happening, Notice, Text
from assay.errors import StoreError
from assay.store.recorder import Recorder
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


def test_events_are_stored_and_then_shown(recording: Recording) -> None:
    recording.recorder.record(Notice(text="a"))
    recording.recorder.record(Notice(text="b"))
    assert recording.texts() == [Notice(text="a"), Notice(text="b")]


def test_text_is_joined_until_its_time_has_come(recording: Recording) -> None:
    for piece in ("a", "b", "c"):
        recording.recorder.record(Text(text=piece))
    assert recording.texts() == [Text(text="a")]
    recording.clock.now += 0.11
    recording.recorder.record(Text(text="d"))
    assert recording.texts() == [Text(text="a"), Text(text="bcd")]


def test_other_happenings_come_after_the_text_before_them(recording: Recording) -> None:
    for happening in (Text(text="a"), Text(text="b"), Notice(text="n"), Text(text="c")):
        recording.recorder.record(happening)
    assert recording.texts() == [Text(text="a"), Text(text="b"), Notice(text="n")]
    recording.recorder.flush()
    recording.recorder.flush()
    assert recording.texts()[3:] == [Text(text="c")]


def test_a_character_cut_between_pieces_is_whole(recording: Recording) -> None:
    for piece in ("x", "\ud83d", "\ude00"):
        recording.recorder.record(Text(text=piece))
    recording.recorder.flush()
    assert recording.texts() == [Text(text="x"), Text(text="😀")]


def test_text_of_ten_seconds_is_a_hundred_events(recording: Recording) -> None:
    for _ in range(1000):
        recording.recorder.record(Text(text="x"))
        recording.clock.now += 0.01
    recording.recorder.flush()
    assert 90 <= len(recording.shown) <= 101
    texts = [happening.text for happening in recording.texts() if isinstance(happening, Text)]
    assert "".join(texts) == "x" * 1000


def test_what_cannot_be_stored_is_not_shown(recording: Recording, path: Path) -> None:
    recording.recorder.record(Notice(text="a"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE events RENAME TO gone")
    with pytest.raises(StoreError, match="damaged"):
        recording.recorder.record(Notice(text="b"))
    assert recording.texts() == [Notice(text="a")]
