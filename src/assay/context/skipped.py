"""What was left out, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.domain.task import DocumentPage


@dataclass(frozen=True)
class Skipped:
    """A page, file or attachment that was left out; the rest goes on without it."""

    source: str
    """Path or URL, fit to be printed on one line."""
    reason: str
    """The end of a sentence that begins with the source: "is a folder"."""


Emit = Callable[[DocumentPage | Skipped], None]
"""Gets what a source gives, piece by piece."""


class Unreadable(Exception):
    """One page or file cannot be read. Stays inside this package and ends as a `Skipped`.

    Its text is the reason.
    """


def printable(text: str) -> str:
    """`text` with control characters and undecodable bytes as escapes, so that it is one line."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
