"""Providers' models against a real HTTP server that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.domain.event import Retrying, Text
from assay.domain.message import Message, Prompt, Reply
from assay.errors import (
    AssayError,
    BadInput,
    ModelFailed,
    ModelRefused,
    ModelSilent,
    ModelUnreachable,
    UnknownName,
)
from assay.models.catalog import open_model
from assay.models.model import Model, Progress, usage_of
from assay.models.service import Patience

PATIENT = Patience(first_pause_seconds=0.01, silence_seconds=30)


async def open_at(url: str, patience: Patience = PATIENT, name: str = "openai:m") -> Model:
    return await open_model(
        name, base_url=url, cache_folder=Path("unused"), allow_calls=True, patience=patience
    )


async def ask(model: Model, seen: list[Progress] | None = None, **options: Any) -> Reply:
    rules = Message(role="system", content="rules")
    question = Message(role="user", content="a question")
    prompt = Prompt(messages=(rules, question), **options)
    try:
        return await model.complete(prompt, (seen if seen is not None else []).append)
    finally:
        await model.aclose()


async def test_a_reply_is_streamed_and_its_usage_taken(service: Any, answers: Any) -> None:
    service.answers = [answers.replies("Hel", "lo", "")]
    seen: list[Progress] = []
    reply = await ask(await open_at(service.url), seen, max_tokens=50, seed=7)
    assert reply.text == "Hello"
    assert reply.finish_reason == "stop"
    assert reply.model == "openai:m"
    assert reply.usage.model_dump(exclude={"seconds"}) == {
        "calls": 1,
        "input_tokens": 11,
        "cached_tokens": 4,
        "output_tokens": 3,
        "cost": None,
    }
    assert [piece.text for piece in seen if isinstance(piece, Text)] == ["Hel", "lo"]
    (request,) = service.requests
    assert request["messages"] == [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "a question"},
    ]
    assert (request["temperature"], request["seed"], request["stream"]) == (0.0, 7, True)
    assert 50 in (request.get("max_tokens"), request.get("max_completion_tokens"))


@pytest.mark.parametrize(
    ("said", "meant"), [("stop", "stop"), ("length", "length"), ("content_filter", "other")]
)
async def test_the_reason_of_the_end_is_kept(
    service: Any, answers: Any, said: str, meant: str
) -> None:
    service.answers = [answers.replies("text", finish=said)]
    assert (await ask(await open_at(service.url))).finish_reason == meant


async def test_usage_is_estimated_when_the_service_sends_none(service: Any, answers: Any) -> None:
    service.answers = [answers.replies("one two three", usage=None)]
    usage = (await ask(await open_at(service.url))).usage
    assert usage.calls == 1
    assert usage.input_tokens > 2
    assert usage.output_tokens == 3


async def test_reasoning_is_no_part_of_the_reply(service: Any, answers: Any) -> None:
    def answer(handler: Any) -> None:
        handler.start_stream()
        delta = {"role": "assistant", "content": None, "reasoning_content": "let me think"}
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        handler.send_event(answers.chunk(choices=[choice]))
        handler.send_event(answers.chunk("the reply"))
        handler.send_event(answers.chunk(finish="stop"))
        handler.send_event("[DONE]")
        handler.end_stream()

    service.answers = [answer]
    assert (await ask(await open_at(service.url))).text == "the reply"


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_refusal_for_now_is_shown_and_tried_again(
    service: Any, answers: Any, status: int
) -> None:
    service.answers = [
        answers.refuses(status, Retry_After="0"),
        answers.refuses(status),
        answers.replies("fine"),
    ]
    seen: list[Progress] = []
    reply = await ask(await open_at(service.url), seen)
    assert reply.text == "fine"
    assert reply.usage.calls == len(service.requests) == 3
    retries = [piece for piece in seen if isinstance(piece, Retrying)]
    assert len(retries) == 2
    assert retries[0].seconds == 0
    assert all(str(status) in retry.reason for retry in retries)


async def test_a_service_that_refuses_for_ever_is_given_up(service: Any, answers: Any) -> None:
    service.answers = [answers.refuses(429, "quota is used up")]
    with pytest.raises(ModelFailed, match=r"429 Too Many Requests.*quota is used up") as caught:
        await ask(await open_at(service.url))
    assert usage_of(caught.value).calls == len(service.requests) == PATIENT.tries


@pytest.mark.parametrize(
    ("status", "message", "kind", "words"),
    [
        (401, "Incorrect API key", ModelRefused, "did not accept the key"),
        (403, "not for you", ModelRefused, "did not accept the key"),
        (404, "no such model", ModelUnreachable, "--base-url"),
        (400, "bad value", ModelFailed, "bad value"),
        (400, "maximum context length is 5 tokens", BadInput, "less documentation"),
    ],
)
async def test_a_final_refusal_is_not_repeated(
    service: Any, answers: Any, status: int, message: str, kind: type[AssayError], words: str
) -> None:
    service.answers = [answers.refuses(status, message)]
    with pytest.raises(kind, match=words) as caught:
        await ask(await open_at(service.url))
    assert service.url in caught.value.message
    assert len(service.requests) == 1


@pytest.mark.parametrize("texts", [(), ("half of a",)])
async def test_a_stream_that_breaks_off_is_tried_again(
    service: Any, answers: Any, texts: tuple[str, ...]
) -> None:
    service.answers = [answers.breaks_off(*texts), answers.replies("the whole")]
    reply = await ask(await open_at(service.url))
    assert reply.text == "the whole"
    assert reply.usage.calls == 2


async def test_a_stream_that_always_breaks_off_fails(service: Any, answers: Any) -> None:
    service.answers = [answers.breaks_off("half of a")]
    with pytest.raises(ModelFailed, match="broke off"):
        await ask(await open_at(service.url))


async def test_an_end_without_a_reason_is_no_end(service: Any, answers: Any) -> None:
    def answer(handler: Any) -> None:
        handler.start_stream()
        handler.send_event(answers.chunk("half of a"))
        handler.end_stream()

    service.answers = [answer, answers.replies("the whole")]
    assert (await ask(await open_at(service.url))).text == "the whole"


@pytest.mark.parametrize("texts", [(), ("a start",)])
async def test_a_silent_service_is_given_up(
    service: Any, answers: Any, texts: tuple[str, ...]
) -> None:
    service.answers = [answers.falls_silent(*texts)]
    with pytest.raises(ModelSilent):
        await ask(await open_at(service.url, Patience(silence_seconds=0.5)))
    assert len(service.requests) == 1


async def test_an_error_within_the_stream_is_tried_again(service: Any, answers: Any) -> None:
    def answer(handler: Any) -> None:
        handler.start_stream()
        handler.send_event(answers.chunk("half of a"))
        handler.send_event(json.dumps({"error": {"message": "overloaded", "type": "server"}}))
        handler.end_stream()

    service.answers = [answer, answers.replies("the whole")]
    seen: list[Progress] = []
    assert (await ask(await open_at(service.url), seen)).text == "the whole"
    assert any(isinstance(piece, Retrying) and "overloaded" in piece.reason for piece in seen)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<!doctype html><html><body>Log in</body></html>", "text/html"),
        (b"", "text/html"),
        (b'{"hello": "world"}', "application/json"),
        (b"data: no json\n\n", "text/event-stream"),
    ],
)
async def test_what_is_no_model_service_is_named_with_its_address(
    service: Any, answers: Any, body: bytes, kind: str
) -> None:
    service.answers = [answers.sends(body, kind)]
    with pytest.raises(ModelUnreachable, match="not a model service") as caught:
        await ask(await open_at(service.url))
    assert service.url in caught.value.message


async def test_a_port_where_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ModelUnreachable, match=rf"127\.0\.0\.1:{port}.*cannot be reached"):
        await ask(await open_at(f"http://127.0.0.1:{port}/v1"))


@pytest.mark.parametrize("url", ["http://does-not-exist.invalid/v1", "nonsense", "ftp://x/"])
async def test_an_address_that_leads_nowhere(url: str) -> None:
    with pytest.raises(ModelUnreachable):
        await ask(await open_at(url))


async def test_tls_to_a_service_that_has_none(service: Any, answers: Any) -> None:
    service.answers = [answers.replies("never")]
    with pytest.raises(ModelUnreachable, match=r"SSL|TLS"):
        await ask(await open_at(service.url.replace("http:", "https:")))


async def test_the_services_usual_variables_are_honoured(
    service: Any, answers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answers = [answers.replies("fine")]
    monkeypatch.setenv("OPENAI_BASE_URL", service.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    model = await open_model(
        "openai:m", base_url=None, cache_folder=Path("unused"), allow_calls=True
    )
    assert (await ask(model)).text == "fine"


async def test_a_proxy_is_used(service: Any, answers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    service.answers = [answers.replies("through the proxy")]
    monkeypatch.setenv("HTTP_PROXY", service.url.removesuffix("/v1"))
    monkeypatch.setenv("NO_PROXY", "")
    model = await open_at("http://model.example/v1")
    assert (await ask(model)).text == "through the proxy"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:gpt-4.1", "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("google_genai:gemini-2.5-flash", "GOOGLE_API_KEY"),
    ],
)
async def test_a_missing_key_is_named(name: str, variable: str) -> None:
    with pytest.raises(ModelRefused, match=variable):
        await open_model(name, base_url=None, cache_folder=Path("unused"), allow_calls=True)


async def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_anthropic", None)
    monkeypatch.setattr("assay.models.providers.find_spec", lambda _: None)
    with pytest.raises(UnknownName, match=r"pip install 'assay\[anthropic\]'"):
        await open_model(
            "anthropic:claude", base_url=None, cache_folder=Path("unused"), allow_calls=True
        )


async def test_the_window_and_the_price_of_a_known_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    model = await open_model(
        "openai:gpt-4.1", base_url=None, cache_folder=Path("unused"), allow_calls=True
    )
    assert model.context_tokens > 500_000
    assert not model.is_embedded
