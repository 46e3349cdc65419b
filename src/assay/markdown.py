"""Text of others put into Markdown: shown as it stands, and never taken for markup."""

from __future__ import annotations

import re

from assay.visible import visible

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~&@:/.-])")
_FENCES = re.compile(r"`{3,}")


def inline(text: str, most: int = 300) -> str:
    """One line of text in which nothing is markup: no link, mention, tag, table cell or heading."""
    line = " ".join(visible(text).split())
    line = line if len(line) <= most else f"{line[: most - 1]}…"
    return _MARKUP.sub(_entity, line)


def fenced(text: str, language: str = "") -> str:
    """Text as a block of code, whatever it holds."""
    longest = max((len(run) for run in _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    body = "\n".join(visible(line) for line in text.split("\n")).rstrip("\n")
    return f"{fence}{language}\n{body}\n{fence}"


def table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table; cells have to be Markdown already."""
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[1])};"
