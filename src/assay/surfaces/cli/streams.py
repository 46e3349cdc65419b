"""The three standard streams, in whatever state the shell has handed them over."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any, TextIO

from assay.errors import OutputError
from assay.visible import visible, visible_json


def prepare_streams() -> None:
    """Make all three usable: closed ones lead nowhere, and no character fails.

    To be called before anything opens a file, which would take the number of a closed stream.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(descriptor, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for good
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def abandon(stream: TextIO) -> None:
    """Lead a stream that nobody reads any more nowhere, so that the flush at exit succeeds."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def complain(text: str) -> None:
    """Write a sentence to stderr, further lines indented; a terminal obeys nothing in it."""
    try:
        print(visible(text).replace("\n", "\n    "), file=sys.stderr, flush=True)
    except OSError:
        abandon(sys.stderr)


def write_out(text: str) -> None:
    """Write to stdout: as its encoding can to a terminal, UTF-8 as it stands to anything else.

    Raises:
        OutputError: it cannot be written.
        BrokenPipeError: whoever read it has left.
    """
    try:
        sys.stdout.flush()
        if sys.stdout.isatty():
            sys.stdout.write(text)
        else:
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        raise OutputError(
            f"The output cannot be written ({error.strerror}). Make room, or lead it elsewhere; "
            "a session and its answer are kept: assay sessions"
        ) from error


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object; nothing in it is obeyed by a terminal.

    Raises:
        OutputError: stdout cannot be written.
        BrokenPipeError: whoever read it has left.
    """
    write_out(visible_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n")


def is_plain(stream: TextIO) -> bool:
    """Whether a stream gets neither colours nor other sequences: NO_COLOR, or no able terminal."""
    able = stream.isatty() and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}
    return not able or bool(os.environ.get("NO_COLOR"))
