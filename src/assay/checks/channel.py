"""Messages that came through a run's channel: one JSON object a line, from hostile code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assay.sandbox.protocol import Run

MAX_MESSAGE = 1_100_000
"""Bytes; our drivers send less."""

MAX_TEXT = 2_000
"""Characters of one text; our drivers send no longer ones."""


class BadChannel(Exception):
    """Something that none of our drivers sends."""


def read_messages(run: Run) -> Iterator[dict[str, Any]]:
    """The messages of a run, in order, one parsed at a time.

    A last line without its end is left out: the run was stopped in the midst of it.

    Raises:
        BadChannel: there is a line that is no message, or more came than is kept.
    """
    if run.channel_cut:
        raise BadChannel("more was written to it than is kept")
    start = 0
    while (end := run.channel.find(b"\n", start)) >= 0:
        if end - start > MAX_MESSAGE:
            raise BadChannel("a message is too long")
        try:
            message = json.loads(run.channel[start:end])
        except (ValueError, RecursionError) as error:
            raise BadChannel("a line is not JSON") from error
        if not isinstance(message, dict):
            raise BadChannel("a line is not an object")
        yield message
        start = end + 1


def text_of(message: dict[str, Any], key: str) -> str:
    """The beginning of a text of a message; empty where it is none."""
    value = message.get(key)
    return value[:MAX_TEXT] if isinstance(value, str) else ""
