"""One scripted session in a process of its own: what Assay itself takes. Run by `bench.own`.

`python -m bench.own_session FOLDER FLOW [without-pool]` imports the modules that are named on
stdin, and prints JSON: the seconds of each session besides the model and the sandbox, those besides
the model alone, and the modules that are imported at the end.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.client import Assay
from assay.domain.message import Prompt
from assay.models.model import OnProgress
from assay.models.streaming import StreamingModel
from assay.sandbox.linux import LinuxSandbox
from bench.script import CORRECT, REPLY_SECONDS, TEAM, Script

SESSIONS = 2
WITHOUT_POOL = "without-pool"


class Clock:
    """Time that is not Assay's own. Where two runs overlap, their time counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._running = 0
        self._since = 0.0

    @contextmanager
    def on(self) -> Iterator[None]:
        """Count the time of this block."""
        self._change(1)
        try:
            yield
        finally:
            self._change(-1)

    @contextmanager
    def off(self) -> Iterator[None]:
        """Within a block that counts, leave this one out."""
        self._change(-1)
        try:
            yield
        finally:
            self._change(1)

    def _change(self, by: int) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds += now - self._since
        self._running += by
        self._since = now


def watch(clock: Clock) -> None:
    """Let `clock` run while a model is asked and while the sandbox runs programs."""
    complete = StreamingModel.complete

    async def timed_complete(self: StreamingModel, prompt: Prompt, on_progress: OnProgress) -> Any:
        def own_progress(progress: Any) -> None:
            with clock.off():  # storing and showing what the model says is Assay's own work
                on_progress(progress)

        with clock.on():
            return await complete(self, prompt, own_progress)

    def timed(run: Callable[..., Any]) -> Callable[..., Any]:
        async def timed_run(*arguments: Any) -> Any:
            with clock.on():
                return await run(*arguments)

        return timed_run

    setattr(StreamingModel, "complete", timed_complete)  # noqa: B010 - mypy forbids it otherwise
    for name in ("run", "run_linked"):
        setattr(LinuxSandbox, name, timed(getattr(LinuxSandbox, name)))


async def run_session(folder: Path, script: Script, clock: Clock) -> tuple[float, float]:
    """Run it; what it took besides model and sandbox, and besides the model alone, in seconds."""
    model = script.write(folder / "replies.jsonl")
    before, started = clock.seconds, time.perf_counter()
    assay = Assay(model=model, flow=script.flow, data_folder=folder, cache_folder=folder)
    result = await assay.run(script.task)
    total = time.perf_counter() - started
    answer = result.answer
    if len(answer.attempts) != script.attempts or not answer.has_required_evidence:
        raise RuntimeError(f"the scripted session went another way: {answer.headline}")
    return total - (clock.seconds - before), total - len(script.replies) * REPLY_SECONDS


def main() -> None:
    """Import what is named on stdin, run sessions, print what they took."""
    folder = Path(sys.argv[1])
    script = next(one for one in (CORRECT, TEAM) if one.flow == sys.argv[2])
    for name in sys.stdin.read().split():
        importlib.import_module(name)
    if WITHOUT_POOL in sys.argv:
        setattr(LinuxSandbox, "open_pool", lambda *_, **__: None)  # noqa: B010
    clock = Clock()
    watch(clock)
    sessions = [asyncio.run(run_session(folder, script, clock)) for _ in range(SESSIONS)]
    own, waited = zip(*sessions, strict=True)
    # What a library has put there by itself cannot be imported by its name.
    modules = sorted(
        name
        for name, module in sys.modules.items()
        if not name.startswith("__") and getattr(module, "__spec__", None)
    )
    print(json.dumps({"own": own, "waited": waited, "modules": modules}))


if __name__ == "__main__":
    main()
