from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from assay.domain.event import Notice
from assay.domain.message import Reply
from assay.domain.task import Task
from assay.errors import StoreError
from assay.store.database import connect
from assay.store.migrate import configuration, upgrade
from assay.store.schema import SCHEMA_VERSION, metadata
from assay.store.store import Store

SCRIPTS = ScriptDirectory.from_config(configuration())
REVISIONS = [script.revision for script in SCRIPTS.walk_revisions()]

OPEN_AT_ONCE = """
import sys
from pathlib import Path
from assay.domain.event import Notice
from assay.domain.task import Task
from assay.store.store import Store
print("ready", flush=True)
sys.stdin.readline()
store = Store.open(Path(sys.argv[1]))
session = store.create_session(flow="single", model="m", task=Task(instructions="x"))
store.append(session, Notice(text="x"))
store.close()
"""

OPEN = """
import sys
from pathlib import Path
from assay.store.store import Store
Store.open(Path(sys.argv[1])).close()
print([name for name in ("alembic", "langgraph", "langchain_core") if name in sys.modules])
"""


def make_old(path: Path, revision: str) -> None:
    path.parent.mkdir(parents=True)
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        upgrade(connection, revision)
    engine.dispose()


def test_the_newest_migration_is_the_one_that_is_looked_for() -> None:
    assert SCRIPTS.get_heads() == [SCHEMA_VERSION]
    assert sorted(REVISIONS) == [f"{number + 1:04}" for number in range(len(REVISIONS))]


def test_migrations_lead_to_the_tables_that_the_code_knows(store: Store, path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_migrated_tables_are_those_of_the_schema_word_for_word(
    store: Store, path: Path, tmp_path: Path
) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'made.db'}")
    metadata.create_all(engine)
    engine.dispose()
    query = "SELECT name, sql FROM sqlite_master WHERE tbl_name NOT LIKE 'alembic%' ORDER BY name"
    found = []
    for file in (path, tmp_path / "made.db"):
        with closing(sqlite3.connect(file)) as connection:
            rows = connection.execute(query).fetchall()
        found.append([(name, " ".join((sql or "").split())) for name, sql in rows])
    assert found[0] == found[1]
    assert len(found[0]) >= 5


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_old_database_is_brought_up_to_date(path: Path, revision: str) -> None:
    make_old(path, revision)
    store = Store.open(path)
    session = store.create_session(flow="single", model="m", task=Task(instructions="x"))
    assert store.append(session, Notice(text="x")).sequence == 1
    store.close()
    with closing(connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (SCHEMA_VERSION,)
        ]
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_session_of_the_first_version_can_be_gone_on_with(path: Path) -> None:
    make_old(path, "0001")
    with closing(connect(path)) as connection:
        task = Task(instructions="Add").model_dump_json()
        connection.execute(
            "INSERT INTO sessions VALUES ('20261130-n3k7q2xw', 1.0, 'correct', 'm', 'Add', ?)",
            (task,),
        )
        reply = Reply(text="x").model_dump_json()
        connection.execute(
            "INSERT INTO replies VALUES "
            "('20261130-n3k7q2xw', 'programmer', 1, 'programmer', 'h', 1.0, '[]', ?)",
            (reply,),
        )
    with closing(Store.open(path)) as store:
        (session,) = store.sessions()
        assert session.resumable
        assert store.find_reply(session.id, "generate", 1, "programmer", "h") == Reply(text="x")
        assert store.take_over(session.id) == 2
        assert store.record(session.id).task == Task(instructions="Add")


def test_a_database_is_kept_when_it_is_opened_again(store: Store, session: str, path: Path) -> None:
    store.append(session, Notice(text="kept"))
    again = Store.open(path)
    assert [event.happening for event in again.events(session)] == [Notice(text="kept")]
    again.close()


@pytest.mark.parametrize("version", ["0003", "9999", "10000", "a1b2c3"])
def test_a_newer_database_is_refused_and_left_alone(path: Path, version: str) -> None:
    Store.open(path).close()
    with closing(connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    before = path.read_bytes()
    with pytest.raises(StoreError, match="Update Assay"):
        Store.open(path)
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_nothing_behind(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE replies (of_another_program)")
    with pytest.raises(StoreError, match="not Assay's"):
        Store.open(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("replies",)]


def test_processes_that_open_a_new_database_at_once_share_it(path: Path) -> None:
    command = [sys.executable, "-c", OPEN_AT_ONCE, str(path)]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
        assert child.returncode == 0
    store = Store.open(path)
    assert len(store.sessions()) == 4
    store.close()


def test_opening_a_current_database_imports_nothing_heavy(path: Path) -> None:
    command = [sys.executable, "-c", OPEN, str(path)]
    printed = [subprocess.check_output(command, text=True, timeout=60) for _ in range(2)]
    assert printed == ["['alembic']\n", "[]\n"]


def test_only_the_owner_can_read(store: Store, session: str, path: Path) -> None:
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.rglob("*") if file.is_file()}
    assert modes == {0o600}


def test_a_folder_with_odd_characters_works(tmp_path: Path) -> None:
    for name in ("a b", "50%", "q?x=1", "é😀", "#"):
        store = Store.open(tmp_path / name / "assay.db")
        store.create_session(flow="single", model="m", task=Task(instructions="x"))
        store.close()
        assert (tmp_path / name / "assay.db").is_file()
