"""What the small embedded model is asked, and what comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assay.domain.event import PromptProgress, Text
from assay.domain.message import Message, Prompt, Reply
from assay.errors import BadInput
from assay.models.model import Model, OnProgress, Progress

pytestmark = [pytest.mark.model, pytest.mark.timeout(400)]

DOCUMENTATION = "\n".join(
    f"Rule {number}: a value of {number * 7} means the colour {number * 11}."
    for number in range(40)
)


async def ask(
    model: Model, prompt: str, on_progress: OnProgress = lambda _: None, **options: Any
) -> Reply:
    messages = (Message(role="user", content=prompt),)
    asked = Prompt(messages=messages, **{"max_tokens": 24, **options})
    return await model.complete(asked, on_progress)


async def test_a_question_is_answered(shared_cache: Path, open_small: Any) -> None:
    model = open_small(shared_cache)
    seen: list[Progress] = []
    reply = await ask(model, "Say only the word: hello", seen.append)
    assert "hello" in reply.text.lower()
    assert reply.finish_reason == "stop"
    assert reply.model == model.name
    assert "".join(piece.text for piece in seen if isinstance(piece, Text)) == reply.text
    assert reply.usage.calls == 1
    assert 0 < reply.usage.output_tokens <= 24
    assert 20 < reply.usage.input_tokens < 60
    assert reply.usage.cost is None


async def test_a_reply_that_is_cut_by_its_limit_says_so(
    shared_cache: Path, open_small: Any
) -> None:
    reply = await ask(open_small(shared_cache), "Count from 1 to 100.", max_tokens=8)
    assert reply.finish_reason == "length"
    assert reply.usage.output_tokens == 8


async def test_reading_a_long_prompt_is_shown_and_then_remembered(
    shared_cache: Path, open_small: Any
) -> None:
    model = open_small(shared_cache)
    seen: list[Progress] = []
    first = await ask(model, DOCUMENTATION + "\nWhat does 7 mean?", seen.append, max_tokens=4)
    shown = [piece for piece in seen if isinstance(piece, PromptProgress)]
    assert len(shown) > 4
    assert [piece.done for piece in shown] == sorted(piece.done for piece in shown)
    assert shown[-1].done == shown[-1].total == first.usage.input_tokens
    second = await ask(model, DOCUMENTATION + "\nAnd what means 14, please?", max_tokens=4)
    assert second.usage.cached_tokens > 0.95 * second.usage.input_tokens


async def test_the_same_seed_gives_the_same_text(shared_cache: Path, open_small: Any) -> None:
    model = open_small(shared_cache)
    prompt = "Invent a name for a ship and describe it."
    # The first call reads the prompt, the others have it in the cache, which rounds differently.
    seeds = (1, 1, 1, 2, 3)
    texts = [(await ask(model, prompt, temperature=1.2, seed=seed)).text for seed in seeds]
    assert texts[1] == texts[2]
    assert len(set(texts[2:])) > 1


async def test_a_prompt_that_is_too_long_is_refused_with_advice(
    shared_cache: Path, open_small: Any
) -> None:
    with pytest.raises(BadInput, match="less documentation"):
        await ask(open_small(shared_cache), "word " * 6000)


async def test_two_questions_at_once_take_turns(shared_cache: Path, open_small: Any) -> None:
    one, other = open_small(shared_cache), open_small(shared_cache)
    replies = await asyncio.gather(
        ask(one, "Say only the word: red"), ask(other, "Say only the word: blue")
    )
    assert ["red" in replies[0].text.lower(), "blue" in replies[1].text.lower()] == [True, True]


async def test_a_call_that_is_stopped_leaves_the_turn_to_the_next(
    shared_cache: Path, open_small: Any
) -> None:
    model = open_small(shared_cache)
    writing = asyncio.Event()

    def see(piece: Progress) -> None:
        if isinstance(piece, Text):
            writing.set()

    call = asyncio.create_task(
        ask(model, "Count from 1 to 1000.", max_tokens=2000, on_progress=see)
    )
    await writing.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert "hello" in (await ask(model, "Say only the word: hello")).text.lower()
