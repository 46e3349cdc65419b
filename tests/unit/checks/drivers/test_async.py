"""Coroutines of both sides, awaited on the other."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator

import pytest

from assay.checks.drivers.assay_link.remote import Remote

Judge = Callable[[str, str], Remote]

SOLUTION = """
import asyncio
log = []
async def fetch(x, delay=0.01):
    await asyncio.sleep(delay)
    return x * 2
async def fail():
    await asyncio.sleep(0)
    raise ValueError("no")
async def count(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
class Connection:
    async def __aenter__(self):
        self.is_open = True
        return self
    async def __aexit__(self, *error):
        self.is_open = False
class Later:
    def __await__(self):
        yield from asyncio.sleep(0.001).__await__()
        return 7
async def call(callback, *args): return await callback(*args)
async def gather(awaitables): return await asyncio.gather(*awaitables)
async def forever():
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise
async def consume(queue): return [await queue.get() for _ in range(2)]
def run(coroutine): return asyncio.run(coroutine)
async def meet(mine, other):
    mine.set()
    await other.wait()
    return "met"
"""
CASES = {
    "a coroutine": "assert asyncio.run(fetch(2)) == 4",
    "an error": """
async def main():
    try:
        await fail()
    except ValueError as error:
        return str(error)
assert asyncio.run(main()) == "no"
""",
    "an asynchronous generator": """
async def main(): return [x async for x in count(3)]
assert asyncio.run(main()) == [0, 1, 2]
""",
    "an asynchronous context manager": """
async def main():
    async with Connection() as connection:
        assert connection.is_open
    assert not connection.is_open
asyncio.run(main())
""",
    "an object that can be awaited": """
async def main(): return await Later()
assert asyncio.run(main()) == 7
""",
    "an asynchronous callback": """
async def callback(x):
    await asyncio.sleep(0.001)
    return x + 1
assert asyncio.run(call(callback, 1)) == 2
assert asyncio.run(call(lambda: fetch(3))) == 6
""",
    "coroutines of both sides": """
async def own(x): return x + 1
async def main():
    return await gather([fetch(1), own(1)]), await asyncio.gather(fetch(2), own(2))
assert asyncio.run(main()) == ([2, 2], [4, 3])
""",
    "concurrency": """
async def main():
    a, b = asyncio.Event(), asyncio.Event()
    return await asyncio.gather(meet(a, b), meet(b, a))
assert asyncio.run(main()) == ["met", "met"]
""",
    "cancelling": """
async def main():
    task = asyncio.create_task(forever())
    await asyncio.sleep(0.01)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return True
assert asyncio.run(main())
assert log == ["cancelled"]
""",
    "time that is up": """
async def main():
    try:
        await asyncio.wait_for(forever(), 0.02)
    except asyncio.TimeoutError:
        return True
assert asyncio.run(main())
assert log == ["cancelled"]
""",
    "a queue": """
async def produce(queue):
    for i in range(2):
        await queue.put(i)
async def main():
    queue = asyncio.Queue()
    return (await asyncio.gather(consume(queue), produce(queue)))[0]
assert asyncio.run(main()) == [0, 1]
""",
    "a coroutine of the tests that the solution runs": """
async def own():
    await asyncio.sleep(0.001)
    return 5
assert run(own()) == 5
""",
    "what it is": """
import inspect
assert asyncio.iscoroutinefunction(fetch) and not asyncio.iscoroutinefunction(run)
coroutine = fetch(1)
assert inspect.iscoroutine(coroutine)
coroutine.close()
""",
}


@pytest.fixture(autouse=True)
def _no_loop_is_left() -> Iterator[None]:
    yield
    loops = [value for value in gc.get_objects() if isinstance(value, asyncio.AbstractEventLoop)]
    assert all(loop.is_closed() for loop in loops)


@pytest.mark.parametrize("case", CASES)
def test_awaiting_works_across_the_link(judge: Judge, case: str) -> None:
    assert judge(SOLUTION, "import asyncio\n" + CASES[case]).ended is None
