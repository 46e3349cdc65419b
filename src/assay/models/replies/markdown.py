"""A reply taken apart into prose and blocks of code, in one pass over its lines.

CommonMark's rules for fences are the start. Models break them: they put fences into strings,
leave them open, indent or quote them. So a fence inside a string of the program closes nothing,
and a named fence inside a program starts the next block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.domain.languages import find_language
from assay.errors import ReplyError
from assay.models.replies.naming import Info, looks_like_file, read_info
from assay.models.replies.strings import MultilineStrings

_BLANK = "[\\s\u200b\u200c\u200d\u2060\ufeff]*"
_OPENING = re.compile(
    rf"(?P<margin>{_BLANK}(?:>{_BLANK})*)(?:(?:[-*+]|\d{{1,3}}[.)])\s+)?"
    r"(?P<fence>`{3,}|~{3,})(?P<info>.*)"
)
_OPENING_LATE = re.compile(r"(?P<before>[^`]*[^`\s])\s*(?P<fence>```)\s*(?P<info>[\w+#-]+)\s*")
_ONE_LINE = re.compile(r"\s*```+(?P<content>[^`]+)```+\s*")
_TAG = re.compile(
    r"\s*(?:<(?P<name>file|code|answer)\b(?P<attributes>[^<>]*)>|\[(?P<square>PYTHON)\])(?P<rest>.*)"
)
_MARK = re.compile(r"```|~~~|<[fca]|\[P")
_MOST_BLOCKS = 1000
_NESTING = {"markdown", "text", "html"}
_MOST_RETURNS = 3


@dataclass(frozen=True)
class Block:
    """One block of code, with the prose between the block before and itself."""

    info: Info
    code: str
    before: str = ""
    closed: bool = True


@dataclass(frozen=True)
class Document:
    """A reply's blocks, and the prose after the last one."""

    blocks: tuple[Block, ...]
    after: str

    @property
    def prose(self) -> str:
        """The text without blocks."""
        return "\n".join([*(block.before for block in self.blocks), self.after]).strip()


def read_document(text: str) -> Document:
    """Take `text` apart.

    Raises:
        ReplyError: it has too many blocks.
    """
    if not _MARK.search(text):
        return Document((), text)
    return _Scanner(text, with_tags=True).read()


