"""The server's process: llama.cpp on a loopback port, until nobody has used it for a while.

Started by `launch` as `python -m assay.models.embedded.server`. The first process waits only until
the model is loaded, and its exit status says how that went; the server lives on in the background.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import Any

from assay.models.embedded.place import Place, ServerRecord, model_identity

EXIT_LOADED = 0
EXIT_NOT_A_MODEL = 3
"""llama.cpp could not load the file."""

LONGEST_REPLY_TOKENS = 4_096
"""Where a request names no limit; without one a small model may repeat itself for ever."""
_BATCH_TOKENS = 256
"""Progress is told after each batch; larger ones are no faster on processors."""
_PROMPT_CACHE_MIB = 512
_WATCH_SECONDS = 1.0
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main() -> int:
    """Load the model in a process of the background, and return when it is ready or has failed."""
    parser = argparse.ArgumentParser(prog="python -m assay.models.embedded.server")
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--context-tokens", type=int, required=True)
    parser.add_argument("--idle-seconds", type=float, required=True)
    arguments = parser.parse_args()
    ready, told = os.pipe()
    if os.fork():
        os.close(told)
        status = os.read(ready, 1)
        return status[0] if status else 1
    os.close(ready)
    place = Place(arguments.folder)
    return _serve(place, arguments.model, arguments.context_tokens, arguments.idle_seconds, told)


def _serve(place: Place, model: Path, context_tokens: int, idle_seconds: float, told: int) -> int:
    alive = place.alive()
    if not alive.try_acquire():
        return 1
    # Blocked before llama.cpp makes its threads, so that only _watch receives them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    key = secrets.token_hex(32)
    try:
        server = _load(model, context_tokens, key)
    except RuntimeError as error:
        print(f"could not load {model}: {error}", flush=True)
        alive.release()
        os.write(told, bytes([EXIT_NOT_A_MODEL]))
        return EXIT_NOT_A_MODEL
    record = ServerRecord(
        pid=os.getpid(),
        address=server.listening_address,
        key=key,
        model=model_identity(model),
        context_tokens=context_tokens,
    )
    place.write(record)
    os.write(told, bytes([EXIT_LOADED]))
    os.close(told)
    _watch(place, record, idle_seconds)
    del server
    alive.release()
    return 0


def _load(model: Path, context_tokens: int, key: str) -> Any:
    import xllamacpp

    cores = len(os.sched_getaffinity(0))
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {model.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.endpoint_slots = False
    params.n_ctx = context_tokens
    params.n_predict = LONGEST_REPLY_TOKENS
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cache_prompt = True
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    # A thread for each core makes each word wait for the slowest, and something else always runs.
    params.cpuparams.n_threads = max(1, cores - 1)
    params.cpuparams_batch.n_threads = cores
    return xllamacpp.Server(params)


def _watch(place: Place, record: ServerRecord, idle_seconds: float) -> None:
    """Return when the server is told to stop, is not wanted any more, or has lost its folder."""
    last_used = time.monotonic()
    while signal.sigtimedwait(_STOP_SIGNALS, _WATCH_SECONDS) is None:
        try:
            if place.read() != record:
                return
            if place.is_used:
                last_used = time.monotonic()
            elif time.monotonic() - last_used >= idle_seconds and _retire(place):
                return
        except OSError:
            return
    place.remove()


def _retire(place: Place) -> bool:
    """Take the record away unless somebody has just come. Users come only under the start lock."""
    start = place.start()
    if not start.try_acquire():
        return False
    try:
        if place.is_used:
            return False
        place.remove()
        return True
    finally:
        start.release()


if __name__ == "__main__":
    sys.exit(main())
