"""The process in which strangers' documents are parsed, seen from outside."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from types import TracebackType
from typing import Self

from assay.context.conversion import Converted, Document, Failure, convert
from assay.context.kinds import Kind
from assay.context.skipped import Unreadable
from assay.domain.limits import MIB

SECONDS = 30
"""How long one document may take."""
_ANSWER_BYTES = 128 * MIB
_PARSED_APART = frozenset({Kind.HTML, Kind.NOTEBOOK, Kind.PDF})


class Converter:
    """Converts documents; one that hangs or eats memory costs a process, not this one.

    The process starts with the first document that needs it and serves all that follow. Use it as
    an async context manager; it may be used from several tasks.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: Process | None = None
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stop()

    async def convert(self, document: Document) -> Converted:
        """Convert a document to Markdown.

        Raises:
            Unreadable: it is not what its kind says, has no text, or takes too much time or
                memory.
        """
        if document.kind not in _PARSED_APART:
            return await asyncio.to_thread(convert, document)
        async with self._lock:
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await self._ask(document)
            except TimeoutError:
                await self._stop()
                raise Unreadable(f"takes longer than {self._seconds:g} s to be read") from None
            except BaseException:
                # Cancelled between question and answer: the next one would get this answer.
                await self._stop()
                raise
        if not answer:
            await self._stop()
            raise Unreadable("made its parser crash")
        name, fields = json.loads(answer)
        if name == Failure.__name__:
            raise Unreadable(Failure.model_validate(fields).reason)
        return Converted.model_validate(fields)

    async def _ask(self, document: Document) -> bytes:
        if self._process is None:
            # -P: a module in the current folder must not stand in for a parser.
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "assay.context.conversion"),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                limit=_ANSWER_BYTES,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - both are pipes
        assert stdout is not None  # noqa: S101
        try:
            stdin.write(document.model_dump_json().encode() + b"\n")
            await stdin.drain()
            return await stdout.readline()
        except (BrokenPipeError, ConnectionResetError):
            return b""

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                process.kill()
            await process.wait()
