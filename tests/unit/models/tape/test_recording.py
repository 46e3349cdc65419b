"""What goes on a tape, when, and what never does."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from assay.domain.event import Retrying
from assay.domain.message import Prompt
from assay.errors import ModelFailed, ModelRefused, OutputError, TapeError
from assay.models.tape.recording import check_free
from assay.models.tape.secrets import MARK, Secrets

Rig = Any


async def test_a_call_is_on_the_disk_when_its_reply_comes(rig: Rig) -> None:
    model = await rig.recording({"text": "one"}, {"text": "two"})
    await rig.ask(model, temperature=0.5, seed=3, max_tokens=99)
    (call,) = rig.tape.calls
    assert call.reply.text == "one"
    prompt = call.prompt
    assert (prompt.temperature, prompt.seed, prompt.max_tokens) == (0.5, 3, 99)
    assert prompt.messages[0].content == "a prompt"
    await rig.ask(model)
    assert [call.reply.text for call in rig.tape.calls] == ["one", "two"]
    await model.aclose()
    assert rig.tape.head.model == model.name
    assert stat.S_IMODE(rig.path.stat().st_mode) == 0o600


async def test_no_file_is_made_before_the_first_call(rig: Rig) -> None:
    model = await rig.recording({"text": "one"})
    await model.aclose()
    assert not rig.path.exists()


async def test_tries_that_are_made_again_are_one_call(rig: Rig) -> None:
    model = await rig.recording({"error": 500}, {"error": 429}, {"text": "in the end"})
    reply = await rig.ask(model)
    await model.aclose()
    assert [kind for kind in rig.progress if isinstance(kind, Retrying)]
    (call,) = rig.tape.calls
    assert call.reply == reply
    assert call.reply.usage.calls == 3


async def test_an_error_is_recorded_with_what_it_has_used(rig: Rig) -> None:
    model = await rig.recording({"error": 401, "text": "no"})
    with pytest.raises(ModelRefused) as raised:
        await rig.ask(model)
    await model.aclose()
    (call,) = rig.tape.calls
    assert (call.error.kind, call.error.message) == ("model_refused", raised.value.message)
    assert call.error.usage.calls == 1


async def test_a_call_that_is_stopped_leaves_nothing(rig: Rig) -> None:
    model = await rig.recording({"text": "the beginning", "error": "hang"})
    begun = asyncio.Event()
    task = asyncio.create_task(model.complete(Prompt(messages=()), lambda _: begun.set()))
    await begun.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await model.aclose()
    assert rig.tape.calls == ()


async def test_keys_are_marks_on_the_tape_and_nowhere_else(rig: Rig) -> None:
    secrets = Secrets.of({"OPENAI_API_KEY": "sk-12345678", "HOME": "/home/somebody"})
    model = await rig.recording(
        {"text": "print('sk-12345678')"}, {"error": 400, "text": "sk-12345678"}, secrets=secrets
    )
    reply = await rig.ask(model, "the key is sk-12345678, at /home/somebody")
    assert reply.text == "print('sk-12345678')"
    with pytest.raises(ModelFailed):
        await rig.ask(model)
    await model.aclose()
    assert b"sk-12345678" not in rig.path.read_bytes()
    first, second = rig.tape.calls
    assert first.prompt.messages[0].content == f"the key is {MARK}, at /home/somebody"
    assert first.reply.text == f"print('{MARK}')"
    assert MARK in second.error.message


def test_variables_that_look_like_keys_and_those_that_are_named_are_secrets() -> None:
    variables = {
        "OPENAI_API_KEY": "value-1",
        "github_token": "value-2",
        "AWS_SECRET_ACCESS_KEY": "value-3",
        "CLIENT_SECRET": "value-4",
        "DB_PASSWORD": "value-5",
        "KEYBOARD": "value-6",
        "SORT_KEY": "value-7",
        "GIVEN": "value-8",
        "SHORT_TOKEN": "12345",
    }
    assert sorted(Secrets.of(variables, ["GIVEN"]).values) == [
        f"value-{number}" for number in (1, 2, 3, 4, 5, 8)
    ]


def test_a_key_that_is_part_of_another_leaves_no_rest() -> None:
    secrets = Secrets.of({"A_TOKEN": "abcdef", "B_TOKEN": "abcdef-ghijkl"})
    assert secrets.hide("abcdef-ghijkl abcdef") == f"{MARK} {MARK}"


def test_who_is_named_in_an_address_is_no_part_of_an_error() -> None:
    said = Secrets().hide_in_error("http://me:hidden@host:1/v1 cannot be reached")
    assert said == f"http://{MARK}@host:1/v1 cannot be reached"


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("mine")
    leading = tmp_path / "leading"
    leading.symlink_to(tmp_path / "nowhere")
    for path in (kept, leading, tmp_path, Path(os.devnull)):
        with pytest.raises(TapeError, match="is there already"):
            check_free(path)
    assert kept.read_text() == "mine"
    with pytest.raises(TapeError, match=r"no folder .* Make it first"):
        check_free(tmp_path / "missing" / "tape")


async def test_a_file_that_comes_in_between_stops_the_call_before_it_is_made(rig: Rig) -> None:
    model = await rig.recording({"text": "one"})
    rig.path.write_text("mine")
    with pytest.raises(TapeError, match="is there already"):
        await rig.ask(model)
    rig.path.unlink()
    assert (await rig.ask(model)).text == "one"
    await model.aclose()


@contextmanager
def files_of(size: int) -> Iterator[None]:
    """A disk on which no file becomes larger than `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


async def test_a_tape_that_cannot_be_begun_asks_nobody_and_leaves_no_file(rig: Rig) -> None:
    model = await rig.recording({"text": "one"})
    with files_of(10), pytest.raises(TapeError, match="Name another file"):
        await rig.ask(model)
    assert not rig.path.exists()
    assert (await rig.ask(model)).text == "one"
    await model.aclose()


async def test_a_full_disk_costs_the_tape_and_no_reply(rig: Rig) -> None:
    model = await rig.recording({"text": "one"}, {"text": "x" * 9000}, {"text": "three"})
    await rig.ask(model)
    with files_of(4096):
        assert len((await rig.ask(model)).text) == 9000
    assert (await rig.ask(model)).text == "three"
    await model.aclose()
    assert isinstance(model.failure, OutputError)
    assert "could not be written to its end" in model.failure.message
    tape = rig.tape
    assert tape.is_cut
    assert [call.reply.text for call in tape.calls] == ["one"]
