"""What a resume takes from before, and what it says where that cannot be had."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from assay import Assay, Result, Task
from assay.domain.answer import Status
from assay.domain.event import Event
from assay.domain.limits import Limits
from assay.errors import LeaseLost, StoreError, UnknownName
from assay.store.recorder import Recorder
from assay.store.records import StoredReply

WRONG = "```python\ndef add(a, b):\n    return a - b\n```"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"
TASK = Task(instructions="Add.", examples=("add(1, 2) == 3",))


class Sessions:
    """Runs one session, and cuts it off at an event."""

    def __init__(self, folder: Path) -> None:
        self.script = folder / "replies.jsonl"
        self.assay = Assay(model=f"scripted:{self.script}")
        self.database = self.assay.settings.database
        self.events: list[Event] = []

    def will_say(self, *replies: str) -> None:
        """What the model says next, after what it was to say before."""
        with self.script.open("a") as script:
            script.writelines(json.dumps({"text": reply}) + "\n" for reply in replies)

    async def cut(self, kind: str, task: Task = TASK) -> str:
        """Begin a session and stop it at the first event of a kind; give its id."""

        def look(event: Event) -> None:
            self.events.append(event)
            if event.happening.kind == kind:
                running.cancel()

        running = asyncio.ensure_future(self.assay.run(task, look))
        with pytest.raises(asyncio.CancelledError):
            await running
        return self.events[-1].session

    async def resume(self, session: str) -> Result:
        """Go on with it; the events that are new are in `events`."""
        self.events.clear()
        return await self.assay.resume(session, self.events.append)

    @property
    def kinds(self) -> list[str]:
        """The kinds of the last run's events."""
        return [event.happening.kind for event in self.events]

    def edit(self, statement: str, *values: Any) -> None:
        """Change the database as nobody should."""
        with closing(sqlite3.connect(self.database)) as connection, connection:
            assert connection.execute(statement, values).rowcount > 0

    def prompts(self, session: str) -> list[str]:
        """What the model was sent last in each call."""
        with closing(self.assay.open_store()) as store:
            return [stored.messages[-1].content for stored in store.replies(session)]


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)


async def test_a_reply_that_came_is_not_asked_for_again(sessions: Sessions) -> None:
    sessions.will_say(RIGHT)
    session = await sessions.cut("call_ended")
    sessions.will_say(WRONG)
    result = await sessions.resume(session)
    assert result.answer.status is Status.VERIFIED
    assert result.answer.usage.calls == 1
    assert sessions.kinds[0] == "session_resumed"
    assert "call_started" not in sessions.kinds


