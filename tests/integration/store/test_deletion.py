from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assay.domain.answer import Answer, Status
from assay.domain.event import AnswerGiven, Notice
from assay.domain.message import Message, Reply
from assay.domain.task import Task
from assay.store.checkpoints import open_checkpoints
from assay.store.database import connect
from assay.store.records import StoredReply
from assay.store.store import Store

SECRET = "correct horse battery staple"


def answer(receipt: Path | None) -> AnswerGiven:
    given = Answer(status=Status.RAN, headline="It ran.", has_required_evidence=True)
    return AnswerGiven(answer=given, receipt=None if receipt is None else str(receipt))


def all_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_nothing_of_a_deleted_session_is_left(
    store: Store, path: Path, stored: Callable[..., StoredReply]
) -> None:
    session = store.create_session(flow="single", model="m", task=Task(instructions=SECRET))
    kept = store.create_session(flow="single", model="m", task=Task(instructions="kept"))
    store.append(kept, Notice(text="kept"))
    for _ in range(100):
        store.append(session, Notice(text=SECRET))
    secret = stored(messages=(Message(role="user", content=SECRET),), reply=Reply(text=SECRET))
    store.save_reply(session, secret)
    store.keep_apart(session, secret)
    store.keep_apart(kept, stored())
    async with open_checkpoints(path) as saver:
        await saver.conn.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint) VALUES (?, 'c', ?)",
            (f"{session}:1", SECRET),
        )
    receipt = path.parent / "receipts" / f"{session}.json"
    receipt.parent.mkdir()
    receipt.write_text(SECRET, "utf-8")
    store.append(session, answer(receipt))
    assert all_bytes(path.parent).count(SECRET.encode()) > 100

    store.delete(session)

    assert SECRET.encode() not in all_bytes(path.parent)
    assert not receipt.exists()
    assert [summary.id for summary in store.sessions()] == [kept]
    assert len(list(store.events(kept))) == 1


@pytest.mark.parametrize("receipt", [None, "missing", "other"])
def test_only_its_own_receipt_is_deleted(
    store: Store, session: str, path: Path, receipt: str | None
) -> None:
    other = path.parent / "other.json"
    other.write_text("{}", "utf-8")
    named = {None: None, "missing": path.parent / f"{session}.json", "other": other}[receipt]
    store.append(session, answer(named))
    store.delete(session)
    assert other.exists()
    assert store.sessions() == []


def test_what_cannot_be_read_can_be_deleted(store: Store, session: str, path: Path) -> None:
    store.append(session, answer(None))
    with closing(connect(path)) as other:
        other.execute("""UPDATE events SET data = '{"kind": "answer_given"}'""")
    store.delete(session)
    assert store.sessions() == []
