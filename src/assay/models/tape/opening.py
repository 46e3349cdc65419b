"""Putting a tape between a session and its model, and what is to be said of it afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from assay.domain.answer import Answer, ErrorInfo
from assay.errors import BadInput, OutputError
from assay.models.model import Model
from assay.models.tape.format import read_tape
from assay.models.tape.recording import RecordingModel, check_free
from assay.models.tape.replaying import ReplayedModel
from assay.models.tape.secrets import Secrets


async def open_taped(
    open_model: Callable[[], Awaitable[Model]],
    *,
    record: Path | None,
    replay: Path | None,
    secrets: Secrets,
) -> Model:
    """Open a model, recorded where that is wanted; or none, where a tape is played.

    Args:
        open_model: Opens the model; not called for a replay, which needs neither key nor weights.
        record: Where to write a tape.
        replay: The tape that is played.
        secrets: What is never written on a tape.

    Raises:
        BadInput: Both are wanted.
        TapeError: The tape cannot be read, or not be made.
        AssayError: What `open_model` raises.
    """
    if record is not None and replay is not None:
        raise BadInput("A session is either recorded or replayed. Leave one of the two out.")
    if replay is not None:
        return ReplayedModel(await asyncio.to_thread(read_tape, replay), secrets)
    if record is not None:
        check_free(record)
    model = await open_model()
    return model if record is None else RecordingModel(model, record, secrets)


def with_remarks(answer: Answer, model: Model) -> Answer:
    """The answer with what is to be said of its tape; an earlier error is the one that counts."""
    if answer.error is not None:
        return answer
    match model:
        case RecordingModel(failure=OutputError() as unwritten):
            error = ErrorInfo(kind=unwritten.kind, message=unwritten.message)
            return answer.model_copy(update={"error": error})
        case ReplayedModel(left=left) if left:
            calls = "1 call" if left == 1 else f"{left} calls"
            said = f"The session ended with {calls} of the tape not asked for: it has changed."
            return answer.model_copy(update={"advice": (*answer.advice, said)})
        case _:
            return answer
