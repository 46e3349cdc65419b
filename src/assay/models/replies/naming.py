"""How a block of code says what it is: its info string, the line before it, its first comment."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.domain.languages import find_language, language_of_path

_LONGEST_LINE = 300
_ATTRIBUTE = re.compile(
    r"\b(?:title|file|file_?name|filepath|path|name|src)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s}]+))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s,;{}()\[\]]+")
_LANGUAGE_WORD = re.compile(r"[A-Za-z][\w+#.-]{0,30}")
_QUOTED = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__")
_LABEL_WORDS = re.compile(
    r"^(?:(?:new |updated |full |the )?(?:file|filename|file name|path|filepath|title)\b\s*[:\-]?"
    r"|\d{1,3}[.)]|step \d+\s*[:.]|[-*+])\s*",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*(?:\([^()]*\)|[:\u2014\u2013-]\s.*|:)\s*$")
_COMMENT = re.compile(
    r"\s*(?:#+|//+|--|/\*+|<!--|;+|%+)\s*(?:(?:file|filename|file name|path)\s*:\s*)?"
    r"`?([\w./@+-]+)`?\s*(?:\*/|-->)?\s*",
    re.IGNORECASE,
)
_PATH = re.compile(r"[^\s`*\"'<>|?]+")


@dataclass(frozen=True)
class Info:
    """What an info string says; `label` is its first word where that is no known language."""

    language: str | None = None
    path: str | None = None
    label: str = ""


def read_info(info: str) -> Info:
    """Read the text after an opening fence: `python title="a.py"`, `ts:src/a.ts`, `{.py}`."""
    info = info.strip()[:_LONGEST_LINE]
    attribute = _ATTRIBUTE.search(info)
    path = next((group for group in attribute.groups() if group), None) if attribute else None
    if attribute:
        info = info[: attribute.start()] + " " + info[attribute.end() :]
    # "Python 3.11" is a language as a whole, "python linenums" only by its first word.
    whole = find_language(info)
    words = _WORD.findall(info)
    if whole or not words:
        return Info(whole.name if whole else _language_of(path), path)
    first, colon, rest = words[0].lstrip(".").partition(":")
    known = find_language(first.rstrip("=")) or find_language(first.removeprefix("language-"))
    if colon and known and rest:
        path = path or rest
    elif known is None and looks_like_file(words[0]):
        return Info(_language_of(words[0]), path or words[0])
    elif path is None and known and len(words) > 1 and _is_of(words[1], known.name):
        path = words[1]
    if known:
        return Info(known.name, path)
    label = first.lower() if _LANGUAGE_WORD.fullmatch(first) else ""
    return Info(_language_of(path), path, label)


def name_before(prose: str, language: str | None) -> str | None:
    """The file that the last line before a block names: `### src/a.py`, `Save as **a.py**:`."""
    lines = prose.rstrip().rsplit("\n", 1)
    line = lines[-1].strip()
    if not line or len(line) > _LONGEST_LINE:
        return None
    line = line.removeprefix("<!--").removesuffix("-->").strip("> \t")
    label = _LABEL_WORDS.sub("", line.lstrip("#").strip(), count=1)
    for candidate in (label, _REMARK.sub("", label)):
        bare = _LABEL_WORDS.sub("", candidate.strip("*_` :"), count=1).strip("*_` :\"'")
        if _PATH.fullmatch(bare) and looks_like_file(bare):
            return bare
    quoted = [next(filter(None, groups)).strip("` ") for groups in _QUOTED.findall(line)]
    fitting = [name for name in quoted if language and _is_of(name, language)]
    # In a sentence only a file of the block's own language is taken for its name, and
    # only the last one: "unlike `a.py`, put this into `b.py`:".
    return fitting[-1] if fitting and line.endswith((":", "`", "**", ".")) else None


def name_inside(code: str, language: str | None) -> str | None:
    """The file that a comment in the first line names, or in the second after `#!`."""
    for line in code.lstrip("\n")[: 2 * _LONGEST_LINE].split("\n", 2)[:2]:
        found = _COMMENT.fullmatch(line)
        name = found[1] if found else ""
        if looks_like_file(name) and (language is None or _is_of(name, language)):
            climbs = name.startswith("/") or ".." in name.split("/")
            return None if climbs else name
        if not line.startswith(("#!", "<?php", "<!DOCTYPE")):
            break
    return None


def looks_like_file(word: str) -> bool:
    """Whether a word has the ending of a known kind of file, or is a path to one outside."""
    if not _PATH.fullmatch(word) or "://" in word:
        return False
    if word.startswith(("/", "~/", "../", "..\\", "\\\\")) and len(word) > 3:
        return True
    return language_of_path(word.replace("\\", "/")) is not None


def _is_of(path: str, language: str) -> bool:
    found = language_of_path(path) if looks_like_file(path) else None
    return found is not None and _family(found.name) == _family(language)


def _language_of(path: str | None) -> str | None:
    found = language_of_path(path) if path else None
    return found.name if found else None


def _family(language: str) -> str:
    return {"typescript": "javascript", "cpp": "c"}.get(language, language)


def same_family(one: str, other: str) -> bool:
    """Whether models use the one language's name for the other: TypeScript for JavaScript."""
    return _family(one) == _family(other)
