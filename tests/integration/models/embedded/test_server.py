"""The life of the machine's model server: shared, stopped when unused, started anew on death."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.domain.event import Retrying, Text
from assay.domain.message import Message, Prompt, Reply
from assay.errors import ModelFailed
from assay.models.embedded.launch import stop_server
from assay.models.embedded.place import Place, ServerRecord
from assay.models.model import Model, OnProgress, Progress

pytestmark = [pytest.mark.model, pytest.mark.timeout(400)]

CLIENT = """
import asyncio, sys
from pathlib import Path
from assay.domain.message import Message, Prompt
from assay.models.embedded.client import EmbeddedService
from assay.models.streaming import StreamingModel

async def main():
    path = Path(sys.argv[2])
    service = EmbeddedService(
        "embedded:x", path, cache_folder=Path(sys.argv[1]), context_tokens=4096, idle_seconds=1.0
    )
    model = StreamingModel("embedded:x", service, context_tokens=4096)
    messages = (Message(role="user", content=sys.argv[3]),)
    prompt = Prompt(messages=messages, max_tokens=int(sys.argv[4]))
    reply = await model.complete(prompt, lambda piece: print("progress", flush=True))
    print("reply", reply.text)
    await model.aclose()

asyncio.run(main())
"""


async def ask(
    model: Model,
    prompt: str = "Say only the word: hello",
    on_progress: OnProgress = lambda _: None,
    **options: Any,
) -> Reply:
    messages = (Message(role="user", content=prompt),)
    asked = Prompt(messages=messages, **{"max_tokens": 8, **options})
    return await model.complete(asked, on_progress)


async def client(
    cache: Path, weights: Path, prompt: str, tokens: int
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CLIENT, str(cache), str(weights), prompt, str(tokens)),
        stdout=asyncio.subprocess.PIPE,
    )


def server_of(cache: Path) -> ServerRecord:
    record = Place.within(cache).read()
    assert record is not None
    return record


def command_of(server: ServerRecord) -> str:
    return Path(f"/proc/{server.pid}/cmdline").read_text("utf-8")


def copy_of(file: Path, path: Path) -> Path:
    try:
        path.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, path)
    return path


async def test_two_processes_share_one_server(cache: Path, weights: Path, open_small: Any) -> None:
    await ask(open_small(cache))
    server = server_of(cache)
    other = await client(cache, weights, "Say only the word: hello", 8)
    output, _ = await other.communicate()
    assert other.returncode == 0
    assert b"hello" in output.lower()
    assert server_of(cache) == server


async def test_others_on_the_machine_can_neither_read_nor_use_it(
    cache: Path, open_small: Any
) -> None:
    import httpx

    await ask(open_small(cache))
    server = server_of(cache)
    for path in (cache / "server", cache / "server" / "server.json"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    assert server.key not in command_of(server)
    assert server.address.startswith("http://127.0.0.1:")
    async with httpx.AsyncClient(trust_env=False) as stranger:
        for path_name in ("/v1/chat/completions", "/tokenize"):
            answer = await stranger.post(server.address + path_name, json={"content": "x"})
            assert answer.status_code == 401


async def test_a_client_that_is_killed_counts_as_gone(
    cache: Path, weights: Path, gone: Any
) -> None:
    killed = await client(cache, weights, "Count from 1 to 1000.", 2000)
    assert killed.stdout is not None
    await killed.stdout.readline()
    server = server_of(cache)
    assert Place.within(cache).is_used
    killed.kill()
    await killed.communicate()
    await gone(server.pid)
    assert Place.within(cache).read() is None


async def test_an_unused_server_stops_and_a_used_one_stays(
    cache: Path, open_small: Any, gone: Any
) -> None:
    model = open_small(cache, idle_seconds=0.1)
    await ask(model)
    server = server_of(cache)
    assert not await stop_server(cache)
    assert server_of(cache) == server
    await model.aclose()
    await gone(server.pid)
    assert not Place.within(cache).is_alive


async def test_a_server_stops_at_once_when_it_is_asked(
    cache: Path, open_small: Any, gone: Any
) -> None:
    model = open_small(cache)
    await ask(model)
    server = server_of(cache)
    await model.aclose()
    assert await stop_server(cache)
    await gone(server.pid)
    assert Place.within(cache).read() is None


async def test_a_server_that_was_killed_is_started_anew(cache: Path, open_small: Any) -> None:
    model = open_small(cache)
    await ask(model)
    server = server_of(cache)
    os.kill(server.pid, signal.SIGKILL)
    seen: list[Progress] = []
    reply = await ask(model, on_progress=seen.append)
    assert "hello" in reply.text.lower()
    assert server_of(cache).pid != server.pid
    assert [piece.reason for piece in seen if isinstance(piece, Retrying)] == [
        "the embedded model's server stopped and is started anew"
    ]


async def test_a_server_that_dies_in_every_reply_is_given_up(cache: Path, open_small: Any) -> None:
    def kill(piece: Progress) -> None:
        if isinstance(piece, Text):
            os.kill(server_of(cache).pid, signal.SIGKILL)

    with pytest.raises(ModelFailed, match="stopped in the middle"):
        await ask(open_small(cache), "Count from 1 to 1000.", max_tokens=500, on_progress=kill)


async def test_another_model_waits_while_one_is_used_and_then_replaces_it(
    cache: Path, weights: Path, open_small: Any, gone: Any
) -> None:
    other = copy_of(weights, cache / "other.gguf")
    first = open_small(cache)
    await ask(first)
    server = server_of(cache)
    second = open_small(cache, other)
    pauses: list[Progress] = []

    async def free(_: float) -> None:
        await first.aclose()

    second._sleep = free
    reply = await ask(second, on_progress=pauses.append)
    assert "hello" in reply.text.lower()
    assert any(isinstance(piece, Retrying) and "in use" in piece.reason for piece in pauses)
    await gone(server.pid)
    assert server_of(cache).name == "other.gguf"
