"""Finding the machine's model server, starting it, and stopping it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.errors import ModelFailed, WeightsDamaged
from assay.models.embedded.locks import FileLock
from assay.models.embedded.place import Place, ServerRecord, model_identity
from assay.models.embedded.server import EXIT_LOADED, EXIT_NOT_A_MODEL
from assay.models.failures import Temporary

BUSY_PAUSE_SECONDS = 10.0
_POLL_SECONDS = 0.05
_STOP_SECONDS = 30.0
_DYING_SECONDS = 5.0
"""A killed process takes a moment to give its memory back, and holds its locks until then."""


@dataclass
class Lease:
    """The use of a running server; while any process has one, the server stays."""

    server: ServerRecord
    _users: FileLock

    def release(self) -> None:
        """End the use."""
        self._users.release()


async def lease_server(
    place: Place,
    model: Path,
    *,
    context_tokens: int,
    idle_seconds: float,
    lost: ServerRecord | None = None,
) -> Lease:
    """Use the server that runs with this model, or start one.

    Args:
        place: Where servers and clients meet.
        model: The GGUF file, an absolute path.
        context_tokens: Length of the context of a server that has to be started.
        idle_seconds: How long that server stays without any use.
        lost: A server that has just broken off, and may be on its way out.

    Raises:
        Temporary: Another model is in use; there is memory and time for one only.
        WeightsDamaged: llama.cpp cannot load the file.
        ModelFailed: The server did not start.
    """
    async with place.start():
        if lost is not None and lost == place.read():
            with suppress(TimeoutError):
                await _death(place, _DYING_SECONDS)
        server = place.read() if place.is_alive else None
        if server is None or server.model != model_identity(model):
            await _make_room(place, server)
            server = await _start(place, model, context_tokens, idle_seconds)
        users = place.users(shared=True)
        await users.acquire()
        return Lease(server, users)


async def stop_server(cache_folder: Path) -> bool:
    """Stop the model server that nobody uses.

    Returns:
        Whether no server runs now; False where one is in use.
    """
    place = Place.within(cache_folder)
    async with place.start():
        if place.is_used:
            return False
        await _stop(place, place.read())
        return True


async def _make_room(place: Place, server: ServerRecord | None) -> None:
    if place.is_used and place.is_alive:
        used = server.name if server else "it is just starting"
        final = ModelFailed(
            f"Another embedded model ({used}) is in use by another Assay process, and this machine "
            "runs one at a time. Wait until that session has ended, or take the same model."
        )
        raise Temporary(f"another embedded model is in use ({used})", final, BUSY_PAUSE_SECONDS)
    await _stop(place, server)


async def _stop(place: Place, server: ServerRecord | None) -> None:
    """End a server that lives, and see it gone. The caller holds the start lock."""
    if not place.is_alive:
        return
    if server is not None:
        with suppress(ProcessLookupError):
            os.kill(server.pid, signal.SIGTERM)
    try:
        await _death(place, _STOP_SECONDS)
    except TimeoutError as error:
        raise ModelFailed(
            f"The embedded model's server does not stop. {place.log} says what it does; "
            "end the process “assay.models.embedded.server” and try again."
        ) from error


async def _death(place: Place, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while place.is_alive:  # noqa: ASYNC110 - the end of a process is no event here
            await asyncio.sleep(_POLL_SECONDS)


async def _start(
    place: Place, model: Path, context_tokens: int, idle_seconds: float
) -> ServerRecord:
    place.remove()
    with place.log.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "assay.models.embedded.server", str(model), str(place.folder)),
            *("--context-tokens", str(context_tokens), "--idle-seconds", str(idle_seconds)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
        )
        status = await process.wait()
    server = place.read()
    if status == EXIT_LOADED and server is not None:
        return server
    if status == EXIT_NOT_A_MODEL:
        raise WeightsDamaged(
            f"llama.cpp cannot load {model}: it is damaged, or of a kind that it does not know. "
            "Fetch it again with assay models pull, or take another file."
        )
    raise ModelFailed(
        f"The embedded model's server did not start (status {status}). {place.log} says why; "
        "often there is too little memory: close other programs, or take a smaller model."
    )
