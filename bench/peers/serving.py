"""What all adapters share: they read cases from a socket and answer each.

This runs in the peers' own environments, so it imports nothing but the standard library.
"""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from bench.memory import peak_bytes

MAX_LINE = 1 << 20


@dataclass(frozen=True)
class Case:
    """One program with its tests, as plain asserts, and how long it may take."""

    code: str
    tests: str
    seconds: int

    @property
    def program(self) -> str:
        """The tests behind the code: how the peers are given tests."""
        return f"{self.code}\n\n{self.tests}"


@dataclass(frozen=True)
class Answer:
    """What came of a case."""

    passed: bool
    seconds: float
    peak_bytes: int
    """The most resident memory that the adapter's own process has had until now."""
    error: str = ""


async def answer_cases(version: str, judge: Callable[[Case], Awaitable[bool]]) -> None:
    """Tell the version, then answer cases until the socket is closed.

    Args:
        version: Of what `judge` uses.
        judge: Says whether a case's code passes its tests; an error means that it does not.
    """
    _raise_open_files()
    reader, writer = await asyncio.open_unix_connection(
        sock=socket.socket(fileno=int(sys.argv[1])), limit=MAX_LINE
    )
    writer.write(json.dumps(version).encode() + b"\n")
    while line := await reader.readline():
        answer = await _answer(Case(**json.loads(line)), judge)
        writer.write(json.dumps(asdict(answer)).encode() + b"\n")
        await writer.drain()


async def _answer(case: Case, judge: Callable[[Case], Awaitable[bool]]) -> Answer:
    passed, said = False, ""
    started = time.perf_counter()
    try:
        passed = await judge(case)
    except Exception as error:  # noqa: BLE001 - a peer says so in an error of its own
        said = f"{type(error).__name__}: {error}"[:500]
    return Answer(passed, time.perf_counter() - started, peak_bytes(), said)


def _raise_open_files() -> None:
    """Let a limit on open files be the peer's merit, not that of the shell that started this."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
