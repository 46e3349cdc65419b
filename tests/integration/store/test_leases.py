"""One process works on a session; another that takes it over shuts the first one out."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assay.domain.event import Notice
from assay.domain.task import Task
from assay.errors import LeaseLost, SessionNotFound, SessionRunning
from assay.store.checkpoints import carry_over, open_checkpoints, thread
from assay.store.records import StoredReply
from assay.store.store import Store

TAKE_OVER = """
import sys
from pathlib import Path
from assay.store.store import Store
store = Store.open(Path(sys.argv[1]))
print(store.take_over(sys.argv[2]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other(store: Store, path: Path) -> Iterator[Store]:
    """Another process's store, as far as locks go."""
    other = Store.open(path)
    yield other
    other.close()


def test_a_running_session_is_not_taken_over(store: Store, other: Store, session: str) -> None:
    with pytest.raises(SessionRunning, match=session):
        other.take_over(session)
    with pytest.raises(SessionRunning):
        store.take_over(session)
    store.append(session, Notice(text="still mine"))


def test_what_is_taken_over_is_written_by_one_only(
    store: Store, other: Store, session: str
) -> None:
    store.append(session, Notice(text="first"))
    store.release(session)
    generation = other.take_over(session)
    assert generation == 2
    with pytest.raises(LeaseLost, match=f"assay show {session}"):
        store.append(session, Notice(text="late"))
    with pytest.raises(LeaseLost):
        store.require_lease(session, 1)
    other.append(session, Notice(text="second"), generation)
    other.require_lease(session, generation)
    told = [event.happening for event in other.events(session)]
    assert told == [Notice(text="first"), Notice(text="second")]


def test_a_lock_whose_file_was_removed_is_no_leave_to_write(
    store: Store, other: Store, session: str, path: Path
) -> None:
    (path.parent / "running" / f"{session}.lock").unlink()
    generation = other.take_over(session)
    with pytest.raises(LeaseLost):
        store.append(session, Notice(text="late"))
    other.append(session, Notice(text="mine"), generation)


def test_a_killed_process_lets_its_session_go(store: Store, session: str, path: Path) -> None:
    store.release(session)
    with subprocess.Popen(
        [sys.executable, "-c", TAKE_OVER, str(path), session],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"2\n"
        with pytest.raises(SessionRunning):
            store.take_over(session)
        child.kill()
        child.wait(timeout=30)
    assert store.take_over(session) == 3


def test_an_unknown_session_is_not_taken_over(store: Store) -> None:
    with pytest.raises(SessionNotFound):
        store.take_over("20200101-0000000")
    with pytest.raises(SessionNotFound):
        store.require_lease("20200101-0000000", 1)


async def test_a_generation_begins_where_the_last_one_with_a_checkpoint_ended(
    store: Store, session: str, path: Path
) -> None:
    from langgraph.checkpoint.base import empty_checkpoint

    async with open_checkpoints(path) as saver:
        assert not await carry_over(saver, session, 4)
        kept = empty_checkpoint() | {"channel_values": {"count": 7}}
        await saver.aput(thread(session, 1), kept, {"step": 3}, {})
        assert await carry_over(saver, session, 4)
        late = empty_checkpoint() | {"channel_values": {"count": 8}}
        await saver.aput(thread(session, 1), late, {"step": 4}, {})
        found = await saver.aget_tuple(thread(session, 4))
        assert found is not None
        assert found.checkpoint["channel_values"] == {"count": 7}
        assert found.metadata["step"] == 3


def test_a_reply_waits_for_the_disk_and_an_event_does_not(
    store: Store,
    session: str,
    path: Path,
    stored: Callable[..., StoredReply],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)  # type: ignore[call-overload]
        connection.set_trace_callback(said.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    with closing(Store.open(path)) as watched:
        said.clear()
        watched.save_reply(session, stored())
        watched.append(session, Notice(text="x"))
    levels = [text.split("= ")[1] for text in said if text.startswith("PRAGMA synchronous")]
    assert levels[-2:] == ["FULL", "NORMAL"]


def test_a_follow_up_is_found_by_what_it_follows(store: Store, session: str) -> None:
    task = Task(instructions="More")
    child = store.create_session(flow="single", model="m", task=task, follows=session)
    assert store.followers(session) == [child]
    assert store.sessions(limit=1)[0].follows == session
    store.release(session)
    store.delete(session)
    assert store.followers(session) == [child]
    assert store.record(child).task == task


def test_what_was_prepared_is_kept_once(store: Store, session: str) -> None:
    store.keep_prepared(session, "first")
    store.keep_prepared(session, "second")
    assert store.record(session).prepared == "first"
