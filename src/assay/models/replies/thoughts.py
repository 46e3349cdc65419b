"""What a model says to the reader, without what it says to itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from assay.models.replies.naming import read_info
from assay.models.replies.strings import MultilineStrings
from assay.models.replies.text import END_OF_TURN

_TAG = re.compile(
    r"(?<!['\"])(?<!(?<!`)`)(?:<(/?)(think|thinking|thought|thoughts|reasoning|scratchpad)>|\[(/?)(THINK)\])"
)
_FENCE = re.compile(r"[\s>]*(`{3,}|~{3,})[ \t]*([^`]*)")


@dataclass(frozen=True)
class Speech:
    """A reply's text without thoughts; `thought_open` where the last thought has no end."""

    text: str
    thought_open: bool = False


def without_thoughts(text: str) -> Speech:
    """Leave thoughts out, and whatever follows the end of the model's turn.

    A tag inside a fence is part of a program. A closing tag whose opening one stood in the prompt
    makes a thought of everything before it. A thought that never ends is left in, since some
    models answer inside of it.
    """
    if not _TAG.search(text) and not END_OF_TURN.search(text):
        return Speech(text)
    return _Listener(text.split("\n")).listen()


class _Listener:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._column = 0
        self._spoken: list[str] = []
        self._fence = ""
        self._strings = MultilineStrings(None)
        self._open = False
        self._first: dict[str, int] = {}
        self._ends: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            for found in _TAG.finditer(line) if "<" in line or "[" in line else ():
                closes, name = _read_tag(found)
                if not closes:
                    self._first.setdefault(name, number)
                elif self._ends.setdefault(name, [-1])[-1] != number:
                    self._ends[name].append(number)

    def listen(self) -> Speech:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if ("<" in line or "[" in line) and self._skip(line):
                continue
            turn = END_OF_TURN.search(line, self._column)
            spoken = line[self._column : turn.start() if turn else None]
            self._follow_fence(spoken)
            if turn and not self._fence:
                self._spoken.append(spoken)
                break
            self._spoken.append(line[self._column :])
            self._at, self._column = self._at + 1, 0
        return Speech("\n".join(self._spoken), self._open)

    def _follow_fence(self, line: str) -> None:
        found = _FENCE.fullmatch(line)
        if found and not self._fence:
            self._fence = found[1]
            self._strings = MultilineStrings(read_info(found[2]).language)
        elif found and found[1].startswith(self._fence) and not (found[2] or self._strings.inside):
            self._fence = ""
        elif self._fence:
            self._strings.feed(line)

    def _skip(self, line: str) -> bool:
        """Go on behind the thought that begins or ends in the rest of `line`, if one does."""
        if self._open and not self._ends:
            return False
        for found in _TAG.finditer(line, self._column):
            closes, name = _read_tag(found)
            if closes:
                if not self._is_stray_end(line, found, name):
                    return False
                self._spoken.clear()
                self._fence = ""
                self._column = found.end()
                return True
            if self._fence or line[self._column : found.start()].strip():
                return False
            end = self._end_of_thought(name, found.end())
            if end:
                self._at, self._column = end
                return True
            self._open = True
            return False
        return False

    def _is_stray_end(self, line: str, found: re.Match[str], name: str) -> bool:
        """Whether a closing tag ends a thought that began in the prompt, and is no program's."""
        if not self._fence:
            return '{"' not in line[self._column : found.start()]
        in_prompt = self._first.get(name, self._at + 1) > self._at
        return in_prompt and line.strip() == found[0] and not self._strings.inside

    def _end_of_thought(self, name: str, column: int) -> tuple[int, int] | None:
        """Line and column behind the next closing tag."""
        ends = self._ends.get(name, [])
        for end in ends[bisect_left(ends, self._at) :][:2]:
            for found in _TAG.finditer(self._lines[end], column if end == self._at else 0):
                if _read_tag(found) == (True, name):
                    return end, found.end()
        return None


def _read_tag(found: re.Match[str]) -> tuple[bool, str]:
    return bool(found[1] or found[3]), found[2] or found[4]
