"""What holds for every reply: nothing but a solution or a typed error, and code unchanged."""

from __future__ import annotations

import json
import os
import string
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.message import FinishReason, Reply
from assay.domain.solution import Solution
from assay.errors import ReplyError
from assay.models.replies import read_reply

PIECES = [
    *("```", "````", "~~~", "```python\n", "```json\n", "```bash\n", "```markdown\n", "\n```\n"),
    *("<think>", "</think>", "[THINK]", "<file path='a.py'>", "</file>", "<code>", "[PYTHON]"),
    *('{"code": "', '"}', '{"files": [', '{"path": "../a", "code": ', "{'code': '", "'}", "]}"),
    *("**a.py**\n", "### `b.py`\n", "# c.py\n", "> ", "- ", "1. ", "    ", "\t", "\n", "\r\n", " "),
    *("def f(x):\n    return x\n", "print(f(1))\n", "import os\n", "from __future__ import x\n"),
    *("'''", '"""', "'", '"', "\\", "\\n", "{", "}", "[", "]", "(", ")", ":", "$ ls\n", ">>> 1\n"),
    *("!pip install x\n", "pip install x\n", "&lt;", "\u00a0", "\u200b", "\ufeff", "\0", "\ud83d"),
    *(
        "<|im_end|>",
        "<|channel|>final<|message|>",
        "</s>",
        "Usage:\n",
        "Output:\n",
        "--- a\n+++ b\n",
    ),
]
REPLIES = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=15).map("".join),
)
FINISH = st.sampled_from(["stop", "length", None])
LANGUAGES = st.sampled_from([None, "python", "javascript", "bash", "markdown", "Nim", ""])


def _read(reply: Reply, language: str | None) -> Solution | ReplyError:
    try:
        return read_reply(reply, language=language)
    except ReplyError as error:
        return error


@settings(deadline=None)
@given(text=REPLIES, finish=FINISH, language=LANGUAGES)
def test_a_reply_is_a_solution_or_a_typed_error(
    text: str, finish: FinishReason | None, language: str | None
) -> None:
    solution = _read(Reply(text=text, finish_reason=finish), language)
    if isinstance(solution, ReplyError):
        assert solution.message.endswith(".")
        return
    assert solution.files
    assert solution.language
    for file in solution.files:
        assert not file.path.startswith("/")
        assert ".." not in file.path.split("/")
        assert file.source.encode()
    assert Solution.model_validate_json(solution.model_dump_json()) == solution


@settings(deadline=None)
@given(text=REPLIES, finish=FINISH)
def test_prose_holds_no_thought_and_no_file(text: str, finish: FinishReason | None) -> None:
    try:
        solution = read_reply(Reply(text=text, finish_reason=finish), answer="prose")
    except ReplyError:
        return
    assert solution.is_prose
    assert solution.prefix.strip()


INSIDE = st.text(st.sampled_from("`~'\"\\{}<>&#! \u00a0\u201c\u200bax1é"), max_size=12)
LINES_INSIDE = st.lists(
    st.one_of(
        INSIDE, st.sampled_from(["```", "```python", "~~~", "<think>", "</think>", "!pip x"])
    ),
    max_size=5,
)
NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=5).map(lambda name: f"v_{name}")


def _long_string(lines: list[str]) -> str:
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', '"').rstrip('"')
    return f'"""\n{text}\n"""'


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Valid programs whose strings hold what a careless reader takes for the program's end."""
    imports = draw(st.lists(st.sampled_from(["import os", "import re", "from json import dumps"])))
    statements = draw(
        st.lists(
            st.one_of(
                st.tuples(NAMES, INSIDE).map(lambda pair: f"{pair[0]} = {pair[1]!r}"),
                st.tuples(NAMES, LINES_INSIDE).map(
                    lambda pair: f"{pair[0]} = {_long_string(pair[1])}"
                ),
                NAMES.map(lambda name: f"def f_{name}():\n    # it's `{name}`\n    return 1"),
                INSIDE.map(lambda text: f"print({text!r})  # ```"),
            ),
            min_size=1,
            max_size=6,
        )
    )
    return "\n".join([*imports, *statements])


def _without_blank_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


@settings(deadline=None)
@given(code=programs(), finish=FINISH)
def test_a_program_in_a_fence_comes_back_unchanged(code: str, finish: FinishReason | None) -> None:
    compile(code, "program", "exec")
    reply = Reply(text=f"Here it is:\n\n```python\n{code}\n```\nDone.", finish_reason=finish)
    solution = read_reply(reply)
    # A blank line may come in between imports and code.
    assert _without_blank_lines(solution.main.source) == _without_blank_lines(code)
    assert solution.prefix == "Here it is:"


@settings(deadline=None)
@given(code=programs(), ascii_only=st.booleans())
def test_a_program_in_json_comes_back_unchanged(code: str, ascii_only: bool) -> None:
    fields = {"prefix": "p", "imports": "", "code": code}
    text = json.dumps(fields, ensure_ascii=ascii_only)
    solution = read_reply(Reply(text=text, finish_reason="stop"))
    assert set(_without_blank_lines(solution.main.source)) == set(_without_blank_lines(code))
    assert solution.prefix == "p"


@pytest.mark.parametrize(
    "module",
    [
        *("argparse", "ast", "bisect", "cmd", "code", "csv", "dataclasses", "doctest", "fractions"),
        *("heapq", "html/__init__", "json/decoder", "pprint", "shlex", "string", "this"),
        *("textwrap", "tokenize", "turtle", "types", "unittest/case", "zipfile"),
    ],
)
@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_real_modules_come_back_unchanged(module: str, fence: str) -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    path = folder / f"{module}.py"
    if not path.exists():
        path = folder / module / "__init__.py"
    code = path.read_text("utf-8").strip("\n")
    reply = Reply(text=f"{fence}python\n{code}\n{fence}\n", finish_reason="length")
    source = read_reply(reply).main.source
    assert _without_blank_lines(source) == _without_blank_lines(code)


def test_what_was_read_is_read_again_as_itself() -> None:
    text = Path(__file__).read_text("utf-8")
    first = read_reply(Reply(text=f"````python\n{text}\n````{os.linesep}")).main
    again = read_reply(Reply(text=f"````python\n{first.source}\n````")).main
    assert again == first
