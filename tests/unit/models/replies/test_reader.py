"""What the cases do not say: prose, prefixes, messages, what is set apart."""

from __future__ import annotations

import pytest

from assay.domain.message import FinishReason, Reply
from assay.domain.solution import Solution
from assay.errors import NoCode, ReplyError, TruncatedReply, UnsafePath
from assay.models.replies import read_reply


def _read(text: str, finish_reason: FinishReason | None = "stop", **options: str) -> Solution:
    return read_reply(
        Reply(text=text, finish_reason=finish_reason), language=options.get("language")
    )


def test_prose_is_the_whole_text_without_thoughts() -> None:
    text = "<think>hm</think>Use a pipe:\n```python\na | b\n```\nThat is all.\n"
    solution = read_reply(Reply(text=text), answer="prose")
    assert solution.is_prose
    assert solution.prefix == "Use a pipe:\n```python\na | b\n```\nThat is all."


@pytest.mark.parametrize(
    "text",
    [
        '{"prefix": "It depends.", "imports": "", "code": ""}',
        '{"prefix": "It depends."}',
        '```json\n{"prefix": "It depends.", "code": null}\n```',
    ],
)
def test_prose_is_taken_out_of_an_object(text: str) -> None:
    assert read_reply(Reply(text=text), answer="prose").prefix == "It depends."


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff", "<think>hm</think>\n", "<|im_end|>"])
def test_no_prose_is_no_answer(text: str) -> None:
    with pytest.raises(NoCode, match="empty"):
        read_reply(Reply(text=text), answer="prose")


def test_prose_that_is_still_thinking_was_cut() -> None:
    reply = Reply(text="<think>I wonder", finish_reason="length")
    with pytest.raises(TruncatedReply, match="thinking"):
        read_reply(reply, answer="prose")


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("Adds.\n\n```python\nx = 1\n```\nDone.", "Adds."),
        ("```python\nx = 1\n```\nDone.", "Done."),
        ("Adds.\n\n**a.py**\n```python\nx = 1\n```", "Adds."),
        ("Save it as `a.py`, then run:\n```python\nx = 1\n```", "Save it as `a.py`, then run:"),
        ('So: {"code": "x = 1"}', "So:"),
        ("Adds.\n\nx = 1\n", "Adds."),
    ],
)
def test_the_prefix_is_the_prose_before_the_program(text: str, prefix: str) -> None:
    assert _read(text).prefix == prefix


def test_calls_that_show_the_usage_are_set_apart() -> None:
    block = "```python\n{}\n```\n"
    text = block.format("def f():\n    return 1") + "Usage:\n" + block.format("print(f())")
    solution = _read(text)
    assert solution.main.source == "def f():\n    return 1\n"
    assert solution.set_apart == "print(f())"


@pytest.mark.parametrize(
    ("text", "language", "error", "says"),
    [
        ("I cannot.", None, NoCode, "one fence"),
        ("I cannot.", "Python 3", NoCode, "in python"),
        ("```js\nlet x = 1\n```", "py", NoCode, "holds javascript, and no code in python"),
        ("```diff\n-x = 1\n+x = 2\n```", None, NoCode, "a difference only"),
        ('{"code": null}', None, NoCode, "`code` is missing"),
        ("```python:../a.py\nx = 1\n```", None, UnsafePath, "'../a.py'.*climbs"),
        ("```python:/a.py\nx = 1\n```", None, UnsafePath, "absolute"),
        ("```python:.hg/hook.py\nx = 1\n```", None, UnsafePath, "version control"),
        ("```python:GIT~1/hook.py\nx = 1\n```", None, UnsafePath, "version control"),
    ],
)
def test_an_error_says_what_to_do(
    text: str, language: str | None, error: type[ReplyError], says: str
) -> None:
    with pytest.raises(error, match=says):
        read_reply(Reply(text=text, finish_reason="stop"), language=language)


def test_a_missing_file_is_named() -> None:
    text = "`a.py` and `b.py` follow.\n\n**a.py**\n```python\nx = 1\n```\n"
    with pytest.raises(TruncatedReply, match=r"before b\.py"):
        _read(text, "length")


@pytest.mark.parametrize("finish", ["stop", None])
def test_names_in_prose_are_no_promise_where_nothing_was_cut(finish: FinishReason | None) -> None:
    text = "Like `a.py` and `b.py`.\n\n**c.py**\n```python\nx = 1\n```\nDone."
    assert [file.path for file in _read(text, finish).files] == ["c.py"]


@pytest.mark.parametrize(
    ("code", "language", "whole"),
    [
        ("console.log({a: [1]});\n", "js", True),
        ("function f() {\n", "js", False),
        ("f(]\n", "js", False),
        ('{"a": 1}\n', "json", True),
        ('{"a": \n', "json", False),
        ("x = 1\n", "python", True),
        ("x = (1\n", "python", False),
        ("\n", "js", False),
    ],
)
def test_an_open_fence_whose_end_is_unknown_has_to_look_whole(
    code: str, language: str, whole: bool
) -> None:
    if whole:
        assert _read(f"```{language}\n{code}", None).files
    else:
        with pytest.raises(ReplyError):
            _read(f"```{language}\n{code}", None)
