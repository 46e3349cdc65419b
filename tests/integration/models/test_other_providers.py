"""Anthropic's, Google's and Ollama's protocols, each through its own library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.domain.message import Message, Prompt, Reply
from assay.errors import AssayError, ModelFailed, ModelRefused, ModelUnreachable
from assay.models.catalog import open_model
from assay.models.service import Patience

ANTHROPIC_USAGE = {"input_tokens": 6, "cache_read_input_tokens": 4, "output_tokens": 3}
ANTHROPIC_EVENTS: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": "x",
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**ANTHROPIC_USAGE, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Hello"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "max_tokens", "stop_sequence": None},
        "usage": ANTHROPIC_USAGE,
    },
    {"type": "message_stop"},
]
GOOGLE_EVENTS: list[dict[str, Any]] = [
    {
        "candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, **end}],
        "usageMetadata": {
            "promptTokenCount": 10,
            "cachedContentTokenCount": 4,
            "candidatesTokenCount": tokens,
            "totalTokenCount": 10 + tokens,
        },
    }
    for text, tokens, end in (("Hel", 1, {}), ("lo", 3, {"finishReason": "MAX_TOKENS"}))
]
OLLAMA_LINES: list[dict[str, Any]] = [
    {"model": "m", "message": {"role": "assistant", "content": "Hello"}, "done": False},
    {
        "model": "m",
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": "length",
        "prompt_eval_count": 10,
        "eval_count": 3,
    },
]
GOOD = {
    "anthropic:claude-haiku-4-5": (
        "text/event-stream",
        "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in ANTHROPIC_EVENTS),
        4,
    ),
    "google_genai:gemini-2.5-flash": (
        "text/event-stream",
        "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in GOOGLE_EVENTS),
        4,
    ),
    "ollama:m": (
        "application/x-ndjson",
        "".join(json.dumps(line) + "\n" for line in OLLAMA_LINES),
        0,
    ),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setenv("GOOGLE_API_KEY", "key")


async def ask(name: str, service: Any) -> Reply:
    model = await open_model(
        name,
        base_url=service.url.removesuffix("/v1"),
        cache_folder=Path("unused"),
        allow_calls=True,
        patience=Patience(tries=2, first_pause_seconds=0.01),
    )
    messages = (Message(role="system", content="rules"), Message(role="user", content="hello"))
    prompt = Prompt(messages=messages, max_tokens=5, seed=1)
    reply = await model.complete(prompt, lambda _: None)
    await model.aclose()
    return reply


@pytest.mark.parametrize("name", GOOD)
async def test_a_reply_with_its_usage_and_its_end(name: str, service: Any, answers: Any) -> None:
    kind, body, cached = GOOD[name]
    service.answers = [answers.sends(body.encode(), kind)]
    reply = await ask(name, service)
    assert (reply.text, reply.finish_reason, reply.model) == ("Hello", "length", name)
    usage = reply.usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 10, 3)
    assert usage.cached_tokens == cached


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("status", "kind", "requests"),
    [(401, ModelRefused, 1), (404, ModelUnreachable, 1), (429, ModelFailed, 2)],
)
async def test_a_refusal(
    name: str, status: int, kind: type[AssayError], requests: int, service: Any, answers: Any
) -> None:
    service.answers = [answers.refuses(status, "what it said")]
    with pytest.raises(kind, match="what it said"):
        await ask(name, service)
    assert len(service.requests) == requests


@pytest.mark.parametrize("name", GOOD)
async def test_what_is_no_model_service(name: str, service: Any, answers: Any) -> None:
    service.answers = [answers.sends(b"<html>Log in</html>", "text/html")]
    with pytest.raises(ModelUnreachable, match="not a model service"):
        await ask(name, service)
