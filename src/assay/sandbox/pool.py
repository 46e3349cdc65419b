"""Runners that wait for jobs: as many as are expected, and as were wanted at a time lately."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.domain.limits import MIB
from assay.errors import SandboxError
from assay.sandbox.container import Container, Setup
from assay.sandbox.protocol import Job
from assay.sandbox.runner import Kind, Runner

CORES = os.cpu_count() or 1
MOST_RUNNERS = 4 * CORES
MOST_EMPTY = 32
"""Kinds without runners that are remembered."""
LATELY = 60.0
"""Seconds that a second with many jobs is remembered."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 600.0
"""Seconds until another start is tried after one that failed; twice as many after each more."""
MEMORY_LEFT = 1024 * MIB
"""What has to be available on the machine for another runner to be started."""


class _Stock:
    """The runners of one kind, and how many of them are wanted."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.ready: deque[Runner] = deque()
        self.starting = 0
        self.waiting: deque[asyncio.Future[Runner | None]] = deque()
        """Jobs that wait for one that is being started."""
        self.last_used = 0.0
        self._expected = 0
        self._taken: deque[float] = deque()
        self._most = 0
        self._most_at = 0.0
        self._failures = 0
        self._failed_at = 0.0

    def expect(self) -> None:
        """Have one for a job that is going to come."""
        self.last_used = time.monotonic()
        self._expected = max(self._expected, 1)

    def note_use(self, *, remember: bool) -> None:
        """Count one more job of this second, to be ready for as many again if that is wanted."""
        self._expected = max(0, self._expected - 1)
        now = self.last_used = time.monotonic()
        if not remember:
            return
        self._taken.append(now)
        while now - self._taken[0] > 1:
            self._taken.popleft()
        if len(self._taken) >= self._most or now - self._most_at > LATELY:
            self._most, self._most_at = len(self._taken), now

    def note_start(self, *, failed: bool) -> None:
        """Count how often in a row none came up."""
        self._failures = self._failures + 1 if failed else 0
        self._failed_at = time.monotonic()

    @property
    def wanted(self) -> int:
        """How many are to be there; one, where it was used and is not any more."""
        is_lately = time.monotonic() - self._most_at <= LATELY
        return max(self._most if is_lately else min(self._most, 1), self._expected)

    @property
    def lacking(self) -> int:
        """How many more are to be started now."""
        if self._failures:
            pause = min(FIRST_PAUSE * 2.0 ** min(self._failures - 1, 30), LONGEST_PAUSE)
            if time.monotonic() - self._failed_at < pause:
                return 0
        return self.wanted - len(self.ready) - self.starting

    @property
    def at_hand(self) -> bool:
        """Whether a job gets one at once, or one that is being started and not promised yet."""
        promised = sum(not one.done() for one in self.waiting)
        return bool(self.ready) or self.starting > promised


class Pool:
    """Makes runners in a thread of its own, which they die with; for one event loop."""

    def __init__(self, setup: Setup, modules: tuple[str, ...], *, refills: bool) -> None:
        """Make runners with `setup`.

        Args:
            setup: what containers are made with.
            modules: what runners import for jobs whose files name it.
            refills: whether jobs like those that came are expected to come again.
        """
        self._setup = setup
        self._modules = modules
        self._refills = refills
        self._stocks: list[_Stock] = []
        self._thread = ThreadPoolExecutor(1, "assay-runners")
        self._starts: set[asyncio.Task[None]] = set()
        self._starting: set[Runner] = set()
        self._shrinking: asyncio.TimerHandle | None = None
        self._closed = False

    def expect(self, job: Job) -> None:
        """Have a runner ready for a job like `job`."""
        if stock := self._stock_for(job):
            stock.expect()
            self._refill()

    async def start(self, job: Job, inherited: Mapping[str, int]) -> Container | None:
        """Give `job` to a runner; None where it has to start by itself.

        A runner that is being started already is waited for: another start would take longer.

        Args:
            job: what is to be run.
            inherited: descriptors that the program gets, by the variable that tells it.

        Returns:
            The runner's container, in which the job's program runs now.

        Raises:
            UnsafePath: a file of the job would lie outside its folder.
            BadInput: the job's files are too many or too large.
        """
        stock = self._stock_for(job)
        if stock is None:
            return None
        stock.note_use(remember=self._refills)
        container = None
        while container is None and stock.at_hand:
            runner = await self._next(stock)
            if runner and await runner.give(job, inherited):
                container = runner.container
        self._refill()
        return container

    async def aclose(self) -> None:
        """End all runners that wait; none may be at work."""
        self._closed = True
        if self._shrinking:
            self._shrinking.cancel()
        ready = [runner for stock in self._stocks for runner in stock.ready]
        for runner in (*ready, *self._starting):
            runner.kill()  # all at once, so that they need not be waited for one by one
        for stock in self._stocks:
            stock.ready.clear()
        for runner in ready:
            runner.bury()
        if self._starts:
            await asyncio.wait(self._starts)
        self._thread.shutdown()

    def _stock_for(self, job: Job) -> _Stock | None:
        kind = Kind.of(job, self._modules)
        if kind is None or self._closed:
            return None
        for stock in self._stocks:
            if stock.kind == kind:
                return stock
        self._forget()
        self._stocks.append(_Stock(kind))
        return self._stocks[-1]

    def _forget(self) -> None:
        """Make room for another kind in place of one that has no runners any more."""
        empty = [stock for stock in self._stocks if not (stock.ready or stock.starting)]
        if len(empty) >= MOST_EMPTY:
            self._stocks.remove(min(empty, key=lambda stock: stock.last_used))

    async def _next(self, stock: _Stock) -> Runner | None:
        if stock.ready:
            return stock.ready.popleft()
        waiting: asyncio.Future[Runner | None] = asyncio.get_running_loop().create_future()
        stock.waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if not waiting.cancelled():
                self._deliver(stock, waiting.result())
            raise

    def _refill(self) -> None:
        """Start what is lacking, for the kind that was used last first."""
        for stock in sorted(self._stocks, key=lambda one: -one.last_used):
            while stock.lacking > 0 and self._has_room(stock):
                stock.starting += 1
                start = asyncio.create_task(self._start(stock))
                self._starts.add(start)
                start.add_done_callback(self._starts.discard)
        self._shrink_later()

    def _shrink_later(self) -> None:
        is_large = any(len(stock.ready) + stock.starting > 1 for stock in self._stocks)
        if is_large and self._shrinking is None and not self._closed:
            self._shrinking = asyncio.get_running_loop().call_later(LATELY, self._shrink)

    def _shrink(self) -> None:
        """End those that are no longer wanted."""
        self._shrinking = None
        for stock in self._stocks:
            while len(stock.ready) > stock.wanted:
                stock.ready.popleft().bury()
        self._shrink_later()

    def _has_room(self, wanted: _Stock) -> bool:
        """Whether one more can be started, perhaps in place of one that was not used for longer."""
        starting = sum(stock.starting for stock in self._stocks)
        if self._closed or starting >= CORES or _available_memory() < MEMORY_LEFT:
            return False
        if starting + sum(len(stock.ready) for stock in self._stocks) < MOST_RUNNERS:
            return True
        stocked = (stock for stock in self._stocks if stock.ready)
        oldest = min(stocked, key=lambda stock: stock.last_used, default=wanted)
        if oldest.last_used >= wanted.last_used:
            return False
        oldest.ready.popleft().bury()
        return True

    async def _start(self, stock: _Stock) -> None:
        runner = None
        try:
            runner = await self._make(stock.kind)
        finally:
            stock.starting -= 1
            stock.note_start(failed=runner is None)
            self._deliver(stock, runner)
        self._refill()

    async def _make(self, kind: Kind) -> Runner | None:
        """A runner that waits for a job; None if it breaks before."""
        made = self._thread.submit(Runner, self._setup, kind)
        try:
            runner = await asyncio.wrap_future(made)
        except asyncio.CancelledError:
            # One that is being made is there in some milliseconds, and nobody would have it.
            if not made.cancel() and made.exception() is None:
                made.result().bury()
            raise
        except (SandboxError, OSError):
            # A job that starts by itself may fail as well, and then says why.
            return None
        self._starting.add(runner)
        ready = False
        try:
            ready = not self._closed and await runner.ready() and not self._closed
        finally:
            self._starting.remove(runner)
            if not ready:
                runner.bury()
        return runner if ready else None

    def _deliver(self, stock: _Stock, runner: Runner | None) -> None:
        """Give a runner to the job that waits longest, else put it into stock."""
        while stock.waiting:
            waiting = stock.waiting.popleft()
            if not waiting.done():
                waiting.set_result(runner)
                return
        if runner:
            stock.ready.append(runner)


def _available_memory() -> int:
    for line in Path("/proc/meminfo").read_text("ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