@pytest.mark.parametrize("is_stopped", [False, True])
async def test_a_reply_outlasts_a_database_that_is_locked(
    sessions: Sessions, is_stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.store.database.BUSY_SECONDS", 0.01)
    sessions.will_say(RIGHT)
    loop = asyncio.get_running_loop()
    with closing(sessions.assay.open_store()):  # the file is there
        other = sqlite3.connect(sessions.database, isolation_level=None)

    def lock(event: Event) -> None:
        sessions.events.append(event)
        if event.happening.kind == "call_started":
            other.execute("BEGIN IMMEDIATE")

    async def save_and_end_it(recorder: Recorder, stored: StoredReply) -> None:
        # The loop that is to end it must not wait for it.
        loop.call_soon(running.cancel if is_stopped else other.close)
        await save_reply(recorder, stored)

    save_reply = Recorder.save_reply
    monkeypatch.setattr(Recorder, "save_reply", save_and_end_it)
    running = asyncio.ensure_future(sessions.assay.run(TASK, lock))
    if is_stopped:
        with pytest.raises(asyncio.CancelledError):
            await running
        other.close()
        sessions.will_say(WRONG)
        result = await sessions.resume(sessions.events[0].session)
        assert "call_started" not in sessions.kinds
    else:
        result = await running
    assert result.answer.status is Status.VERIFIED
    assert result.answer.usage.calls == 1


async def test_a_script_goes_on_behind_the_replies_that_it_gave(sessions: Sessions) -> None:
    sessions.script.write_text('{"error": 429, "retry_after": 0}\n')
    sessions.will_say(WRONG, RIGHT)
    session = await sessions.cut("attempt_ended")
    result = await sessions.resume(session)
    assert result.answer.status is Status.VERIFIED
    assert [attempt.number for attempt in result.answer.attempts] == [1, 2]


async def test_a_line_that_a_session_failed_at_is_read_again(sessions: Sessions) -> None:
    sessions.script.write_text('{"error": 401}\n')
    assert (await sessions.assay.run(TASK, sessions.events.append)).answer.error
    session = sessions.events[0].session
    sessions.script.unlink()
    sessions.will_say(RIGHT)
    assert (await sessions.resume(session)).answer.status is Status.VERIFIED


async def test_a_check_that_ended_does_not_run_again(sessions: Sessions) -> None:
    sessions.will_say(RIGHT)
    session = await sessions.cut("check_ended")
    result = await sessions.resume(session)
    assert result.answer.status is Status.VERIFIED
    begun = [e.happening.check for e in sessions.events if e.happening.kind == "check_started"]
    assert "imports" not in begun
    assert "examples" in begun


async def test_documentation_that_has_changed_changes_no_prompt(
    sessions: Sessions, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Sums\n\nAs it was.\n")
    sessions.will_say(WRONG)
    task = TASK.model_copy(update={"documentation": (str(page),)})
    session = await sessions.cut("attempt_ended", task)
    page.unlink()
    sessions.will_say(RIGHT)
    result = await sessions.resume(session)
    assert result.answer.status is Status.VERIFIED
    assert "documentation_read" not in sessions.kinds
    with closing(sessions.assay.open_store()) as store:
        sent = [stored.messages[0].content for stored in store.replies(session)]
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert "As it was." in sent[0]


async def test_a_prompt_that_did_change_is_asked_again_with_a_notice(sessions: Sessions) -> None:
    sessions.will_say(WRONG)
    session = await sessions.cut("call_ended")
    sessions.edit("UPDATE sessions SET prepared = replace(prepared, 'Add.', 'Add them.')")
    sessions.will_say(RIGHT)
    result = await sessions.resume(session)
    assert result.answer.status is Status.VERIFIED
    assert result.answer.usage.calls == 2
    (notice,) = [e.happening.text for e in sessions.events if e.happening.kind == "notice"]
    assert "asked again" in notice
    assert "Add them." in sessions.prompts(session)[1]


async def test_what_another_version_prepared_is_prepared_again(sessions: Sessions) -> None:
    sessions.will_say(RIGHT)
    session = await sessions.cut("call_ended")
    sessions.edit("""UPDATE sessions SET prepared = '{"unknown": 1}'""")
    result = await sessions.resume(session)
    assert result.answer.usage.calls == 1
    assert "notice" in sessions.kinds


async def test_what_was_spent_counts_on(sessions: Sessions) -> None:
    sessions.will_say(WRONG)
    task = TASK.model_copy(update={"limits": Limits(calls=1)})
    session = await sessions.cut("attempt_ended", task)
    sessions.will_say(RIGHT)
    result = await sessions.resume(session)
    assert result.answer.error is not None
    assert result.answer.error.kind == "limit_reached"
    assert result.answer.usage.calls == 1


async def test_time_counts_on(sessions: Sessions) -> None:
    sessions.will_say(WRONG)
    task = TASK.model_copy(update={"limits": Limits(seconds=1000)})
    session = await sessions.cut("attempt_ended", task)
    sessions.edit("UPDATE events SET time = time - 2000 WHERE sequence = 1")
    sessions.will_say(RIGHT)
    result = await sessions.resume(session)
    assert result.answer.error is not None
    assert "--timeout" in result.answer.error.message
    assert result.answer.best == 1


async def test_who_loses_the_session_stops_and_leaves_nothing(sessions: Sessions) -> None:
    sessions.will_say(RIGHT)
    generations: list[int] = []

    def take_over(event: Event) -> None:
        if event.happening.kind == "attempt_ended":
            for lock in (sessions.database.parent / "running").iterdir():
                lock.unlink()
            with closing(sessions.assay.open_store()) as other:
                generations.append(other.take_over(event.session))

    with pytest.raises(LeaseLost, match="assay show"):
        await sessions.assay.run(TASK, take_over)
    assert generations == [2]
    assert not sessions.assay.settings.receipts.exists()
    with closing(sessions.assay.open_store()) as store:
        (summary,) = store.sessions()
        last = store.last_event(summary.id)
    assert last is not None
    assert last.happening.kind == "attempt_ended"
    result = await sessions.resume(summary.id)
    assert result.answer.status is Status.VERIFIED
    assert result.answer.usage.calls == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET data = '{\"kind\": \"of a newer version\"}' WHERE kind = 'call_ended'",
        "UPDATE events SET data = substr(data, 1, 20) WHERE kind = 'solution_read'",
        "UPDATE sessions SET task = 'x'",
        "UPDATE sessions SET flow = 'of a newer version'",
        "UPDATE replies SET reply = '{}'",
        "UPDATE checkpoints SET checkpoint = x'c1'",
        "UPDATE checkpoints SET checkpoint = x'80'",
        "UPDATE checkpoints SET checkpoint = zeroblob(100)",
        "UPDATE checkpoints SET type = 'pickle'",
        "UPDATE checkpoints SET metadata = 'x'",
    ],
)
async def test_what_was_edited_is_said_to_be(sessions: Sessions, statement: str) -> None:
    sessions.will_say(WRONG)
    session = await sessions.cut("attempt_ended")
    sessions.edit(statement)
    sessions.will_say(RIGHT)
    with pytest.raises((StoreError, UnknownName)):
        await sessions.resume(session)


