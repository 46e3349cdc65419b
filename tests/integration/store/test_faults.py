"""Databases that cannot be used: a sentence that says what to do, and nothing lost."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assay.domain.event import CallEnded, Notice, Text
from assay.domain.task import Task
from assay.domain.usage import Usage
from assay.errors import SessionNotFound, StoreError
from assay.store.database import connect
from assay.store.records import SessionState, StoredReply
from assay.store.store import Store

FILL = """
import resource, sys
from pathlib import Path
from assay.domain.event import Text
from assay.domain.task import Task
from assay.errors import StoreError
from assay.store.store import Store
store = Store.open(Path(sys.argv[1]))
session = store.create_session(flow="single", model="m", task=Task(instructions="x"))
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
stored = 0
try:
    while stored < 1000:
        store.append(session, Text(text=str(stored) * 2000))
        stored += 1
except StoreError as error:
    assert "Make room" in error.message, error
print(stored)
"""

WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
import assay.store.migrate
from assay.errors import StoreError
from assay.store.store import Store
if os.geteuid() == 0:
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
try:
    Store.open(Path(sys.argv[1]))
except StoreError as error:
    print(error)
"""

APPEND_FOR_EVER = """
import sys
from pathlib import Path
from assay.domain.event import Notice
from assay.domain.task import Task
from assay.store.store import Store
store = Store.open(Path(sys.argv[1]))
session = store.create_session(flow="single", model="m", task=Task(instructions="x"))
while True:
    store.append(session, Notice(text="x"))
    print("stored", flush=True)
"""


@pytest.fixture(scope="module")
def filled(
    tmp_path_factory: pytest.TempPathFactory, stored: Callable[..., StoredReply]
) -> tuple[str, bytes]:
    """A session's id, and the database that it is in."""
    path = tmp_path_factory.mktemp("filled") / "assay.db"
    store = Store.open(path)
    session = store.create_session(flow="single", model="m", task=Task(instructions="x"))
    for number in range(300):
        store.append(session, Notice(text=str(number) * 20))
    used = Usage(calls=1)
    store.append(session, CallEnded(attempt=1, role="p", finish_reason="stop", usage=used))
    store.save_reply(session, stored())
    store.close()
    return session, path.read_bytes()


@pytest.fixture
def others_folder() -> Iterator[Path]:
    """A folder that other users can reach, as pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o700)


def test_a_full_disk_loses_nothing_that_was_stored(
    path: Path, run_child: Callable[..., str]
) -> None:
    stored = int(run_child(FILL, path))
    assert 0 < stored < 1000
    store = Store.open(path)
    (summary,) = store.sessions()
    texts = [event.happening for event in store.events(summary.id)]
    assert texts == [Text(text=str(number) * 2000) for number in range(stored)]
    assert store.append(summary.id, Notice(text="room again")).sequence == stored + 1
    store.close()


def test_a_database_of_another_user_is_not_written(
    others_folder: Path, run_child: Callable[..., str]
) -> None:
    path = others_folder / "assay.db"
    Store.open(path).close()
    path.chmod(0o444)
    others_folder.chmod(0o555)
    said = run_child(WITHOUT_RIGHTS, path)
    assert f"{path} may not be written" in said
    assert "ASSAY_DATA_FOLDER" in said


def test_a_folder_that_may_not_be_written_is_named(
    others_folder: Path, run_child: Callable[..., str]
) -> None:
    others_folder.chmod(0o555)
    assert "ASSAY_DATA_FOLDER" in run_child(WITHOUT_RIGHTS, others_folder / "data" / "assay.db")


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "assay.db").mkdir(parents=True)
    for path in (tmp_path / "file" / "assay.db", tmp_path / "folder" / "assay.db"):
        with pytest.raises(StoreError, match="ASSAY_DATA_FOLDER"):
            Store.open(path)


def test_what_is_no_database_is_said_to_be_none(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"These are notes of mine.\n" * 100)
    with pytest.raises(StoreError, match="Move it away"):
        Store.open(path)
    assert path.read_bytes().startswith(b"These are notes")


def test_a_lock_of_another_program_is_said(
    store: Store, session: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.store.database.BUSY_SECONDS", 0.01)
    impatient = Store.open(path)
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="Another program"):
            impatient.append(session, Notice(text="x"))
    assert impatient.append(session, Notice(text="x")).sequence == 1
    impatient.close()


def test_a_newer_kind_of_event_is_said_to_be_newer(store: Store, session: str, path: Path) -> None:
    store.append(session, Notice(text="x"))
    with closing(connect(path)) as other:
        other.execute("""UPDATE events SET data = '{"kind": "from_the_future"}'""")
    with pytest.raises(StoreError, match="Update Assay"):
        list(store.events(session))


def test_a_killed_session_keeps_its_events_and_is_interrupted(path: Path) -> None:
    command = [sys.executable, "-c", APPEND_FOR_EVER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for _ in range(20):
            assert child.stdout.readline() == b"stored\n"
        child.kill()
        child.wait(timeout=30)
    store = Store.open(path)
    (summary,) = store.sessions()
    assert summary.state is SessionState.INTERRUPTED
    sequences = [event.sequence for event in store.events(summary.id)]
    assert sequences == list(range(1, len(sequences) + 1))
    assert len(sequences) >= 20
    store.delete(summary.id)
    assert store.sessions() == []
    store.close()


@pytest.mark.parametrize("seed", range(40))
def test_damage_is_never_another_error(path: Path, filled: tuple[str, bytes], seed: int) -> None:
    session = filled[0]
    chance = random.Random(seed)
    content = bytearray(filled[1])
    for _ in range(chance.choice([1, 20, 500])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if seed % 4 == 0:
        del content[chance.randrange(len(content)) :]
    path.parent.mkdir()
    path.write_bytes(content)
    with contextlib.suppress(StoreError):
        store = Store.open(path)
        for use in (
            store.sessions,
            lambda: list(store.events(session)),
            lambda: store.replies(session),
            lambda: store.task(session),
            lambda: store.append(session, Notice(text="x")),
            lambda: store.delete(session),
        ):
            with contextlib.suppress(StoreError, SessionNotFound):
                use()
        store.close()
