"""What the solution prints, kept until the next message takes it to the tests."""

from __future__ import annotations

import io
import sys
from typing import Any

MAX_KEPT = 1_000_000
"""Bytes between two messages; what is more is dropped, with a mark."""


class _Kept(io.BytesIO):
    """Keeps what is written, up to a limit."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self._dropped = False

    def write(self, data: Any) -> int:
        if self.tell() + len(data) <= MAX_KEPT:
            return super().write(data)
        self._dropped = True
        return len(data)

    def fileno(self) -> int:
        return self._number

    def take(self) -> str:
        """What was written since the last time."""
        if not self.tell():
            return ""
        text = self.getvalue().decode("utf-8", "backslashreplace")
        self.seek(0)
        self.truncate()
        if self._dropped:
            text += "\n[more was printed than is kept]\n"
            self._dropped = False
        return text


class Output:
    """Stands in for `sys.stdout` and `sys.stderr`."""

    def __init__(self) -> None:
        self._stdout, self._stderr = _Kept(1), _Kept(2)
        sys.stdout, sys.stderr = _text(self._stdout), _text(self._stderr)

    def take(self) -> tuple[str, str]:
        """What was printed since the last time."""
        return self._stdout.take(), self._stderr.take()


def _text(kept: _Kept) -> io.TextIOWrapper:
    return io.TextIOWrapper(kept, "utf-8", "backslashreplace", newline="\n", write_through=True)
