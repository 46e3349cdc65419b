"""Replies in JSON, or in what a model takes for JSON."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import json_repair

from assay.models.replies.text import well_formed

_CODE = ("code", "program", "source", "content", "script", "source_code", "solution")
_IMPORTS = ("imports", "import", "import_statements")
_PREFIX = ("prefix", "explanation", "description", "text")
_LANGUAGE = ("language", "lang", "programming_language")
_PATH = ("path", "name", "filename", "file_name", "file", "filepath", "file_path")
_FILES = ("files", "file_list")
_WRAPPERS = (
    *("arguments", "args", "parameters", "input", "function", "function_call", "tool_calls"),
    *("tool_call", "properties", "result", "output", "response", "answer", "data", "solution"),
)
_KEYS = "|".join(
    sorted({*_CODE, *_IMPORTS, *_PREFIX, *_LANGUAGE, *_FILES, *_WRAPPERS, *_PATH}, key=len)
)
_QUOTED_KEY = rf"\\?[\"'\u201c\u2018](?:{_KEYS})\\?[\"'\u201d\u2019]\s*:"
_KEY = re.compile(_QUOTED_KEY)
_START = re.compile(rf"\{{\s*{_QUOTED_KEY}")
_START_UNQUOTED = re.compile(rf"\{{\s*(?:{_KEYS})\s*:")
_ASSIGNED = re.compile(r"(?:[=(\[,+]|\breturn|\bin)\s*$")
_LONE_BACKSLASH = re.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|\\")
_LONGEST_REPAIRED = 100_000
_LONGEST_HEAD = 300
_MOST_STARTS = 100
_DEEPEST = 100
_MOST_WRAPPERS = 6


@dataclass(frozen=True)
class StructuredFile:
    """A file as a field of an object."""

    path: str | None
    imports: str
    code: str


@dataclass(frozen=True)
class Structured:
    """An object's fields; `whole` is False where the object has no end."""

    prefix: str
    language: str | None
    files: tuple[StructuredFile, ...]
    whole: bool = True


def find_object(text: str) -> int | None:
    """Where an object with a solution's fields begins in `text`."""
    begin = len(text) - len(text.lstrip())
    head = text[begin : begin + _LONGEST_HEAD]
    if _START_UNQUOTED.match(head) or (head.startswith(("{", "[", '"')) and _KEY.search(head)):
        return begin
    for found in islice(_START.finditer(text), _MOST_STARTS):
        line = text[max(0, found.start() - _LONGEST_HEAD) : found.start()].rpartition("\n")[2]
        if not _ASSIGNED.search(line):
            return found.start()
    return None


def read_object(text: str) -> Structured | None:
    """The solution that `text` begins with as an object; None where there is none."""
    value, whole = _load(text)
    found = _solution(value, 0)
    if found is None:
        return None
    return Structured(found.prefix, found.language, found.files, whole)


def _load(text: str) -> tuple[object, bool]:
    """The value that `text` begins with, and whether its end is there."""
    decoder = json.JSONDecoder(strict=False)
    fixed = _LONE_BACKSLASH.sub(lambda found: found[0] if found[0] != "\\" else "\\\\", text)
    for candidate in (text, fixed):
        try:
            return decoder.raw_decode(candidate)[0], True
        except (ValueError, RecursionError):
            continue
    end = text.rfind("]" if text.startswith("[") else "}") + 1
    ended = end > 0 and not text[end:].strip("`\"' \t\n")
    if len(text) > _LONGEST_REPAIRED or _depth(text) > _DEEPEST:
        return None, ended
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text[:end]), True
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass
    try:
        return json_repair.loads(fixed, skip_json_loads=True), ended
    except (ValueError, RecursionError, IndexError):
        return None, ended


def _depth(text: str) -> int:
    depth = deepest = 0
    for char in re.findall(r"[\[\]{}]", text):
        depth += 1 if char in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _solution(value: object, wrappers: int) -> Structured | None:
    """Look for a solution's fields in `value`, through what tool calls wrap around them."""
    if wrappers > _MOST_WRAPPERS:
        return None
    if isinstance(value, str):
        start = find_object(value)
        return _solution(_load(value[start:])[0], wrappers + 1) if start is not None else None
    if isinstance(value, list):
        return _list_of_files(value) or next(
            (found for item in value[:10] if (found := _solution(item, wrappers + 1))), None
        )
    if not isinstance(value, Mapping):
        return None
    fields = {str(key).lower(): item for key, item in value.items()}
    files = next((fields[key] for key in _FILES if key in fields), None)
    prefix, language = _text(fields, _PREFIX), _text(fields, _LANGUAGE) or None
    if isinstance(files, Mapping):
        return Structured(prefix, language, tuple(_mapped(files)))
    if isinstance(files, list) and (listed := _list_of_files(files)):
        return Structured(prefix, language, listed.files)
    for key in _WRAPPERS:
        if isinstance(fields.get(key), Mapping | list | str) and (
            found := _solution(fields[key], wrappers + 1)
        ):
            return found
    if any(key in fields for key in _CODE):
        path = _text(fields, _PATH[:1] + _PATH[2:]) or None
        file = StructuredFile(path, _text(fields, _IMPORTS), _text(fields, _CODE))
        return Structured(prefix, language, (file,))
    if "prefix" in fields:
        return Structured(prefix, language, ())
    if value and all("." in str(key) and isinstance(item, str) for key, item in value.items()):
        return Structured("", None, tuple(_mapped(value)))
    return None


def _list_of_files(items: list[object]) -> Structured | None:
    files = []
    for item in items:
        if not isinstance(item, Mapping):
            return None
        fields = {str(key).lower(): field for key, field in item.items()}
        path, code = _text(fields, _PATH), _text(fields, _CODE)
        if not path or not any(key in fields for key in _CODE):
            return None
        files.append(StructuredFile(path, _text(fields, _IMPORTS), code))
    return Structured("", None, tuple(files)) if files else None


def _mapped(files: Mapping[object, object]) -> Iterator[StructuredFile]:
    for path, content in files.items():
        if isinstance(content, Mapping):
            fields = {str(key).lower(): field for key, field in content.items()}
            yield StructuredFile(str(path), _text(fields, _IMPORTS), _text(fields, _CODE))
        else:
            yield StructuredFile(str(path), "", _text({"code": content}, ("code",)))


def _text(fields: Mapping[str, object], keys: tuple[str, ...]) -> str:
    """The first of `keys` that holds text; a list is taken for lines."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str):
            # Code has no backspace or form feed: they were a regular expression's \b and \f.
            return well_formed(value).replace("\b", "\\b").replace("\f", "\\f")
        if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
            return well_formed("\n".join(line.removesuffix("\n") for line in value))
    return ""
