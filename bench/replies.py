"""Reading replies of two megabytes: ordinary ones, and ones that are made to be slow."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from statistics import median

from assay.domain.message import Reply
from assay.errors import ReplyError
from assay.models.replies import read_reply
from bench.tables import Table, against, milliseconds

SIZE = 2_000_000
"""Characters, or a few more; all shapes are ASCII, so bytes too."""
ROUNDS = 3
LIMIT_SECONDS = 1.0


async def measure(rounds: int = ROUNDS, size: int = SIZE) -> list[Table]:
    """Read each shape `rounds` times; the slowest comes first."""
    timed = [(*_time(make(size), rounds), shape) for shape, make in SHAPES.items()]
    timed.sort(reverse=True)
    rows = tuple(
        (shape, ending, milliseconds(seconds), against(seconds, LIMIT_SECONDS, "≤ 1 s"))
        for seconds, ending, shape in timed
    )
    return [
        Table(
            columns=("reply", "read as", "median", "target"),
            rows=rows,
            note=f"Replies of {size:,} characters; medians of {rounds}, the slowest first.",
        )
    ]


def _time(text: str, rounds: int) -> tuple[float, str]:
    reply = Reply(text=text, finish_reason="stop")
    seconds = []
    ending = ""
    for _ in range(rounds):
        started = time.perf_counter()
        try:
            read_reply(reply, language="python", answer="code")
            ending = "code"
        except ReplyError as error:
            ending = f"error ({error.kind})"
        seconds.append(time.perf_counter() - started)
    return median(seconds), ending


def _repeated(part: str) -> Callable[[int], str]:
    return lambda size: (part * (size // len(part) + 1))[:size]


def _program(size: int) -> str:
    """One fence around a program of many functions, with words before and after."""
    return f"Here it is.\n\n```python\n{_functions(size)}```\n\nThat is all.\n"


def _functions(size: int) -> str:
    part = "def function_{0}(a, b):\n    return [a + {0}, b, 'text']\n\n\n"
    return _numbered(part, size)


def _structured(size: int) -> str:
    """The same program as a JSON object."""
    return json.dumps({"prefix": "Here it is.", "imports": "", "code": _functions(size)})


def _files(size: int) -> str:
    """Many short files, each named in bold before its fence."""
    return _numbered("**part_{0}.py**\n```python\ndef f():\n    return {0}\n```\n\n", size)


def _numbered(part: str, size: int) -> str:
    return "".join(part.format(number) for number in range(size // len(part) + 1))


SHAPES: dict[str, Callable[[int], str]] = {
    "a program in one fence": _program,
    "a program in JSON": _structured,
    "a JSON object that is cut": lambda size: _structured(2 * size)[:size],
    "many files": _files,
    "words alone": _repeated("It is said that this works. "),
    "one line without a space": _repeated("x"),
    "fences without content": _repeated("```python\n```\n"),
    "fences that never close": _repeated("```python\nx = 1\n"),
    "backticks alone": _repeated("`"),
    "a longer fence each line": lambda size: "".join(
        "`" * (3 + number % 200) + "python\n" for number in range(size // 110)
    ),
    "tildes and backticks in turn": _repeated("~~~\n```\n"),
    "opening braces": _repeated("{"),
    "opening brackets and quotes": _repeated('[{"'),
    "objects in objects": _repeated('{"code": '),
    "many small JSON objects": _repeated('{"code": "x = 1"} '),
    "strings that never close": _repeated("```python\ns = '''\n"),
    "backslashes": _repeated('{"code": "\\\\\\'),
    "thoughts that never end": _repeated("<think>"),
    "thoughts that end without a beginning": _repeated("</think>\n"),
    "brackets inside a program": lambda size: f"```python\nx = {'(' * size}\n```\n",
    "indented list items": _repeated("   - ```python\n     x = 1\n"),
    "escaped markup": _repeated("&lt;pre&gt;&amp;"),
    "empty lines": _repeated("\n"),
    "carriage returns": _repeated("\r"),
}
