"""Scripted models, and with them how every model is streamed, retried and counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.domain.event import Retrying, Text
from assay.domain.usage import Usage
from assay.errors import (
    AssayError,
    BadInput,
    ModelFailed,
    ModelRefused,
    ModelSilent,
    ModelUnreachable,
)
from assay.models.model import usage_of
from assay.models.prices import Price
from assay.models.scripted import ScriptedService
from assay.models.service import Patience

Script = Callable[..., Any]


async def test_a_reply_comes_in_pieces_that_join_to_its_text(script: Script) -> None:
    text = "words and more words, so that one piece is not enough\n" * 3
    rig = script({"text": text})
    reply = await rig.ask()
    assert reply.text == text
    assert reply.finish_reason == "stop"
    assert reply.model == rig.model.name
    pieces = [piece for piece in rig.progress if isinstance(piece, Text)]
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces) == text


async def test_replies_are_given_in_order_and_then_the_script_is_used_up(script: Script) -> None:
    rig = script({"text": "one"}, {"text": "two", "finish_reason": "length"})
    assert (await rig.ask()).text == "one"
    assert (await rig.ask()).finish_reason == "length"
    with pytest.raises(ModelFailed, match="has only 2 replies"):
        await rig.ask()
    rig = script({"text": "one"})
    await rig.ask()
    with pytest.raises(ModelFailed, match="has only 1 reply, "):
        await rig.ask()


async def test_usage_of_the_script_is_taken_and_priced(script: Script) -> None:
    tokens = {"input_tokens": 1000, "output_tokens": 200, "cached_tokens": 400}
    rig = script({"text": "x", "usage": tokens}, price=Price(input=1, cached=0.5, output=10))
    usage = (await rig.ask()).usage
    assert usage.model_dump(exclude={"seconds"}) == {"calls": 1, "cost": 0.0028, **tokens}


async def test_usage_is_estimated_where_the_service_counts_nothing(script: Script) -> None:
    usage = (await script({"text": "one two three"}).ask("four five six seven")).usage
    assert usage.calls == 1
    assert 4 <= usage.input_tokens <= 12
    assert 3 <= usage.output_tokens <= 5
    assert usage.cost is None


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
async def test_a_service_that_refuses_for_now_is_asked_again(script: Script, status: int) -> None:
    rig = script({"error": status}, {"error": status, "retry_after": 7}, {"text": "fine"})
    reply = await rig.ask()
    assert reply.text == "fine"
    assert reply.usage.calls == 3
    retries = [piece for piece in rig.progress if isinstance(piece, Retrying)]
    assert [str(status) in retry.reason for retry in retries] == [True, True]
    assert retries[1].seconds == 7
    assert [round(pause, 3) for pause in rig.pauses] == [retry.seconds for retry in retries]


async def test_pauses_grow_and_tries_end(script: Script) -> None:
    rig = script(*[{"error": 429, "text": "slow down"}] * 4)
    with pytest.raises(ModelFailed, match=r"429 Too Many Requests.*slow down") as caught:
        await rig.ask()
    assert len(rig.pauses) == 3
    assert 1 <= rig.pauses[0] < 2 <= rig.pauses[1] < 4 <= rig.pauses[2] < 8
    assert usage_of(caught.value).calls == 4


async def test_a_longer_pause_than_we_would_wait_ends_the_call_at_once(script: Script) -> None:
    rig = script({"error": 429, "retry_after": 3600})
    with pytest.raises(ModelFailed, match="It asks to wait 3600 seconds"):
        await rig.ask()
    assert rig.pauses == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, ModelRefused),
        (403, ModelRefused),
        (404, ModelUnreachable),
        (400, ModelFailed),
        (413, BadInput),
    ],
)
async def test_a_final_refusal_is_not_asked_again(
    script: Script, status: int, kind: type[AssayError]
) -> None:
    rig = script({"error": status, "text": "what it said"}, {"text": "never"})
    with pytest.raises(kind, match="what it said") as caught:
        await rig.ask()
    assert rig.pauses == []
    assert usage_of(caught.value).calls == 1


async def test_a_prompt_that_is_too_long_is_the_users_to_shorten(script: Script) -> None:
    rig = script({"error": 400, "text": "This model's maximum context length is 10 tokens."})
    with pytest.raises(BadInput, match="less documentation"):
        await rig.ask()


async def test_a_cut_stream_is_asked_again_and_its_part_never_passed_on(script: Script) -> None:
    rig = script({"text": "half of", "error": "cut"}, {"text": "the whole"})
    reply = await rig.ask()
    assert reply.text == "the whole"
    assert reply.usage.calls == 2
    kinds = [type(piece) for piece in rig.progress]
    assert kinds == [Text, Retrying, Text]


async def test_a_stream_that_is_always_cut_fails(script: Script) -> None:
    rig = script(*[{"text": "half of", "error": "cut"}] * 4)
    with pytest.raises(ModelFailed, match="broke off") as caught:
        await rig.ask()
    assert usage_of(caught.value).output_tokens >= 4


@pytest.mark.parametrize("text", ["", "a start"])
async def test_a_silent_stream_is_given_up(script: Script, text: str) -> None:
    rig = script({"text": text, "error": "hang"}, patience=Patience(silence_seconds=0.05))
    with pytest.raises(ModelSilent, match=r"nothing for 0\.05 seconds"):
        await rig.ask()


async def test_a_delay_is_silence_too(script: Script) -> None:
    rig = script({"text": "late", "delay": 60}, patience=Patience(silence_seconds=0.05))
    with pytest.raises(ModelSilent):
        await rig.ask()


async def test_an_expected_text_must_be_in_the_prompt(script: Script) -> None:
    rig = script({"text": "a", "expect": "Error: no"}, {"text": "b", "expect": "Error: no"})
    assert (await rig.ask("it said Error: no such file")).text == "a"
    with pytest.raises(ModelFailed, match=r"Line 2 .* expects a prompt with “Error: no”"):
        await rig.ask("something else")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("not json", "Line 1 .* is no reply"),
        ('{"text": "a"}\n{"txet": "b"}', "Line 2 .* txet"),
        ('{"error": "explode"}', "Line 1"),
        ("[]", "Line 1"),
    ],
)
def test_what_is_no_script_is_refused_with_its_line(
    tmp_path: Path, content: str, words: str
) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(content, "utf-8")
    with pytest.raises(BadInput, match=words):
        ScriptedService(path)


def test_a_missing_or_binary_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        ScriptedService(tmp_path / "none.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not UTF-8"):
        ScriptedService(tmp_path / "binary.jsonl")


async def test_usage_of_an_error_without_a_call_is_nothing() -> None:
    assert usage_of(ValueError("no call")) == Usage()
