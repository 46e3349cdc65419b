"""Awaiting what the other side has to run.

A coroutine of the other side's is a real coroutine here. Awaited, it has a task started there and
asks, in short slices, whether that is done; in between, the tasks on this side have their turn. The
other side's event loop runs during those slices only.
"""

from __future__ import annotations

import itertools
import time
import weakref
from typing import TYPE_CHECKING, Any

from .proxies import Ref

if TYPE_CHECKING:
    import asyncio

    from .link import Link

_SLICE = 0.005
"""Seconds that a loop runs before it looks whether the other side wants its turn."""
_IDLE = 0.01
"""Seconds to wait where nothing says when a loop has to go on."""
_perf_counter = time.perf_counter


class Coroutines:
    """The coroutines of both sides, and the tasks that this side runs for the other."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._tasks: dict[int, asyncio.Task[Any]] = {}
        self._numbers = itertools.count(1)
        self._refs: weakref.WeakKeyDictionary[Any, Ref] = weakref.WeakKeyDictionary()
        self._runner: asyncio.Runner | None = None
        self._is_polling = False
        self._wants_turn = False
        link.actions.update({"start": self._start, "poll": self._poll, "cancel": self._cancel})

    # Awaiting the other side's

    def make(self, ref: Ref, proxy: Any) -> Any:
        """A coroutine here that stands for one there."""
        coroutine = self.wait(proxy)
        self._refs[coroutine] = ref
        ref.proxy = weakref.ref(coroutine)
        return coroutine

    def ref_of(self, coroutine: Any) -> Ref | None:
        """The Ref of such a coroutine that is sent home; it is not awaited here any more."""
        ref = self._refs.get(coroutine)
        if ref is not None and coroutine.cr_frame is not None and not coroutine.cr_running:
            coroutine.close()
        return ref

    async def wait(self, awaitable: Any) -> Any:
        """Have it run there, and give its result.

        Raises:
            BaseException: what it raised.
        """
        import asyncio  # takes long, and few tests need it

        number = self._link.ask("start", (awaitable,), int)
        while True:
            self._is_polling, outer = True, self._is_polling
            try:
                is_done, value = self._link.ask("poll", (number,), bool, object)
            finally:
                self._is_polling = outer
            if is_done:
                return value
            self._wants_turn = True
            try:
                await asyncio.sleep(min(float(value), _IDLE))
            except asyncio.CancelledError:
                self._link.request("cancel", (number,))

    # Running for the other side

    def _start(self, awaitable: Any) -> int:
        """Start a task for something awaitable."""
        number = next(self._numbers)
        self._tasks[number] = self._current_loop().create_task(_finish(awaitable))
        return number

    def _poll(self, number: int) -> tuple[bool, Any]:
        """Whether it is done, with its result; else with the seconds until it goes on."""
        task = self._tasks[number]
        if not task.done():
            wait = self._run_slice(task)
            if not task.done():
                return False, wait
        del self._tasks[number]
        return True, task.result()

    def _cancel(self, number: int) -> None:
        self._tasks[number].cancel()

    def _current_loop(self) -> Any:
        # Where this side awaits in its own loop, that one goes on after this request. Where it
        # does not, nobody would run the task but whoever asks for it.
        if self._is_polling:
            running = _events()._get_running_loop()
            if running is not None:
                return running
        if self._runner is None:
            import asyncio

            self._runner = asyncio.Runner()
        return self._runner.get_loop()

    def close(self) -> None:
        """End what still runs for the other side, and its loop."""
        if self._runner is not None:
            self._runner.close()

    def _run_slice(self, task: Any) -> float:
        """Run the loop until the task is done, or nothing is to be done; seconds until it is."""
        loop = task.get_loop()
        if loop.is_running():
            return 0
        self._wants_turn = False
        end = _perf_counter() + _SLICE
        events = _events()
        running = events._get_running_loop()
        events._set_running_loop(None)
        try:
            while not task.done() and not self._wants_turn and _perf_counter() < end:
                loop.call_soon(loop.stop)
                loop.run_forever()
                if not getattr(loop, "_ready", True):
                    break
        finally:
            events._set_running_loop(running)
        return 0 if self._wants_turn or getattr(loop, "_ready", False) else _until_next(loop)


def _events() -> Any:
    import asyncio

    return asyncio.events


async def _finish(awaitable: Any) -> Any:
    return await awaitable


def _until_next(loop: Any) -> float:
    scheduled = getattr(loop, "_scheduled", None)
    if not scheduled:
        return _IDLE
    return float(max(0, scheduled[0].when() - loop.time()))
