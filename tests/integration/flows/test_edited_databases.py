"""Databases that somebody has edited, or cut: each command ends in a sentence, never in a bug."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from assay import Assay, Task
from assay.domain.event import Event
from assay.domain.limits import Limits
from assay.domain.task import TestFile as GivenTests
from assay.surfaces.cli.app import app

WRONG = "```python\ndef add(a, b):\n    return a - b\n```"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"
TASK = Task(
    instructions="Add.",
    examples=("add(1, 2) == 3",),
    tests=(GivenTests(name="test_add.py", source="assert add(2, 2) == 4\n"),),
    limits=Limits(attempts=2),
    reflect=True,
)
NOT_UTF8 = "CAST(x'ff22' AS TEXT)"
PLAIN = ("NULL", "5", "-1", "1e300", "'x'", "''", "x'ff'", NOT_UTF8, "zeroblob(9)")
JSON_TEXTS = ("{}", "[]", "null", "5", '"x"', '{"kind": "of a newer version"}', "[" * 20_000)
JSON_VALUES: tuple[Any, ...] = (None, 5, -1, 1e300, "x", "", [], {}, True, "\x00\x1b[31m")
COMMANDS = (
    ("sessions", "--json"),
    ("sessions",),
    ("show", "ID", "--json"),
    ("show", "ID"),
    ("resume", "ID", "--sandbox", "none"),
    ("ask", "More.", "--continue", "ID", "--sandbox", "none"),
    ("delete", "ID"),
)


class Cut(Exception):
    """What ends a session in the middle."""


@dataclass(frozen=True)
class Edit:
    """A change of one value."""

    table: str
    column: str
    row: int
    value: str
    """As SQL; a question mark stands for `given`."""
    given: tuple[str | bytes, ...] = ()

    def make(self, path: Path) -> bool:
        """Change it; False where the database does not let anybody."""
        with closing(sqlite3.connect(path)) as connection, connection:
            statement = f"UPDATE {self.table} SET {self.column} = {self.value} WHERE rowid = ?"
            try:
                connection.execute(statement, (*self.given, self.row))
            except sqlite3.IntegrityError:
                return False
        return True


@dataclass(frozen=True)
class Session:
    """A session whose process is gone, in a database that is copied for each change."""

    id: str
    folder: Path

    def copy_to(self, folder: Path) -> Path:
        """Put the database where commands look for it."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return Path(shutil.copy(self.folder / "assay.db", folder))


def run_session(folder: Path, cut_at: str | None) -> Session:
    script = folder / "replies.jsonl"
    script.write_text("".join(json.dumps({"text": text}) + "\n" for text in (WRONG, "-", RIGHT)))
    known: list[str] = []

    def look(event: Event) -> None:
        known.append(event.session)
        if event.happening.kind == cut_at:
            raise Cut

    assay = Assay(model=f"scripted:{script}", sandbox="none", data_folder=folder)
    with suppress(Cut):
        asyncio.run(assay.run(TASK, look))
    return Session(known[0], folder)


@pytest.fixture(scope="module", params=[None, "attempt_ended", "check_ended"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """One that has ended, and two that were cut off."""
    return run_session(tmp_path_factory.mktemp("session"), request.param)


def edits(path: Path) -> Iterator[Edit]:
    """Every change of one value of the database."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for (table,) in connection.execute(query).fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for row, *values in connection.execute(f"SELECT rowid, * FROM {table}").fetchall():
                for column, value in zip(columns, values, strict=True):
                    yield from (Edit(table, column, row, text) for text in PLAIN)
                    yield from (Edit(table, column, row, "?", (text,)) for text in changed(value))


def changed(value: Any) -> Iterator[str | bytes]:
    """A text or blob, cut; JSON with each of its values left out or replaced as well."""
    if isinstance(value, str | bytes):
        yield value[: len(value) // 2]
    if not isinstance(value, str) or not value.startswith("{"):
        return
    yield from JSON_TEXTS
    whole = json.loads(value)
    for holder, key in list(places(whole)):
        before = holder[key]
        for other in JSON_VALUES:
            holder[key] = other
            yield json.dumps(whole)
        if isinstance(holder, dict):
            del holder[key]
            yield json.dumps(whole)
        holder[key] = before


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each value in a tree, as what holds it and under which key."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def use(session: Session, edit: Edit, folder: Path) -> None:
    """Run every command on the edited database; fails where one ends in no error of Assay's."""
    for command in COMMANDS:
        if not edit.make(session.copy_to(folder)):
            return
        arguments = [session.id if word == "ID" else word for word in command]
        with suppress(SystemExit, typer.Exit):
            app(arguments, prog_name="assay", standalone_mode=False)


def use_some(session: Session, count: int, folder: Path) -> None:
    """Use the database with so many of its edits, one at a time: the same ones each time."""
    all_edits = list(edits(session.folder / "assay.db"))
    for edit in random.Random(count).sample(all_edits, count):
        use(session, edit, folder)


def test_an_edited_value_ends_in_a_sentence(session: Session, tmp_path: Path) -> None:
    use_some(session, 8, tmp_path / "assay-data")


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_so_do_many(session: Session, tmp_path: Path) -> None:
    use_some(session, 100, tmp_path / "assay-data")


def test_a_check_of_no_attempt_is_told(session: Session, tmp_path: Path) -> None:
    path = session.copy_to(tmp_path / "assay-data")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM events WHERE kind IN ('solution_read', 'answer_given')")
    for command in (("show", session.id), ("ask", "More.", "--continue", session.id)):
        with pytest.raises(SystemExit) as ended:
            app(command, prog_name="assay", standalone_mode=False)
        assert ended.value.code == 1


@pytest.mark.parametrize("moment", ["1e300", "-1e12", "253402300799.0"])
def test_a_time_that_no_clock_shows_is_told(session: Session, tmp_path: Path, moment: str) -> None:
    for edit in (Edit("sessions", "created", 1, moment), Edit("events", "time", 1, moment)):
        use(session, edit, tmp_path / "assay-data")
