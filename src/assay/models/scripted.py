"""A model that answers from a file: for tests, and for trying a flow without a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from assay.domain.data import Data, say_problem
from assay.domain.event import Text
from assay.domain.message import FinishReason, Prompt
from assay.errors import BadInput, ModelFailed
from assay.models.failures import failure_of_status, shortened
from assay.models.service import MESSAGE_TOKENS, Counted, Ended, Piece

CONTEXT_TOKENS = 128_000
_PIECE_CHARACTERS = 24
_TOKEN_CHARACTERS = 4
_ADVICE = 'Each line is JSON for one reply, such as {"text": "Hello."}'


class Tokens(Data):
    """What a scripted reply claims to have used."""

    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)


class ScriptedReply(Data):
    """One line of a script: what one call of the service brings."""

    text: str = ""
    finish_reason: FinishReason = "stop"
    usage: Tokens | None = None
    """None: estimated."""
    error: int | Literal["hang", "cut"] | None = None
    """An HTTP status, or: send the text and then nothing, or break off."""
    retry_after: float | None = Field(default=None, ge=0)
    """Seconds, with an HTTP status."""
    delay: float = Field(default=0, ge=0)
    """Seconds before the reply begins."""
    expect: str | None = None
    """The prompt must contain it."""


class ScriptedService:
    """Gives the replies of a script, one a call, tries counted."""

    def __init__(self, path: Path, *, given: int = 0) -> None:
        """Read a script.

        Args:
            path: A file of one JSON object a line.
            given: How many of its replies have been given already, by another process.

        Raises:
            BadInput: The file is missing, or no script.
        """
        self._path = path
        self._replies = _read(path)
        self._given = given

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Give the next reply in pieces."""
        reply = self._next(prompt)
        await asyncio.sleep(reply.delay)
        if isinstance(reply.error, int):
            raise failure_of_status(
                reply.error,
                service=f"scripted:{self._path}",
                detail=reply.text,
                retry_after=reply.retry_after,
            )
        for start in range(0, len(reply.text), _PIECE_CHARACTERS):
            yield Text(text=reply.text[start : start + _PIECE_CHARACTERS])
            await asyncio.sleep(0)
        if reply.error == "hang":
            await asyncio.Event().wait()
        if reply.error == "cut":
            return
        yield _counted(prompt, reply)
        yield Ended(reply.finish_reason)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _next(self, prompt: Prompt) -> ScriptedReply:
        if self._given >= len(self._replies):
            replies = "1 reply" if len(self._replies) == 1 else f"{len(self._replies)} replies"
            raise ModelFailed(
                f"The script {self._path} has only {replies}, and one more was asked "
                "for. Add a line to it, or allow fewer --attempts."
            )
        reply = self._replies[self._given]
        self._given += 1
        text = "\n".join(message.content for message in prompt.messages)
        if reply.expect is not None and reply.expect not in text:
            raise ModelFailed(
                f"Line {self._given} of the script {self._path} expects a prompt with "
                f"“{shortened(reply.expect, 80)}”, and the prompt does not have it."
            )
        return reply


def _counted(prompt: Prompt, reply: ScriptedReply) -> Counted:
    if reply.usage is not None:
        return Counted(**reply.usage.model_dump())
    counts = [_tokens(message.content) + MESSAGE_TOKENS for message in prompt.messages]
    return Counted(input_tokens=sum(counts), output_tokens=_tokens(reply.text))


def _tokens(text: str) -> int:
    """Estimate by length: nothing of a script is worth the memory of a tokenizer."""
    return -(-len(text) // _TOKEN_CHARACTERS)


def _read(path: Path) -> list[ScriptedReply]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BadInput(f"The script {path} cannot be read: {why}. Check its path.") from error
    replies = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            replies.append(ScriptedReply.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "the line"
            raise BadInput(
                f"Line {number} of the script {path} is no reply: {where}: {say_problem(first)}. "
                f"{_ADVICE}"
            ) from error
    if not replies:
        raise BadInput(f"The script {path} is empty. {_ADVICE}")
    return replies
