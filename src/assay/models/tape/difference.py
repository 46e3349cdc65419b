"""How two prompts differ, short enough for a person to read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import islice

from assay.domain.message import Prompt

LONGEST_LINE = 120
"""Characters; longer lines are broken, so that it can be seen where they differ."""
MOST_LINES = 24
_MOST_COMPARED = 400
_AROUND = 2


def difference(recorded: Prompt, asked: Prompt) -> str:
    """What has changed: parameters by name, messages as a unified diff of at most a screen."""
    lines = [
        f"{name} was {getattr(recorded, name)} and is now {getattr(asked, name)}"
        for name in ("max_tokens", "temperature", "seed")
        if getattr(recorded, name) != getattr(asked, name)
    ]
    if recorded.messages != asked.messages:
        lines += _messages(_as_lines(recorded), _as_lines(asked))
    return "\n".join(lines)


def _messages(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    # Prompts can be megabytes, and comparing takes the square of what differs.
    start = _same(old, new)
    rest_old, rest_new = old[start:], new[start:]
    end = _same(rest_old[::-1], rest_new[::-1])
    first = max(0, start - _AROUND)
    diff = difflib.unified_diff(
        _cut(old[first : len(old) - end + _AROUND]),
        _cut(new[first : len(new) - end + _AROUND]),
        "on the tape",
        "asked now",
        n=_AROUND,
        lineterm="",
    )
    # The hunks' line numbers would be those of the parts that were compared.
    shown = (line for line in diff if not line.startswith("@@"))
    yield from islice(shown, MOST_LINES)
    if (rest := sum(1 for _ in shown)) > 0:
        yield f"… and {rest} more lines"


def _as_lines(prompt: Prompt) -> list[str]:
    """Each message after the name of its role."""
    lines = []
    for message in prompt.messages:
        lines.append(f"[{message.role}]")
        for line in message.content.split("\n"):
            pieces = range(0, len(line), LONGEST_LINE)
            lines += [line[start : start + LONGEST_LINE] for start in pieces] or [""]
    return lines


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _cut(lines: Sequence[str]) -> Sequence[str]:
    return lines[:_MOST_COMPARED]
