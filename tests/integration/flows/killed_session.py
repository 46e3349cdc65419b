"""Runs sessions for `test_killed_sessions`, and kills them before or after a given write.

Reads one order a line from stdin, runs it in a fork of its own, and prints how that ended. What a
write is: a commit of the store's, one of the checkpoints', or a receipt's file.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from assay import files
from assay.client import Assay
from assay.domain.task import Task
from assay.store import checkpoints

for heavy in ("run", "correct", "single", "team"):
    importlib.import_module(f"assay.flows.{heavy}")
importlib.import_module("langchain_openai")


class Writes:
    """Counts writes, and kills this process at one of them."""

    def __init__(self, kill: tuple[int, str] | None) -> None:
        self.count = 0
        self._kill = kill

    @contextmanager
    def one(self) -> Iterator[None]:
        self.count += 1
        self._reach("before")
        yield
        self._reach("after")

    def _reach(self, when: str) -> None:
        if (self.count, when) == self._kill:
            os.kill(os.getpid(), signal.SIGKILL)


def watch(writes: Writes) -> None:
    """Let `writes` know of every write of this process."""

    class Counted(sqlite3.Connection):
        changes = 0

        def commit(self) -> None:
            if self.total_changes == self.changes:
                return super().commit()
            self.changes = self.total_changes
            with writes.one():
                return super().commit()

    connect = sqlite3.connect
    sqlite3.connect = lambda *a, **k: connect(*a, **{"factory": Counted, **k})
    cursor: Any = checkpoints._Cursor
    execute, replace = cursor.execute, files.replace_file

    def counted_execute(self: sqlite3.Cursor, sql: str, *parameters: Any) -> Any:
        if sql == "COMMIT" or (sql.startswith("INSERT") and not self.connection.in_transaction):
            with writes.one():
                return execute(self, sql, *parameters)
        return execute(self, sql, *parameters)

    def counted_replace(path: Path, content: bytes) -> None:
        with writes.one():
            replace(path, content)

    cursor.execute = counted_execute
    files.replace_file = counted_replace


def run(order: dict[str, Any]) -> None:
    writes = Writes(tuple(order["kill"]) if order["kill"] else None)
    watch(writes)
    assay = Assay(**order["settings"])
    if order["resumed"]:
        with closing(assay.open_store()) as store:
            (session,) = store.sessions()
        asyncio.run(assay.resume(session.id))
    else:
        asyncio.run(assay.run(Task.model_validate(order["task"])))
    Path(order["count"]).write_text(str(writes.count))


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                run(json.loads(line))
            except BaseException:
                traceback.print_exc()
                raise
            finally:
                os._exit(sys.exc_info()[0] is not None)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
