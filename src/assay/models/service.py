"""What a service of models is: one call goes in, pieces of a reply come out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from assay.domain.event import PromptProgress, Text
from assay.domain.message import FinishReason, Prompt

MESSAGE_TOKENS = 4
"""What a chat format adds to each message, roughly."""


@dataclass(frozen=True)
class Patience:
    """How long to wait for a service, and how often to ask it."""

    silence_seconds: float = 60.0
    """A stream with neither text nor progress for so long is given up."""
    connect_seconds: float = 10.0
    tries: int = 4
    first_pause_seconds: float = 1.0
    """Doubled with each try."""
    longest_pause_seconds: float = 60.0
    """A service that asks for a longer pause is given up at once."""


@dataclass(frozen=True)
class Alive:
    """The service works, and what it sent is no part of the reply (reasoning, say)."""


@dataclass(frozen=True)
class Counted:
    """Tokens that the service has counted; the last one of a stream holds."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True)
class Ended:
    """The service says that the reply is over."""

    finish_reason: FinishReason


Piece = Text | PromptProgress | Alive | Counted | Ended


class Service(Protocol):
    """What differs between services: how one call is made and what is sent back."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Make one call. A stream without `Ended` is one that was cut.

        Raises:
            Temporary: Another try may succeed.
            AssayError: Another try would be in vain.
        """

    async def aclose(self) -> None:
        """Let go of connections and processes."""