class _Scanner:
    def __init__(self, text: str, *, with_tags: bool) -> None:
        self._lines = text.split("\n")
        self._with_tags = with_tags
        self._at = 0
        self._prose: list[str] = []
        self._blocks: list[Block] = []
        self._begun = 0
        self._returns = 0

    def read(self) -> Document:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if not (_MARK.search(line) and self._take_block(line)):
                self._prose.append(line)
        return Document(tuple(self._blocks), "\n".join(self._prose))

    def _take_block(self, line: str) -> bool:
        """Read the block that begins in `line`, if one does; `_at` is the line after."""
        if found := _ONE_LINE.fullmatch(line):
            self._count()
            self._add(*_one_line(found["content"]))
            return True
        if (found := _OPENING.fullmatch(line)) and not (
            found["fence"][0] == "`" and "`" in found["info"]
        ):
            self._fenced(found["margin"], found["fence"], read_info(found["info"]))
            return True
        if (found := _OPENING_LATE.fullmatch(line)) and find_language(found["info"]):
            self._prose.append(found["before"])
            self._fenced("", found["fence"], read_info(found["info"]))
            return True
        if self._with_tags and (found := _TAG.fullmatch(line)):
            return self._tagged(found)
        return False

    def _count(self) -> None:
        self._begun += 1
        if self._begun > _MOST_BLOCKS:
            raise ReplyError(
                f"The reply has more than {_MOST_BLOCKS} blocks of code."
                " Send the program alone, each file in one block."
            )

    def _fenced(self, margin: str, fence: str, info: Info) -> None:
        self._count()
        strings = MultilineStrings(info.language)
        closing = re.compile(rf"[\s>\u200b\ufeff]*{fence[0]}{{{len(fence)},}}(?P<rest>.*)")
        start, depth = self._at, 0
        way_back: int | None = None
        while self._at < len(self._lines):
            line = self._lines[self._at]
            found = closing.fullmatch(line)
            rest = found["rest"].strip() if found else ""
            if found and strings.inside:
                way_back = self._at if way_back is None and not rest else way_back
            elif found and not rest and depth:
                way_back = self._at if way_back is None else way_back
                depth -= 1
            elif found and not rest:
                self._close(margin, info, start, self._at)
                return
            elif found and "`" not in rest and _names_block(rest):
                if info.language not in _NESTING:
                    self._open_end(margin, info, start)
                    return
                depth += 1
            elif found and not (info.language in _NESTING or "`" in rest):
                self._close(margin, info, start, self._at)
                self._prose.append(rest)
                return
            elif self._ends_in_fence(line, fence, strings, info):
                self._lines[self._at] = line.rstrip()[: -len(fence)]
                self._add(info, _without_margin(self._lines[start : self._at + 1], margin))
                self._at += 1
                return
            strings.feed(line)
            self._at += 1
        if way_back is not None and self._returns < _MOST_RETURNS:
            # The string or the inner fence never ended: the first bare fence was the end.
            self._returns += 1
            self._close(margin, info, start, way_back)
            return
        self._open_end(margin, info, start)

    @staticmethod
    def _ends_in_fence(line: str, fence: str, strings: MultilineStrings, info: Info) -> bool:
        """Whether the fence was forgotten a line of its own: `print(1)` and the fence."""
        return (
            fence in line
            and info.language == "python"
            and not strings.inside
            and line.rstrip().endswith(fence)
            and line.count(fence[0]) == len(fence)
            and "#" not in line
        )

    def _close(self, margin: str, info: Info, start: int, end: int) -> None:
        self._add(info, _without_margin(self._lines[start:end], margin))
        self._at = end + 1

    def _open_end(self, margin: str, info: Info, start: int) -> None:
        """The block was never closed: it ends where the next begins, or with the reply."""
        code = _without_margin(self._lines[start : self._at], margin)
        if code.strip() or self._at == len(self._lines):
            self._add(info, code, closed=self._at < len(self._lines))

    def _tagged(self, found: re.Match[str]) -> bool:
        name = found["square"] or found["name"]
        closing = f"[/{name}]" if found["square"] else f"</{name}>"
        info = Info("python") if found["square"] else read_info(found["attributes"])
        if name == "file" and not info.path:
            return False
        self._count()
        content = [found["rest"]]
        while closing not in content[-1] and self._at < len(self._lines):
            content.append(self._lines[self._at])
            self._at += 1
        content[-1], ended, after = content[-1].partition(closing)
        inner = _Scanner("\n".join(content), with_tags=False).read().blocks
        if inner:
            info = Info(inner[0].info.language or info.language, info.path or inner[0].info.path)
        code = inner[0].code if inner else "\n".join(content).strip("\n")
        self._add(info, code, closed=bool(ended))
        self._prose.append(after)
        return True

    def _add(self, info: Info, code: str, closed: bool = True) -> None:
        before = "\n".join(self._prose)
        self._prose.clear()
        self._blocks.append(Block(info, code, before, closed))


def _names_block(rest: str) -> bool:
    """Whether the text after a fence inside a block starts another block."""
    first = rest.split(maxsplit=1)[0].strip("{}.").partition(":")[0]
    return find_language(first) is not None or looks_like_file(rest) or "=" in rest


def _one_line(content: str) -> tuple[Info, str]:
    first, _, rest = content.strip().partition(" ")
    if rest.strip() and find_language(first):
        return read_info(first), rest.strip()
    return Info(), content.strip()


def _without_margin(lines: list[str], margin: str) -> str:
    """The lines without the indentation or quote marks that their opening fence has."""
    quotes = margin.count(">")
    if quotes:
        mark = re.compile(rf"(?:\s{{0,3}}>){{1,{quotes}}} ?")
        lines = [mark.sub("", line, count=1) if mark.match(line) else line for line in lines]
    elif margin and all(line.startswith(margin) for line in lines if line.strip()):
        lines = [line[len(margin) :] if line.strip() else "" for line in lines]
    return "\n".join(lines)
