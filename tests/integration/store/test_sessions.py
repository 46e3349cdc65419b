from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.domain.answer import Answer, ErrorInfo, Status
from assay.domain.event import (
    AnswerGiven,
    CallEnded,
    Happening,
    Notice,
    SessionFailed,
    SessionStopped,
    Text,
)
from assay.domain.task import Attachment, Task, TestFile
from assay.domain.usage import Usage
from assay.errors import SessionNotFound, SessionRunning
from assay.store.records import SessionState
from assay.store.store import Store

APPEND = """
import sys
from pathlib import Path
from assay.domain.event import Notice
from assay.store.store import Store
store = Store.open(Path(sys.argv[1]))
for _ in range(50):
    store.append(sys.argv[2], Notice(text="x"))
store.close()
"""

ANSWER = AnswerGiven(
    answer=Answer(status=Status.RAN, headline="It ran.", has_required_evidence=True)
)


def test_events_come_back_in_order_as_they_were(store: Store, session: str) -> None:
    happenings: list[Happening] = [Notice(text="\0\x1b[31m é 😀"), Text(text="x"), ANSWER]
    stored = [store.append(session, happening) for happening in happenings]
    assert [event.sequence for event in stored] == [1, 2, 3]
    assert [event.happening for event in stored] == happenings
    assert list(store.events(session)) == stored
    assert list(store.events(session, after=1)) == stored[1:]
    assert list(store.events(session, after=3)) == []


def test_many_events_are_read_in_pages(store: Store, session: str) -> None:
    for number in range(1001):
        store.append(session, Text(text=str(number)))
    assert [event.sequence for event in store.events(session)] == list(range(1, 1002))


def test_what_is_returned_is_what_was_stored(store: Store, session: str) -> None:
    event = store.append(session, Text(text="half \ud83d"))
    assert event.happening == Text(text="half \ufffd")
    assert list(store.events(session)) == [event]


def test_events_that_come_while_reading_are_given_too(store: Store, session: str) -> None:
    for _ in range(500):
        store.append(session, Text(text="x"))
    reader = store.events(session)
    next(reader)
    store.append(session, Notice(text="late"))
    assert [event.sequence for event in reader] == list(range(2, 502))


def test_the_task_comes_back_whole(store: Store) -> None:
    task = Task(
        instructions="Add",
        attachments=(Attachment(name="a.bin", content=bytes(range(256))),),
        tests=(TestFile(name="t.py", source="assert f() == 1"),),
    )
    assert store.task(store.create_session(flow="single", model="m", task=task)) == task


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.events("20200101-0000000"),
        lambda store: store.task("20200101-0000000"),
        lambda store: store.replies("20200101-0000000"),
        lambda store: store.delete("20200101-0000000"),
        lambda store: store.append("20200101-0000000", Text(text="x")),
        lambda store: store.find("20200101-0000000"),
        lambda store: store.find("%"),
        lambda store: store.find(""),
    ],
)
def test_an_unknown_session_is_said_to_be_unknown(
    store: Store, session: str, use: Callable[[Store], object]
) -> None:
    with pytest.raises(SessionNotFound, match="assay sessions"):
        use(store)


def test_sessions_are_listed_newest_first(store: Store) -> None:
    ids = [
        store.create_session(flow="single", model="m", task=Task(instructions=f"\n {n}\nmore"))
        for n in range(3)
    ]
    listed = store.sessions()
    assert {summary.id for summary in listed} == set(ids)
    assert [summary.title for summary in listed] == ["2", "1", "0"]
    assert [summary.title for summary in store.sessions(limit=2)] == ["2", "1"]


@pytest.mark.parametrize(
    ("last", "state", "status", "headline"),
    [
        (ANSWER, SessionState.ANSWERED, Status.RAN, "It ran."),
        (
            SessionFailed(error=ErrorInfo(kind="model", message="No key.")),
            SessionState.FAILED,
            None,
            "No key.",
        ),
        (SessionStopped(), SessionState.STOPPED, None, ""),
        (Notice(text="x"), SessionState.RUNNING, None, ""),
    ],
)
def test_the_last_event_says_where_a_session_stands(
    store: Store,
    session: str,
    last: Happening,
    state: SessionState,
    status: Status | None,
    headline: str,
) -> None:
    store.append(session, Notice(text="first"))
    store.append(session, last)
    (summary,) = store.sessions()
    assert (summary.state, summary.status, summary.headline) == (state, status, headline)


def test_a_session_without_an_end_is_interrupted_when_its_store_closes(
    store: Store, path: Path
) -> None:
    running = Store.open(path)
    running.create_session(flow="single", model="m", task=Task(instructions="x"))
    assert store.sessions()[0].state is SessionState.RUNNING
    running.close()
    assert store.sessions()[0].state is SessionState.INTERRUPTED


def test_usage_sums_the_calls(store: Store, session: str) -> None:
    for attempt in (1, 2):
        used = Usage(calls=1, input_tokens=10, output_tokens=attempt)
        store.append(
            session,
            CallEnded(attempt=attempt, role="programmer", finish_reason="stop", usage=used),
        )
        store.append(session, Text(text="x"))
    assert store.sessions()[0].usage == Usage(calls=2, input_tokens=20, output_tokens=3)


def test_a_session_is_found_by_the_beginning_of_its_id(store: Store, session: str) -> None:
    assert store.find(session) == session
    assert store.find(session[:4]) == session
    assert store.find(session.split("-")[1].upper()) == session


def test_an_ambiguous_beginning_names_the_sessions(store: Store, session: str) -> None:
    other = store.create_session(flow="single", model="m", task=Task(instructions="x"))
    with pytest.raises(SessionNotFound) as caught:
        store.find(session[:4])
    assert session in caught.value.message
    assert other in caught.value.message


def test_a_running_session_is_not_deleted(store: Store, session: str) -> None:
    with pytest.raises(SessionRunning, match="stop it there"):
        store.delete(session)
    assert store.find(session) == session


def test_processes_append_without_gaps(store: Store, session: str, path: Path) -> None:
    command = [sys.executable, "-c", APPEND, str(path), session]
    children = [subprocess.Popen(command) for _ in range(3)]
    for child in children:
        assert child.wait(timeout=60) == 0
    assert [event.sequence for event in store.events(session)] == list(range(1, 151))


def test_threads_append_without_gaps(store: Store, session: str) -> None:
    def append() -> None:
        for _ in range(50):
            store.append(session, Text(text="x"))

    threads = [threading.Thread(target=append) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert [event.sequence for event in store.events(session)] == list(range(1, 201))
