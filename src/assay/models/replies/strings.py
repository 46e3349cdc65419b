"""Where strings over several lines begin and end, so that a fence inside one closes nothing."""

from __future__ import annotations

import re

_PYTHON = re.compile(
    r"""\#.*|'{3}|"{3}|'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?""",
)
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


class MultilineStrings:
    """Follows a program line by line; `inside` says whether the next line starts in a string."""

    def __init__(self, language: str | None) -> None:
        self._language = language
        self._delimiter = ""

    @property
    def inside(self) -> bool:
        """Whether a string is open."""
        return bool(self._delimiter)

    def feed(self, line: str) -> None:
        """Go on by one line."""
        if self._language == "bash":
            self._feed_bash(line)
        elif self._language in {"python", None}:
            self._feed_python(line)

    def _feed_bash(self, line: str) -> None:
        if self._delimiter:
            if line.strip() == self._delimiter:
                self._delimiter = ""
        elif found := _HEREDOC.search(line):
            self._delimiter = found[2]

    def _feed_python(self, line: str) -> None:
        if not self._delimiter and "'''" not in line and '"""' not in line:
            return
        at = 0
        while True:
            if self._delimiter:
                at = _after(line, self._delimiter, at)
                if at < 0:
                    return
                self._delimiter = ""
            found = _PYTHON.search(line, at)
            if not found:
                return
            at = found.end()
            if found[0] in {"'''", '"""'}:
                self._delimiter = found[0]


def _after(line: str, delimiter: str, at: int) -> int:
    """Where the string that is open at `at` ends, -1 where it does not in this line."""
    while (end := line.find(delimiter, at)) >= 0:
        slashes = end
        while slashes > at and line[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end + len(delimiter)
        at = end + 1
    return -1
