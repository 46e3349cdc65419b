"""What the store tells about sessions, besides their events."""

from __future__ import annotations

from enum import StrEnum

from assay.domain.answer import Status
from assay.domain.data import Data, Moment
from assay.domain.message import Message, Reply
from assay.domain.task import Task
from assay.domain.usage import Usage

_TITLE_LENGTH = 200


class SessionState(StrEnum):
    """Where a session stands, by its last event."""

    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    """It has no end, and the process that ran it is gone."""


class SessionRecord(Data):
    """What a session was begun with."""

    id: str
    flow: str
    model: str
    base_url: str | None = None
    """The address of the model's service where one was given, without what it says of a user."""
    task: Task
    prepared: str | None = None
    """What was prepared for its prompts, as the flow wrote it; None: it came not so far."""


class SessionSummary(Data):
    """A session in one line."""

    id: str
    created: Moment
    title: str
    """The first line of the instructions."""
    flow: str
    model: str
    state: SessionState
    status: Status | None = None
    """Of the answer; None where there is none."""
    headline: str = ""
    """Of the answer, or what went wrong."""
    usage: Usage = Usage()
    """Of the calls that have ended."""
    follows: str | None = None
    """The session that this one follows."""
    resumable: bool = False
    """Whether `assay resume` can go on with it."""


class StoredReply(Data):
    """A reply with the prompt that it answers, as it was sent."""

    step: str
    attempt: int
    role: str
    prompt_hash: str
    time: Moment
    messages: tuple[Message, ...]
    reply: Reply


def title_of(instructions: str) -> str:
    """The first line of the instructions, shortened."""
    lines = instructions.strip().splitlines()
    return lines[0][:_TITLE_LENGTH] if lines else ""