@pytest.mark.parametrize(
    "change",
    [
        {"channel_values": 5},
        {"channel_values": []},
        {"channel_versions": None},
        {"channel_values": {"attempts": 1, "draft": None, "reflection": ""}},
        {"channel_values": {"attempts": [{"number": "x"}], "draft": None, "reflection": ""}},
        {"channel_values": {"attempts": [], "draft": "x", "reflection": ""}},
        {"channel_values": {"attempts": []}},
    ],
    ids=str,
)
async def test_a_checkpoint_of_another_shape_costs_nothing(
    sessions: Sessions, change: dict[str, Any]
) -> None:
    sessions.will_say(WRONG)
    session = await sessions.cut("attempt_ended")
    with closing(sqlite3.connect(sessions.database)) as connection:
        found = connection.execute("SELECT checkpoint_id, checkpoint FROM checkpoints").fetchall()
    for name, data in found:
        changed = ormsgpack.packb({**ormsgpack.unpackb(data), **change})
        sessions.edit(
            "UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ?", changed, name
        )
    with pytest.raises(StoreError, match=f"--continue {session}"):
        await sessions.resume(session)
    assert sessions.kinds == ["session_resumed"]


async def test_a_checkpoint_that_cannot_be_read_leaves_an_answer_to_go_on_from(
    sessions: Sessions,
) -> None:
    sessions.will_say(WRONG)
    session = await sessions.cut("attempt_ended")
    sessions.edit("UPDATE checkpoints SET checkpoint = x'c1'")
    with pytest.raises(StoreError, match=f"--continue {session}"):
        await sessions.resume(session)
    sessions.will_say(RIGHT)
    task = sessions.assay.follow_up(session, Task(instructions="Put it right."))
    assert (await sessions.assay.run(task)).answer.status is Status.VERIFIED
