"""Replies made to hang or crash their reader: each is read or refused, soon."""

from __future__ import annotations

import pytest

from assay.domain.message import FinishReason, Reply
from assay.domain.solution import Solution
from assay.errors import ReplyError
from assay.models.replies import read_reply

SIZE = 500_000

# Each is read in a fraction of a second; a reader that takes quadratic time needs an hour.
pytestmark = pytest.mark.timeout(10)

REPEATED = [
    *("`", "~", "{", "[", "(", "<", "<|", "|", "#", "*", "-", "> ", "&", "\\", '"', "'", ":"),
    *(" ", "\n", "\t \n", "\r", "\0", "\u200b", "\ud800", "word ", "a.", "__a", "`a` ", "`\n"),
    *("<think>", "<think>\n", "</think>", "</think>\n", "<think></think>", "[THINK]", "</s>"),
    *("```\n", "```python\n", "```\n~~~\n", "> ```\n", "- ```py\n", "x ```py\n", "```x```\n"),
    *("```python\nx=1\n```\n", "```python\n'''\n```\n", "<code>\n", '<file path="a.py">\n'),
    *('{"code": ', '{"code": "x", ', '{"code": "x"} ', '= {"code": "x"} ', '[{"path":'),
    *("**a.py** ", "**a.py**\n", "two files ", ">>> 1\n", "    x = 1\n", "    x = \n"),
    *("x = 1\n", "x = = 1\n\nfoo\n", "import ", "python ", "pip install ", "def f(", "class A: "),
    "```python\n" + "x = [1, 2, 3]\n" * 7000 + "```\n",
]
WRAPPED = [
    ("```python\n", "def f(a, b):\n    return a + b\n\n", "```"),
    ("```python\n", "import a\n", "x = \n```"),
    ("```python\n", "from __future__ import annotations\n", "```"),
    ("```python\n", "\u00a0x\n", "```"),
    ("```python\n", "&lt;", "\n```"),
    ("```python\n", "'", "\n```"),
    ("```python\n", "1+", "1\n```"),
    ("```python\n", "(", "\n```"),
    ("```python\n", " ", "x\n```"),
    ("```js\n", "function f(a) { return a }\n", "```"),
    ("```bash\n", "cat <<EOF\n", "```"),
    ("```bash\n", "pip install x\n", "```"),
    ("```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n", "+x\n", "-\n```"),
    ("```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n", "+", "\n-\n```"),
    ("```markdown\n", "```python\n```\n", "```"),
    ("```markdown\n", "```python\n", ""),
    ("```", "title=", ""),
    ("```", "python ", ""),
    ("", "</s>", "x"),
    ('{"code": "', "\\", ""),
    ('{"code": "', "x = 1\\n", '"}'),
    ('{"code": "', "x = 1\n\\d", '",'),
    ('{"code": "', "\": '", ""),
    ('{"code": ', "[", ""),
    ('{"files": {', '"a.py": "x = 1", ', '"b.py": ""}}'),
    ('"{', '\\"code\\":', ""),
]


def _read(text: str, finish_reason: FinishReason | None) -> None:
    outcome: Solution | ReplyError
    try:
        outcome = read_reply(Reply(text=text, finish_reason=finish_reason))
    except ReplyError as error:
        outcome = error
    if isinstance(outcome, ReplyError):
        assert 20 < len(outcome.message) < 300
    else:
        assert outcome.files


def _repeat(piece: str) -> str:
    return (piece * (SIZE // len(piece) + 1))[:SIZE]


@pytest.mark.parametrize("piece", REPEATED, ids=[ascii(piece[:20]) for piece in REPEATED])
def test_one_piece_again_and_again(piece: str) -> None:
    _read(_repeat(piece), "stop")


@pytest.mark.parametrize(("before", "piece", "after"), WRAPPED, ids=[ascii(w) for w in WRAPPED])
def test_one_piece_again_and_again_in_what_looks_like_a_reply(
    before: str, piece: str, after: str
) -> None:
    _read(before + _repeat(piece) + after, None)


def test_thousands_of_files_are_refused() -> None:
    text = "".join(f"**a{number}.py**\n```python\nx = {number}\n```\n" for number in range(900))
    with pytest.raises(ReplyError, match="at most 200"):
        read_reply(Reply(text=text, finish_reason="stop"))


def test_thousands_of_blocks_are_refused() -> None:
    with pytest.raises(ReplyError, match="blocks of code"):
        read_reply(Reply(text="```python\nx = 1\n```\n" * 2000, finish_reason="stop"))


def test_a_program_of_two_megabytes_comes_back_whole() -> None:
    code = "x = [1, 2, 3]\n" * 143_000
    solution = read_reply(Reply(text=f"```python\n{code}```\n", finish_reason="stop"))
    assert solution.main.source == code
