"""Tests in JavaScript, read before anything runs.

There is no parser of JavaScript here, so what is read is the unmistakable: comments are left out,
names of tests and of modules count where they are plain strings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.domain.task import TestFile
from assay.errors import BadInput

MAX_UP = 10
"""Folders above itself from which a test file may import."""

_ES_MODULE = re.compile(r"^(?:import\b(?! *\()|export\b)", re.MULTILINE)
# What stands in a comment or a string is taken as a whole, so nothing is found in it.
_TOKEN = re.compile(
    r"""
    //[^\n]* | /\*(?:.*?\*/|.*)
    | (?P<runner> ["']node:test["'] )
    | (?P<test> (?<![\w.$]) (?:test|it) (?:\.only)? \s*+\(\s*+
        (?: (["'`]) (?P<name> (?:(?!\3)[^\\\n])* ) \3 )? )
    | (?: \bfrom\s*+ | \bimport\s*+\(?\s*+ | \brequire\s*+\(\s*+ )
        (["']) (?P<path> \.\.?/[^"'\n]+ ) \5
    | (?P<assertion> (?<![\w$])assert\b )
    | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'? | `(?:\\.|[^`\\])*`?
    """,
    re.DOTALL | re.VERBOSE,
)


class ScriptStyle(StrEnum):
    """How tests in JavaScript are found and run."""

    NODE_TEST = "node:test"
    PLAIN = "plain"
    """Asserts at the top level: the file is one test."""
    EXAMPLES = "examples"
    """Expressions that have to be true, a test each."""


@dataclass(frozen=True)
class ScriptTests:
    """What is known of tests in JavaScript before they run."""

    file: TestFile
    style: ScriptStyle
    tests: tuple[str, ...]
    """Names of the tests that stand in it as plain strings."""
    imports: tuple[str, ...] = ()
    """Files that it imports, as paths relative to itself."""


def is_es_module(source: str) -> bool:
    """Whether it has import or export statements."""
    return _ES_MODULE.search(source) is not None


def parse_script_tests(file: TestFile) -> ScriptTests:
    """Read a test file in JavaScript.

    Raises:
        BadInput: it holds no test, or tests for another runner than node:test.
    """
    tokens = list(_TOKEN.finditer(file.source))
    imports = tuple(token["path"] for token in tokens if token["path"])
    if any(path.count("..") > MAX_UP for path in imports):
        raise BadInput(f"The file {file.name} imports a file too far up; put it nearer.")
    has_tests = any(token["test"] for token in tokens)
    has_runner = any(token["runner"] for token in tokens)
    if has_tests and has_runner:
        names = (token["name"] for token in tokens if token["name"] and "${" not in token["name"])
        return ScriptTests(file, ScriptStyle.NODE_TEST, tuple(dict.fromkeys(names)), imports)
    if has_tests:
        raise BadInput(
            f"The tests in {file.name} are not for node:test, the runner that is there. Import "
            "`test` from 'node:test' and compare with node:assert."
        )
    if not any(token["assertion"] for token in tokens):
        raise BadInput(
            f"The file {file.name} holds no test; write asserts such as "
            "`assert.equal(add(1, 2), 3)` with node:assert, or tests for node:test."
        )
    # With node:test under another name, its tests are reported in place of the file.
    return ScriptTests(file, ScriptStyle.PLAIN, () if has_runner else (file.name,), imports)


def parse_script_examples(examples: Sequence[str]) -> ScriptTests:
    """Examples in JavaScript as tests.

    Raises:
        BadInput: one calls nothing.
    """
    for text in examples:
        if "(" not in text:
            raise BadInput(
                f"The example {text!r} calls nothing of the code; write one such as "
                "`add(1, 2) === 3`."
            )
    source = "".join(f"{text}\n" for text in examples)
    file = TestFile(name="examples.js", source=source)
    return ScriptTests(file, ScriptStyle.EXAMPLES, tuple(examples))
