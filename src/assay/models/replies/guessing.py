"""Code that says nothing of its language, or is not even marked as code."""

from __future__ import annotations

import json
import re
import textwrap

from assay.models.replies.python import Parser
from assay.models.replies.repair import is_transcript, repair, without_prompts

_LOOKS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (language, re.compile(pattern, re.MULTILINE))
    for language, pattern in (
        ("python", r"\A#!.*\bpython"),
        ("javascript", r"\A#!.*\b(?:node|deno|bun)\b"),
        ("bash", r"\A#!.*\b(?:ba|z|k|da)?sh\b"),
        ("ruby", r"\A#!.*\bruby\b"),
        ("perl", r"\A#!.*\bperl\b"),
        ("php", r"\A<\?php"),
        ("html", r"(?i:\A\s*<!doctype html|\A\s*<html\b)"),
        ("xml", r"\A\s*<\?xml\b"),
        ("cpp", r"^#include <(?:iostream|vector|string|map|algorithm)>|^using namespace \w+;"),
        ("c", r"^#include [<\"]\w"),
        ("go", r"^package [a-z]\w*\s*$"),
        ("rust", r"^(?:pub )?fn \w+\(.*\{\s*$|^use std::"),
        ("csharp", r"^using System[;.]|^namespace [\w.]+;?\s*$"),
        ("java", r"^(?:public )?(?:final )?class \w+.*\{\s*$|^import java[.x]"),
        ("python", r"^(?:async )?def \w+\(.*:|^class \w+.*:\s*$|^from [\w.]+ import \w"),
        ("javascript", r"^(?:export )?(?:async )?function\b.*\{|^(?:const|let|var) [\w{\[].*="),
        ("javascript", r"^console\.log\(|^module\.exports\b|^import .* from ['\"]"),
        ("sql", r"(?i:\A\s*(?:select|create table|insert into|with \w+ as|update \w+ set)\b)"),
        ("bash", r"\A\s*\$ \S|^(?:fi|done|esac)\s*$"),
        ("python", r"^import [\w.]+(?:, [\w.]+)*(?: as \w+)?\s*$|^print\(|^for \w+ in .*:\s*$"),
    )
)
_FIRST_LINE = re.compile(
    r"(?:import|from|def|class|async def|if|for|while|with|try|print|raise|assert)\b.*[\w):,]"
    r"|@\w.*|#!.*|[A-Za-z_][\w.]*(?:: ?[\w\[\], ]+)? = \S.*|[A-Za-z_][\w.]*\(.*"
)
_PUNCTUATION = re.compile(r"[(){}\[\]=;]")
_MOST_TRIES = 12
_LONGEST_GUESSED = 20_000
_LONGEST_SEARCHED = 100_000
_INLINE = re.compile(r"\s*`([^`\n]+)`\s*")


def guess_language(code: str, parser: Parser, wanted: str | None = None) -> str | None:
    """The language that `code` looks like; None where it could be anything.

    `wanted` is preferred unless the code looks like another one.
    """
    if is_transcript(code):
        return "python"
    head = code[:_LONGEST_GUESSED]
    seen = [language for language, looks in _LOOKS if looks.search(head)]
    if wanted and (wanted in seen or not seen):
        return wanted
    # A call of console.log is correct Python too.
    if parser.is_program(code) and seen[:1] != ["javascript"]:
        return "python"
    if seen:
        return seen[0]
    if code.lstrip().startswith(("{", "[")):
        try:
            json.loads(code)
        except (ValueError, RecursionError):
            pass
        else:
            return "json"
    return "python" if _PUNCTUATION.search(head) else None


def find_bare_code(text: str, language: str | None, parser: Parser) -> tuple[str, str, str] | None:
    """Prose, language and code of a reply that has no block; None where it is prose alone."""
    inline = _INLINE.fullmatch(text)
    if inline and (language not in {"python", None} or parser.is_program(inline[1])):
        return "", language or "python", inline[1]
    if language in {"python", None}:
        found = _bare_python(text, parser)
        if found:
            return found[0], "python", found[1]
    guess = guess_language(text.lstrip(), parser)
    if guess and (language is None or guess == language):
        first = text.lstrip().split("\n", 1)[0]
        if any(name == guess and looks.search(first) for name, looks in _LOOKS):
            return "", guess, text
    return None


def _bare_python(text: str, parser: Parser) -> tuple[str, str] | None:
    if parser.is_program(text):
        return "", text
    if len(text) > _LONGEST_SEARCHED:
        return None
    if is_transcript(text) and parser.is_program(without_prompts(text)):
        return "", without_prompts(text)
    return _indented(text, parser) or _lines_of_code(text, parser)


def _indented(text: str, parser: Parser) -> tuple[str, str] | None:
    """Markdown's other form of code: lines indented by four spaces or a tab."""
    lines = text.split("\n")
    inside = [bool(re.match(r"(?: {4}|\t)\s*\S", line)) for line in lines]
    if not any(inside):
        return None
    first = inside.index(True)
    if first and lines[first - 1].strip():
        return None
    code = textwrap.dedent(
        "\n".join(line for line, code in zip(lines, inside, strict=True) if code or not line)
    ).strip("\n")
    return ("\n".join(lines[:first]), code) if parser.is_program(code) else None


def _lines_of_code(text: str, parser: Parser) -> tuple[str, str] | None:
    """Code between paragraphs: from the first line that looks like it, as far as it parses."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _FIRST_LINE.fullmatch(line)]
    for start in starts[:_MOST_TRIES]:
        rest = lines[start:]
        ends = [len(rest)] + [
            number
            for number in range(len(rest) - 1, 0, -1)
            if rest[number] and not rest[number][0].isspace() and not rest[number - 1].strip()
        ]
        for end in ends[:_MOST_TRIES]:
            code = "\n".join(rest[:end]).strip("\n")
            code = repair(code, parser) if end == len(rest) else code
            if parser.is_program(code):
                return "\n".join(lines[:start]), code
    return None
