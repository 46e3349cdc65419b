"""What a language model is to the rest of Assay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from assay.domain.event import PromptProgress, Retrying, Text
from assay.domain.message import Prompt, Reply
from assay.domain.usage import Usage
from assay.models.prices import Price

Progress = PromptProgress | Text | Retrying
"""What is seen of a call while it runs. After `Retrying` the reply starts from nothing again."""

OnProgress = Callable[[Progress], None]


class Model(Protocol):
    """One model that can be asked."""

    @property
    def name(self) -> str:
        """`provider:model`."""

    @property
    def context_tokens(self) -> int:
        """How many tokens prompt and reply may have together."""

    @property
    def is_embedded(self) -> bool:
        """Whether it runs on this machine's own processors, inside Assay."""

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known."""

    async def complete(self, prompt: Prompt, on_progress: OnProgress) -> Reply:
        """Ask once, trying again where the service refuses for now.

        Args:
            prompt: What is asked.
            on_progress: Is told of each piece of text and each sign of life.

        Returns:
            The whole reply; `finish_reason` is "length" where `max_tokens` cut it.

        Raises:
            ModelError: No reply could be had. `models.model.usage_of` says what it has cost.
            BadInput: The prompt does not fit into the model's window.
        """

    async def aclose(self) -> None:
        """Let go of connections and processes. The model cannot be asked afterwards."""


def usage_of(error: BaseException) -> Usage:
    """What the call that ended with `error` has used; nothing where no call was made."""
    usage = vars(error).get("usage")
    return usage if isinstance(usage, Usage) else Usage()


def note_usage(error: BaseException, usage: Usage) -> None:
    """Let `usage_of(error)` find what the call has used."""
    vars(error)["usage"] = usage
