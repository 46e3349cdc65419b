from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.domain.message import Message, Reply
from assay.domain.usage import Usage
from assay.errors import SessionNotFound
from assay.store.records import StoredReply
from assay.store.store import Store

Make = Callable[..., StoredReply]

PROMPT = (Message(role="system", content="Be brief."), Message(role="user", content="1 + 1?"))
REPLY = Reply(
    text="2 é 😀", finish_reason="stop", model="scripted:x", usage=Usage(calls=1, cost=0.5)
)


def test_a_reply_comes_back_under_its_key_alone(store: Store, session: str, stored: Make) -> None:
    store.save_reply(session, stored(prompt_hash="h1", reply=REPLY))
    assert store.find_reply(session, "generate", 1, "programmer", "h1") == REPLY
    for key in (
        ("reflect", 1, "programmer", "h1"),
        ("generate", 2, "programmer", "h1"),
        ("generate", 1, "planner", "h1"),
        ("generate", 1, "programmer", "h2"),
    ):
        assert store.find_reply(session, *key) is None
    assert store.find_reply("20200101-0000000", "generate", 1, "programmer", "h1") is None


def test_replies_come_back_in_order_with_their_prompts(
    store: Store, session: str, stored: Make
) -> None:
    for attempt in (2, 1, 3):
        store.save_reply(session, stored(attempt=attempt, messages=PROMPT, reply=REPLY))
    found = store.replies(session)
    assert [reply.attempt for reply in found] == [2, 1, 3]
    assert found[0] == stored(attempt=2, messages=PROMPT, reply=REPLY)


def test_the_first_reply_stays(store: Store, session: str, stored: Make) -> None:
    store.save_reply(session, stored(reply=REPLY))
    later = REPLY.model_copy(update={"text": "3"})
    store.save_reply(session, stored(reply=later))
    assert store.find_reply(session, "generate", 1, "programmer", "h") == REPLY
    assert len(store.replies(session)) == 1


def test_a_reply_belongs_to_a_session(store: Store, stored: Make) -> None:
    with pytest.raises(SessionNotFound):
        store.save_reply("20200101-0000000", stored())
