"""LangGraph's checkpoints, in the same file as the sessions.

A thread's id is `session:generation`, so that a session's checkpoints are found by its id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

from assay.store.database import connect, create_file
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
    try:
        create_file(path)
    except OSError as error:
        raise store_error(path, error) from error
    try:
        async with aiosqlite.connect(path, timeout=BUSY_SECONDS) as connection:
            await connection.execute("PRAGMA synchronous = NORMAL")
            saver = AsyncSqliteSaver(connection, serde=serde)
            await saver.setup()
            yield saver
    except sqlite3.Error as error:
        raise store_error(path, error) from error


def delete_checkpoints(path: Path, session: str) -> None:
    """Delete the checkpoints of all generations of `session`.

    Raises:
        StoreError: the database cannot be used.
    """
    try:
        with closing(connect(path)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for table in {name for (name,) in found} & set(_DELETE):
                connection.execute(_DELETE[table], {"s": session})
    except sqlite3.Error as error:
        raise store_error(path, error) from error
