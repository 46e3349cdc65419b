from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypedDict

import pytest

from assay.domain.event import Notice, SessionStopped
from assay.domain.message import Message
from assay.errors import StoreError
from assay.store.checkpoints import delete_checkpoints, open_checkpoints
from assay.store.store import Store


class State(TypedDict):
    count: int


async def run(path: Path, thread: str, tell: Callable[[], object] = lambda: None) -> None:
    """Run a graph that counts to ten, telling of each step, and with a checkpoint for it."""
    from langgraph.graph import END, START, StateGraph

    async def add(state: State) -> State:
        await asyncio.sleep(0)
        tell()
        return {"count": state["count"] + 1}

    graph = StateGraph(State)
    graph.add_node("add", add)
    graph.add_edge(START, "add")
    graph.add_conditional_edges("add", lambda state: "add" if state["count"] < 10 else END)
    async with open_checkpoints(path) as saver:
        compiled = graph.compile(checkpointer=saver)
        await compiled.ainvoke(
            {"count": 0}, {"configurable": {"thread_id": thread}}, durability="sync"
        )


async def threads(path: Path) -> set[str]:
    async with open_checkpoints(path) as saver:
        return {item.config["configurable"]["thread_id"] async for item in saver.alist(None)}


@pytest.fixture
def damaged(path: Path) -> Path:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    return path


async def test_a_graph_keeps_its_checkpoints_beside_the_sessions(
    store: Store, session: str, path: Path
) -> None:
    await run(path, f"{session}:1")
    async with open_checkpoints(path) as saver:
        found = await saver.aget_tuple({"configurable": {"thread_id": f"{session}:1"}})
        assert found is not None
        assert found.checkpoint["channel_values"]["count"] == 10
    store.append(session, Notice(text="the store works on"))


async def test_another_process_leaves_the_log_of_a_session_that_is_at_work(
    store: Store, session: str, path: Path, run_child: Callable[..., str]
) -> None:
    """Who closes a database as the last removes its log, which is ruin to whoever still writes."""
    look = "import sys; from pathlib import Path; from assay.store.store import Store; "
    look += "store = Store.open(Path(sys.argv[1])); print(len(store.sessions())); store.close()"
    log = path.with_name("assay.db-wal")
    async with open_checkpoints(path):
        before = log.stat().st_ino
        assert run_child(look, path).strip() == "1"
        assert log.stat().st_ino == before
        store.append(session, Notice(text="the store works on"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_events_are_stored_while_checkpoints_are_written(
    store: Store, session: str, path: Path
) -> None:
    """The event loop may be between LangGraph's write and its commit when an event comes."""

    def tell() -> None:
        store.append(session, Notice(text="x"))

    await asyncio.gather(*(run(path, f"{session}:{n}", tell) for n in range(3)))
    assert [event.sequence for event in store.events(session)] == list(range(1, 31))


async def test_writes_of_one_step_are_stored_all_or_none(path: Path) -> None:
    async with open_checkpoints(path) as saver:
        cursor = await saver.conn.cursor()
        rows = [("t", "", "c", "task", "", n, "x", "null", b"") for n in (1, 2, None)]
        with pytest.raises(sqlite3.IntegrityError):
            await cursor.executemany(f"INSERT INTO writes VALUES ({'?, ' * 8}?)", rows)
        left = await (await saver.conn.execute("SELECT count(*) FROM writes")).fetchone()
        assert tuple(left or ()) == (0,)


async def test_checkpoints_of_all_generations_are_deleted(path: Path) -> None:
    for thread in ("a:1", "a:2", "ab:1", "a", "b:1"):
        await run(path, thread)
    delete_checkpoints(path, "a")
    assert await threads(path) == {"ab:1", "a", "b:1"}
    with closing(sqlite3.connect(path)) as connection:
        left = connection.execute("SELECT DISTINCT thread_id FROM writes").fetchall()
    assert {thread for (thread,) in left} == {"ab:1", "a", "b:1"}


async def test_a_database_without_checkpoints_has_none_to_delete(store: Store, path: Path) -> None:
    delete_checkpoints(path, "a")
    assert await threads(path) == set()


async def test_a_session_is_deleted_with_its_checkpoints(
    store: Store, session: str, path: Path
) -> None:
    await run(path, f"{session}:1")
    store.append(session, SessionStopped())
    store.delete(session)
    assert await threads(path) == set()


async def test_no_class_is_called_by_reading_a_checkpoint(path: Path) -> None:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    message = Message(role="user", content="x")
    async with open_checkpoints(path) as saver:
        written = saver.serde.dumps_typed(message)
        # The control: as LangGraph comes, it calls whatever class is named.
        assert JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(written) == message
        assert not isinstance(saver.serde.loads_typed(written), Message)


async def test_a_damaged_database_is_said_to_be_damaged(damaged: Path) -> None:
    path = damaged
    with pytest.raises(StoreError, match="damaged"):
        async with open_checkpoints(path):
            pass
    with pytest.raises(StoreError, match="damaged"):
        delete_checkpoints(path, "a")


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="ASSAY_DATA_FOLDER"):
        async with open_checkpoints(tmp_path / "file" / "assay.db"):
            pass
