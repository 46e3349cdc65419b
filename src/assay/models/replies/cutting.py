"""Whether a reply was cut before its end."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from assay.domain.languages import language_of_path
from assay.domain.message import FinishReason
from assay.errors import TruncatedReply
from assay.models.replies.naming import looks_like_file, name_before
from assay.models.replies.python import Parser

_NAMED = re.compile(
    r"`([^`\n]{1,200})`|\*\*([^*\n]{1,200})\*\*|^#{1,6}[ \t]+(\S{1,200})$", re.MULTILINE
)
_COUNT = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9]\d)\s+(?:separate\s+|source\s+)?"
    r"(?:files|modules|scripts)\b",
    re.IGNORECASE,
)
_NUMBERS = {
    name: number
    for number, name in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 2
    )
}
_PAIRS = {")": "(", "]": "[", "}": "{"}


def check_end(
    code: str,
    language: str | None,
    finish_reason: FinishReason | None,
    *,
    closed: bool,
    parser: Parser,
) -> None:
    """See that a program whose end may be missing is whole.

    Raises:
        TruncatedReply: it was cut, or nothing shows that it was not.
    """
    if finish_reason == "length":
        whole = closed and (language != "python" or parser.parses(code))
    else:
        whole = closed or finish_reason == "stop" or _looks_whole(code, language, parser)
    if not whole:
        raise TruncatedReply(
            "The reply was cut before the end of its code. Answer again with the whole program,"
            " shorter and with less text around it."
        )


def check_promises(
    prose: str, paths: Sequence[str], after: str, finish_reason: FinishReason | None
) -> None:
    """See that every file which the text announces is there, when the text may have been cut.

    Raises:
        TruncatedReply: one is missing.
    """
    missing = _missing(prose, paths) if finish_reason == "length" else []
    if finish_reason != "stop" and (dangling := name_before(after, None)):
        missing = [dangling] if dangling not in paths else missing
    if missing:
        raise TruncatedReply(
            f"The reply was cut before {missing[0]}, which it announces."
            " Answer again with all files, and with less text around them."
        )


def _missing(prose: str, paths: Sequence[str]) -> list[str]:
    announced = [
        word
        for groups in _NAMED.findall(prose)
        if _is_source(word := next(filter(None, groups)).strip("` *:"))
    ]
    there = {path.rpartition("/")[2] for path in paths}
    missing = [name for name in announced if name.rpartition("/")[2] not in there]
    count = _COUNT.search(prose)
    number = _NUMBERS.get(count[1].lower()) or int(count[1]) if count else 0
    if len(paths) < number:
        return missing or ["the last file"]
    # A lone program may speak of files that it reads or of its own name.
    return missing if len(paths) > 1 or len(set(announced)) > 1 else []


def _is_source(word: str) -> bool:
    """Whether a word names a program's file; one of data may be what the program reads."""
    language = language_of_path(word) if looks_like_file(word) else None
    return language is not None and language.is_program


def _looks_whole(code: str, language: str | None, parser: Parser) -> bool:
    if not code.strip():
        return False
    if language == "python":
        return parser.parses(code)
    if language == "json":
        try:
            json.loads(code)
        except (ValueError, RecursionError):
            return False
        return True
    return _is_balanced(code)


def _is_balanced(code: str) -> bool:
    """Whether each bracket has its other half; strings are not looked into."""
    open_brackets: list[str] = []
    for char in re.findall(r"[()\[\]{}]", code):
        if char not in _PAIRS:
            open_brackets.append(char)
        elif not open_brackets or open_brackets.pop() != _PAIRS[char]:
            return False
    return not open_brackets
