"""Asking the machine's model server, which is started when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx

from assay.domain.limits import EMBEDDED_ANSWER_TOKENS
from assay.domain.message import Prompt
from assay.errors import ModelFailed
from assay.models.embedded.chunks import failure_of_body, pieces_of_line
from assay.models.embedded.launch import Lease, lease_server
from assay.models.embedded.place import Place, ServerRecord
from assay.models.failures import Temporary
from assay.models.service import Alive, Ended, Piece

IDLE_SECONDS = 300.0
"""How long a server stays when nobody uses it."""
_LIFE_SECONDS = 1.0
_RESTARTS = 1


class EmbeddedService:
    """A GGUF file, asked through the server that all of Assay's processes share."""

    def __init__(
        self,
        name: str,
        model: Path,
        *,
        cache_folder: Path,
        context_tokens: int,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """Name the model; nothing is started yet.

        Args:
            name: `embedded:…`, for messages.
            model: The GGUF file, an absolute path.
            cache_folder: Where servers and their clients meet.
            context_tokens: Length of the context of a server that has to be started.
            idle_seconds: How long that server stays without any use.
        """
        self._name = name
        self._model = model
        self._place = Place.within(cache_folder)
        self._context_tokens = context_tokens
        self._idle_seconds = idle_seconds
        self._connecting = asyncio.Lock()
        self._lease: Lease | None = None
        self._lost: ServerRecord | None = None
        self._crashes = 0
        # The server is on this machine: a proxy has no part in this.
        self._client = httpx.AsyncClient(trust_env=False, timeout=httpx.Timeout(None, connect=10.0))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Start the server if need be, wait for a turn, and ask."""
        connecting = asyncio.ensure_future(self._connect())
        async with aclosing(_signs_of_life(connecting)) as signs:
            async for sign in signs:
                yield sign
        lease = connecting.result()
        turn = self._place.turn()
        waiting = asyncio.ensure_future(turn.acquire())
        try:
            async with aclosing(_signs_of_life(waiting)) as signs:
                async for sign in signs:
                    yield sign
            # Closed before the turn is given on: the server drops a request with its connection.
            async with aclosing(self._ask(lease, prompt)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            turn.release()

    async def aclose(self) -> None:
        """End the use of the server; it stops when nobody has used it for a while."""
        await self._client.aclose()
        self._forget()

    async def _connect(self) -> Lease:
        async with self._connecting:
            if self._lease is None:
                self._lease = await lease_server(
                    self._place,
                    self._model,
                    context_tokens=self._context_tokens,
                    idle_seconds=self._idle_seconds,
                    lost=self._lost,
                )
                self._lost = None
            return self._lease

    async def _ask(self, lease: Lease, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        try:
            async with self._client.stream(
                "POST",
                f"{lease.server.address}/v1/chat/completions",
                json=_body(prompt),
                headers=_headers(lease),
            ) as response:
                if response.status_code == httpx.codes.UNAUTHORIZED:
                    # Another server has got the port of one that has died.
                    raise self._crash()
                if response.status_code != httpx.codes.OK:
                    body = (await response.aread()).decode("utf-8", "replace")
                    raise failure_of_body(response.status_code, body, self._name)
                async for line in response.aiter_lines():
                    for piece in pieces_of_line(line, self._name):
                        if isinstance(piece, Ended):
                            self._crashes = 0
                        yield piece
        except httpx.TransportError as error:
            raise self._crash() from error

    def _crash(self) -> Temporary:
        """Forget a server that died; it is started anew once, and then no more."""
        self._lost = self._lease.server if self._lease else None
        self._forget()
        self._crashes += 1
        final = ModelFailed(
            f"The server of {self._name} stopped in the middle of its work, twice. "
            f"{self._place.log} says why; often there is too little memory: close other programs, "
            "or take a smaller model."
        )
        if self._crashes > _RESTARTS:
            raise final
        return Temporary("the embedded model's server stopped and is started anew", final, 0.0)

    def _forget(self) -> None:
        if self._lease is not None:
            self._lease.release()
            self._lease = None


async def _signs_of_life(task: asyncio.Future[Any]) -> AsyncGenerator[Alive, None]:
    """Signs of life until a task is done; it is cancelled when nobody listens any more."""
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_LIFE_SECONDS)
            yield Alive()
        await task
    finally:
        task.cancel()


def _headers(lease: Lease) -> dict[str, str]:
    return {"Authorization": f"Bearer {lease.server.key}"}


def _body(prompt: Prompt) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [message.model_dump() for message in prompt.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
        "cache_prompt": True,
        "temperature": prompt.temperature,
        "max_tokens": min(prompt.max_tokens or EMBEDDED_ANSWER_TOKENS, EMBEDDED_ANSWER_TOKENS),
    }
    if prompt.seed is not None:
        body["seed"] = prompt.seed
    return body
