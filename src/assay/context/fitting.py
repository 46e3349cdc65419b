"""Fitting documentation into a prompt: whole, or the best parts of it."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count, groupby

from assay.context.boundary import enclose
from assay.context.markdown import blocks
from assay.domain.task import DocumentPage
from assay.tokens import count_tokens

PART_CHARACTERS = 1600
"""A part ends at a heading, or where it would grow longer than this; only code may exceed it."""
QUERY_CHARACTERS = 100_000
QUERY_WORDS = 200
"""How much of a long question is looked at, and how many different words are looked for."""
PART_TOKENS = 8
"""At most what one more part costs besides its own text: marks of gaps, line breaks."""

# Words that say nothing about the subject. In few pages they would be rare enough to weigh.
_COMMON_WORDS = (
    "a about all also am an and any are as at be been but by can could did do does for from had"
    " has have how i if in into is it its me my no not of on or our should so some such that the"
    " their them then there these they this to us use used using want was we were what when where"
    " which while who why will with would you your"
)
_WORD = re.compile(r"\w+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = "[…]"


@dataclass(frozen=True)
class Fitted:
    """Documentation as it goes into a prompt."""

    text: str
    """Pages under clear headings, marked as data as a whole; empty where nothing fits."""
    tokens: int
    """Of `text`: counted where parts were chosen, else an upper bound."""
    used: tuple[str, ...]
    """Titles of the pages of which something is there, in the order of the documentation."""
    left_out: tuple[str, ...]
    """Titles of the pages that are not there whole; "(in part)" stands after those that are
    there in part."""


@dataclass(frozen=True)
class _Part:
    """What stands between two headings of a page, or a piece of it."""

    page: int
    number: int
    """Of the part in all the documentation; parts that follow each other have no gap."""
    headings: str
    text: str


def fit(pages: Sequence[DocumentPage], budget_tokens: int, query: str) -> Fitted:
    """Choose what of the documentation goes into the prompt.

    All of it where it fits. Otherwise the parts that BM25 ranks best for the query, in the order
    of the documentation; code fences stay whole. The same arguments give the same bytes.

    Args:
        pages: The documentation.
        budget_tokens: The most tokens that `Fitted.text` may have.
        query: What is asked.
    """
    if not pages or budget_tokens <= 0:
        return Fitted("", 0, (), tuple(page.title for page in pages))
    texts = [_heading(page.title) + page.text for page in pages]
    whole = enclose("documentation", "\n\n".join(texts))
    # A token is never less than a byte: so what the pages do not account for is bounded.
    at_most = sum(page.tokens + len(_heading(page.title).encode()) + 4 for page in pages) + 60
    titles = tuple(page.title for page in pages)
    if at_most <= budget_tokens:
        return Fitted(whole, at_most, titles, ())
    if sum(page.tokens for page in pages) <= budget_tokens:
        tokens = count_tokens(whole)
        if tokens <= budget_tokens:
            return Fitted(whole, tokens, titles, ())
    return _best_parts(pages, budget_tokens, query)


def _best_parts(pages: Sequence[DocumentPage], budget_tokens: int, query: str) -> Fitted:
    parts = list(_split(pages))
    chosen: list[_Part] = []
    seen: set[int] = set()
    left = budget_tokens - count_tokens(enclose("documentation", ""))
    for part in _ranked(pages, parts, query):
        if left <= PART_TOKENS:
            break
        # A page's heading is paid for with its first part.
        heading = "" if part.page in seen else _heading(pages[part.page].title)
        cost = count_tokens(heading + part.text) + PART_TOKENS
        if cost <= left:
            left -= cost
            chosen.append(part)
            seen.add(part.page)
    if not chosen:
        return Fitted("", 0, (), tuple(page.title for page in pages))
    text = enclose("documentation", _joined(pages, chosen))
    there, all_parts = (Counter(part.page for part in some) for some in (chosen, parts))
    left_out = tuple(
        f"{page.title} (in part)" if there[number] else page.title
        for number, page in enumerate(pages)
        if there[number] < all_parts[number]
    )
    used = tuple(pages[number].title for number in sorted(seen))
    return Fitted(text, count_tokens(text), used, left_out)


def _heading(title: str) -> str:
    return f"===== Page: {title} =====\n\n"


def _joined(pages: Sequence[DocumentPage], chosen: Iterable[_Part]) -> str:
    """The chosen parts in the order of the documentation, with marks where something is cut."""
    texts = []
    in_order = sorted(chosen, key=lambda part: part.number)
    for page, parts in groupby(in_order, key=lambda part: part.page):
        text = ""
        last = None
        for part in parts:
            if last is not None:
                text += "\n\n" if part.number == last + 1 else f"\n\n{_GAP}\n\n"
            text += part.text
            last = part.number
        texts.append(_heading(pages[page].title) + text)
    return "\n\n".join(texts)


def _split(pages: Sequence[DocumentPage]) -> Iterator[_Part]:
    numbers = count()
    for index, page in enumerate(pages):
        heading = page.title
        texts: list[str] = []
        length = 0
        for block in blocks(page.text, PART_CHARACTERS):
            # Code stays with the words before it, which mostly say what it is.
            full = length + (0 if block.kind == "fence" else len(block.text)) > PART_CHARACTERS
            if texts and (block.kind == "heading" or full):
                yield _Part(index, next(numbers), heading, "\n\n".join(texts))
                texts, length = [], 0
            if block.kind == "heading":
                heading = block.heading
            texts.append(block.text)
            length += len(block.text)
        if texts:
            yield _Part(index, next(numbers), heading, "\n\n".join(texts))


def _ranked(pages: Sequence[DocumentPage], parts: Sequence[_Part], query: str) -> list[_Part]:
    """Parts that have words of the query, best first; the beginning where none has any."""
    words = list(dict.fromkeys(_WORD.findall(_searchable(query[:QUERY_CHARACTERS]).lower())))
    common = frozenset(_COMMON_WORDS.split())
    words = [word for word in words if word not in common][:QUERY_WORDS]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE VIRTUAL TABLE part USING fts5 (title, headings, body, tokenize = 'porter')"
        )
        database.executemany(
            "INSERT INTO part (rowid, title, headings, body) VALUES (?, ?, ?, ?)",
            (
                (
                    part.number,
                    _searchable(pages[part.page].title),
                    _searchable(part.headings),
                    _searchable(part.text),
                )
                for part in parts
            ),
        )
        rows = database.execute(
            "SELECT rowid FROM part WHERE part MATCH ? ORDER BY bm25(part, 3, 2, 1), rowid",
            (" OR ".join(f'"{word}"' for word in words) or '""',),
        ).fetchall()
    return [parts[row[0]] for row in rows] or list(parts)


def _searchable(text: str) -> str:
    """`text` with the words inside CamelCase names added apart; NUL would end it in SQLite."""
    return _CAMEL.sub(" ", text.replace("\0", " ")) + " " + text.replace("\0", " ")
