"""LangGraph's checkpoints, in the same file as the sessions.

A thread's id is `session:generation`, so that a session's checkpoints are found by its id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assay.errors import StoreError
from assay.store.database import connect, create_file, explained
from assay.store.faults import BUSY_SECONDS, store_error

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

# ';' comes right after ':', so these are the ids that begin with "session:".
_DELETE = {
    "checkpoints": "DELETE FROM checkpoints WHERE thread_id >= :s || ':' AND thread_id < :s || ';'",
    "writes": "DELETE FROM writes WHERE thread_id >= :s || ':' AND thread_id < :s || ';'",
}


@asynccontextmanager
async def open_checkpoints(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the checkpoints in the database at `path`.

    Only plain data is read from them (numbers, text, lists, dictionaries, and the few types that
    LangGraph holds safe), so that nobody who can write the file can run code through it.

    Raises:
        StoreError: the database cannot be used; also while it is open, for what LangGraph writes.
    """
    import aiosqlite
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    # None allows no type beyond the safe ones, whatever LANGGRAPH_STRICT_MSGPACK says.
    serde = JsonPlusSerializer(allowed_msgpack_modules=None)
    with explained(path):
        create_file(path)
    try:
        async with aiosqlite.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, factory=_Connection
        ) as connection:
            await connection.execute("PRAGMA synchronous = NORMAL")
            saver = AsyncSqliteSaver(connection, serde=serde)
            await saver.setup()
            yield saver
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def thread(session: str, generation: int) -> Any:  # LangChain's own type, not imported here
    """The configuration of a graph that runs `session`: each generation has a thread of its own."""
    return {"configurable": {"thread_id": f"{session}:{generation}", "checkpoint_ns": ""}}


async def carry_over(saver: AsyncSqliteSaver, session: str, generation: int) -> bool:
    """Begin a generation's thread with the last checkpoint of those before it.

    What a step had written after it is left behind: the step runs again and finds its replies
    and verdicts.

    Returns:
        False where there is none, so that the graph starts from its beginning.

    Raises:
        StoreError: it is not as LangGraph has written it.
    """
    with as_written(session):
        for earlier in range(generation - 1, 0, -1):
            found = await saver.aget_tuple(thread(session, earlier))
            if found is not None:
                here = thread(session, generation)
                versions = found.checkpoint["channel_versions"]
                await saver.aput(here, found.checkpoint, found.metadata, versions)
                return True
    return False


@contextmanager
def as_written(session: str) -> Iterator[None]:
    """Tell where a checkpoint of `session` is not as this Assay writes it, however it differs.

    Raises:
        StoreError: it is not; says what to do.
    """
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, NotImplementedError) as error:
        raise StoreError(
            f"Where session {session} was cut off cannot be read ({type(error).__name__}: "
            f"{str(error).partition(chr(10))[0]}). Go on from its best answer with "
            f"`assay ask --continue {session}`, or ask anew."
        ) from error


class _Cursor(sqlite3.Cursor):
    """Writes many rows in a transaction that ends before it returns."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Self:
        self.execute("BEGIN IMMEDIATE")
        try:
            super().executemany(sql, parameters)
        except BaseException:
            self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")
        return self


class _Connection(sqlite3.Connection):
    """Holds no lock between calls.

    LangGraph's saver writes in one call and commits in another, and gives way to the event loop
    in between. Were the lock held meanwhile, then whatever else writes in the event loop's thread
    would wait for a commit that only the event loop can ask for.
    """

    def cursor(self, factory: type[sqlite3.Cursor] = _Cursor) -> sqlite3.Cursor:  # type: ignore[override]
        return super().cursor(factory)


def delete_checkpoints(path: Path, session: str) -> None:
    """Delete the checkpoints of all generations of `session`.

    Raises:
        StoreError: the database cannot be used.
    """
    with explained(path), closing(connect(path)) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for table in {name for (name,) in found} & set(_DELETE):
            connection.execute(_DELETE[table], {"s": session})
