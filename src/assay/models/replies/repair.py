"""Repairs of Python code that a copy, a chat window or a notebook has damaged.

A repair is used only where the code does not parse before it and does after.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable, Sequence

from assay.models.replies.python import Parser

INSTALLING = re.compile(
    r"[\s$>%!#]*(?:sudo\s+)?(?:(?:python[\d.]*|py)\s+-m\s+)?"
    r"(?:pip[\d.]*|pipx|uv(?:\s+pip)?|poetry|conda|mamba|npm|npx|yarn|pnpm|bun|apt|apt-get|brew|dnf"
    r"|yum|apk|gem|cargo|go|dotnet)\s+(?:-\S+\s+)*(?:install|i|add|get|update|upgrade|init|sync)\b"
    r".*",
    re.IGNORECASE,
)
"""A line that installs packages, with or without a prompt."""

PROMPT = re.compile(r"(?:>>>|\.\.\.|In \[\d+\]:)(?: |$)")

_LONGEST_REPAIRED = 100_000

_STRAIGHT = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u2033", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u2032", "'"),
        **dict.fromkeys("\u2212\u2013\u2014", "-"),
    }
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]")
_WIDE_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_STRING = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)


def repair(code: str, parser: Parser, *, from_json: bool = False) -> str:
    """`code`, or what it was before it was damaged.

    `from_json` adds the repairs of escapes that were doubled or forgotten in a JSON string.
    """
    if len(code) > _LONGEST_REPAIRED or parser.parses(code):
        return code
    escapes = _JSON_REPAIRS if from_json else ()
    repairs: Sequence[Callable[[str], str]] = (*_REPAIRS, *escapes, *_LAST_REPAIRS)
    for change in repairs:
        changed = change(code)
        if changed != code and parser.parses(changed):
            return changed
    together = code
    for change in repairs:
        changed = change(together)
        if changed != together and parser.parses(changed):
            return changed
        together = changed
    return code


def without_prompts(code: str) -> str:
    """The statements of an interpreter's transcript, without prompts and output."""
    lines = [line.lstrip() for line in code.split("\n")]
    if not any(line.startswith(">>>") for line in lines):
        return code
    return "\n".join(line[4:] for line in lines if PROMPT.match(line))


def is_transcript(code: str) -> bool:
    """Whether the first line that is not blank has an interpreter's prompt."""
    return code.lstrip().startswith((">>> ", ">>>\n"))


def _dedent(code: str) -> str:
    return textwrap.dedent(code)


def _dedent_rest(code: str) -> str:
    """The first line lost its indentation, the others have theirs."""
    first, _, rest = code.strip("\n").partition("\n")
    return f"{first.strip()}\n{textwrap.dedent(rest)}"


def _visible(code: str) -> str:
    return _WIDE_SPACE.sub(" ", _INVISIBLE.sub("", code))


def _visible_outside_strings(code: str) -> str:
    pieces, end = [], 0
    for found in _STRING.finditer(code):
        pieces += [_visible(code[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*pieces, _visible(code[end:])])


def _straight_quotes(code: str) -> str:
    return code.translate(_STRAIGHT)


def _without_commands(code: str) -> str:
    """Leave out a notebook's magics and shell commands."""
    kept = [
        line
        for line in code.split("\n")
        if not line.lstrip().startswith(("!", "%")) and not INSTALLING.fullmatch(line)
    ]
    return "\n".join(kept)


def _without_fences(code: str) -> str:
    kept = [line for line in code.split("\n") if not line.lstrip().startswith(("```", "~~~"))]
    return "\n".join(kept)


def _with_spaces(code: str) -> str:
    return code.expandtabs(4)


def _with_wide_tabs(code: str) -> str:
    return code.expandtabs(8)


def _unescape_newlines(code: str) -> str:
    if "\n" in code.strip() or "\\n" not in code:
        return code
    return code.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _escape_newlines(code: str) -> str:
    r"""Put `\n` back where a string in quotes was broken in two lines by its decoding."""
    return _STRING.sub(
        lambda found: (
            found[0] if found[0].startswith(("'''", '"""')) else found[0].replace("\n", "\\n")
        ),
        code,
    )


_REPAIRS = (
    _visible_outside_strings,
    _visible,
    html.unescape,
    _straight_quotes,
    _without_commands,
    without_prompts,
    _with_spaces,
    _with_wide_tabs,
    _without_fences,
)
_JSON_REPAIRS = (_unescape_newlines, _escape_newlines)
_LAST_REPAIRS = (_dedent, _dedent_rest)
