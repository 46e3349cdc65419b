"""What is said to a model, and what it says."""

from __future__ import annotations

from typing import Literal

from assay.domain.data import Data
from assay.domain.usage import Usage

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "other"]


class Message(Data):
    """One message of a prompt."""

    role: Role
    content: str


class Prompt(Data):
    """What a model is asked, and how."""

    messages: tuple[Message, ...]
    role: str | None = None
    """The agent's that asks, which may have a model of its own."""
    max_tokens: int | None = None
    """The longest reply in tokens; None leaves it to the model."""
    temperature: float = 0.0
    """0 takes the likeliest token each time."""
    seed: int | None = None
    """Makes sampling repeatable where the service can."""


class Reply(Data):
    """One whole reply of a model."""

    text: str
    finish_reason: FinishReason | None = None
    """None where the end is unknown (a reply pasted from a chat, say)."""
    model: str = ""
    """The `provider:model` that answered."""
    usage: Usage = Usage()
