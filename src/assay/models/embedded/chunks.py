"""What llama.cpp's server sends, read into pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assay.domain.event import PromptProgress, Text
from assay.domain.message import FinishReason
from assay.models.failures import cut_stream, failure_of_status
from assay.models.service import Alive, Counted, Ended, Piece

_FINISH_REASONS: dict[str, FinishReason] = {"stop": "stop", "length": "length"}


def pieces_of_line(line: str, service: str) -> Iterator[Piece]:
    """The pieces in one line of a server-sent event stream.

    Args:
        line: Without its end.
        service: The model's name, for messages.

    Raises:
        Temporary: The server reports an error that may pass.
        AssayError: The server reports an error that stays.
    """
    if line.startswith("error:"):
        raise failure_of_body(500, line.removeprefix("error:"), service)
    if not line.startswith("data:"):
        # Comments keep the connection awake while the server works.
        if line.startswith(":"):
            yield Alive()
        return
    data = line.removeprefix("data:").strip()
    if data == "[DONE]":
        return
    try:
        chunk = json.loads(data)
        if "error" not in chunk:
            yield from _pieces_of_chunk(chunk)
            return
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise cut_stream(service) from error
    raise failure_of_body(500, data, service)


def failure_of_body(status: int, body: str, service: str) -> Exception:
    """What to raise for an error that the server reports as JSON, with its own code if it has one.

    Args:
        status: The HTTP status.
        body: What came with it.
        service: The model's name, for messages.
    """
    try:
        error = json.loads(body)["error"]
        code, kind = int(error.get("code", status)), str(error.get("type", ""))
        said = str(error["message"])
    except (ValueError, LookupError, TypeError, AttributeError):
        code, kind, said = status, "", body
    return failure_of_status(code, service=service, detail=f"{said} ({kind})" if kind else said)


def _pieces_of_chunk(chunk: dict[str, Any]) -> Iterator[Piece]:
    progress = chunk.get("prompt_progress")
    if progress is not None:
        yield PromptProgress(done=progress["processed"], total=progress["total"])
    for choice in chunk.get("choices", ()):
        text = choice["delta"].get("content")
        if text:
            yield Text(text=text)
        reason = choice.get("finish_reason")
        if reason is not None:
            yield Ended(_FINISH_REASONS.get(reason, "other"))
    if chunk.get("usage") is not None:
        yield _counted(chunk["usage"])


def _counted(usage: dict[str, Any]) -> Counted:
    details = usage.get("prompt_tokens_details") or {}
    return Counted(
        input_tokens=usage["prompt_tokens"],
        output_tokens=usage["completion_tokens"],
        cached_tokens=details.get("cached_tokens", 0),
    )
