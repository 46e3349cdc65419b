"""The little that has to be known about Markdown: fences, headings, titles, links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_UNDERLINE = re.compile(r"([=\-~^*#+])\1{2,}\s*")
_BACKTICKS = re.compile(r"`{3,}")
_LINK = re.compile(r"\]\(<?([^\s()<>]{1,2000})")


@dataclass(frozen=True)
class Block:
    """A piece of Markdown that is not cut any further."""

    kind: Literal["heading", "fence", "text"]
    text: str
    """Without a line break at the end."""

    @property
    def heading(self) -> str:
        """A heading's words."""
        match = _HEADING.match(self.text)
        words = match.group(1) if match else self.text.split("\n", 1)[0]
        return words.strip().rstrip("#").strip()


def fenced(code: str, language: str = "") -> str:
    """Put code between fences that are longer than any inside it."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code.strip(chr(10))}\n{fence}"


def fenced_pieces(code: str, language: str, longest: int) -> str:
    """Source code as several fences, each begun where a new definition seems to begin.

    Args:
        code: A source file.
        language: What the fences are marked with.
        longest: A fence ends at the first such place after this many characters.
    """
    pieces: list[list[str]] = [[]]
    length = 0
    blank = False
    for line in code.split("\n"):
        if blank and length > longest and line[:1].strip():
            pieces.append([])
            length = 0
        pieces[-1].append(line)
        length += len(line) + 1
        blank = not line.strip()
    return "\n\n".join(fenced("\n".join(piece), language) for piece in pieces)


def blocks(text: str, longest: int | None = None) -> Iterator[Block]:
    """Cut Markdown into headings, whole fences, and paragraphs. Linear in the text's length.

    Args:
        text: Markdown.
        longest: Paragraphs with more characters are cut at line breaks, or within a line where
            that alone is longer. None: they stay whole.
    """
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        start = at
        if not lines[at].strip():
            at += 1
        elif fence := _FENCE.match(lines[at]):
            at = _end_of_fence(lines, at + 1, fence.group(1))
            yield Block("fence", "\n".join(lines[start:at]))
        elif _HEADING.match(lines[at]):
            at += 1
            yield Block("heading", lines[start])
        else:
            while at < len(lines) and _continues_paragraph(lines[at]):
                at += 1
            if at - start == 2 and _UNDERLINE.fullmatch(lines[at - 1]):
                yield Block("heading", "\n".join(lines[start:at]))
            else:
                yield from (Block("text", part) for part in _cut(lines[start:at], longest))


def _cut(lines: list[str], longest: int | None) -> Iterator[str]:
    """A paragraph in pieces of at most `longest` characters."""
    if longest is None:
        yield "\n".join(lines)
        return
    piece: list[str] = []
    length = 0
    for line in lines:
        for start in range(0, len(line), longest):
            text = line[start : start + longest]
            if piece and length + len(text) > longest:
                yield "\n".join(piece)
                piece, length = [], 0
            piece.append(text)
            length += len(text) + 1
    yield "\n".join(piece)


def _continues_paragraph(line: str) -> bool:
    return bool(line.strip()) and not _FENCE.match(line) and not _HEADING.match(line)


def _end_of_fence(lines: list[str], at: int, fence: str) -> int:
    """Number of the line after the one that closes `fence`, or after the last one."""
    while at < len(lines):
        closing = _FENCE.match(lines[at])
        at += 1
        if closing and closing.group(1).startswith(fence) and not closing.group(2).strip():
            break
    return at


def title_of(text: str) -> str:
    """The words of the first heading, or nothing."""
    return next((block.heading for block in blocks(text) if block.kind == "heading"), "")


def links_of(text: str) -> tuple[str, ...]:
    """Targets of the inline links in Markdown, each once, in order."""
    return tuple(dict.fromkeys(_LINK.findall(text)))


def split_front_matter(text: str) -> tuple[str, str]:
    """Take the front matter off: the title that stands in it, and the text after it."""
    if not text.startswith("---\n"):
        return "", text
    end = text.find("\n---\n", 3)
    if end == -1:
        return "", text
    title = re.search(r"^title:[ \t]*(\S.*)$", text[4:end], re.MULTILINE)
    return title.group(1).strip().strip("\"'") if title else "", text[end + 5 :].lstrip("\n")
