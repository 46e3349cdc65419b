"""What llama.cpp's server sends, read into pieces."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.event import PromptProgress, Text
from assay.errors import AssayError, BadInput, ModelFailed
from assay.models.embedded.chunks import failure_of_body, pieces_of_line
from assay.models.failures import Temporary
from assay.models.service import Alive, Counted, Ended, Piece


def read(chunk: Any) -> list[Piece]:
    return list(pieces_of_line(f"data: {json.dumps(chunk)}", "m"))


def choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_each_kind_of_chunk() -> None:
    progress = {"total": 34, "cache": 4, "processed": 20, "time_ms": 1}
    start = choice({"role": "assistant", "content": None}) | {"prompt_progress": progress}
    usage = {
        "prompt_tokens": 34,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    assert read(start) == [PromptProgress(done=20, total=34)]
    assert read(choice({"content": "Hello"})) == [Text(text="Hello")]
    assert read(choice({}, "stop")) == [Ended("stop")]
    assert read(choice({}, "length")) == [Ended("length")]
    assert read(choice({}, "tool_calls")) == [Ended("other")]
    assert read({"choices": [], "usage": usage}) == [Counted(34, 5, 4)]


@pytest.mark.parametrize(
    ("line", "pieces"),
    [("", []), (": ping", [Alive()]), ("event: message", []), ("data: [DONE]", [])],
)
def test_lines_without_a_chunk(line: str, pieces: list[Piece]) -> None:
    assert list(pieces_of_line(line, "m")) == pieces


def test_an_error_in_the_stream_carries_its_own_code() -> None:
    with pytest.raises(ModelFailed, match="bad grammar"):
        read({"error": {"code": 400, "message": "bad grammar", "type": "invalid_request_error"}})
    with pytest.raises(Temporary):
        list(pieces_of_line('error: {"code": 500}', "m"))


def test_a_prompt_that_is_too_long_is_the_users_to_shorten() -> None:
    body = {
        "code": 400,
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
    }
    assert isinstance(failure_of_body(400, json.dumps({"error": body}), "m"), BadInput)


@given(
    st.one_of(
        st.text(),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["choices", "delta", "error", "usage", "prompt_progress", "code"]
                    ),
                    inner,
                    max_size=4,
                )
            ),
        ).map(json.dumps),
    )
)
def test_nonsense_is_a_typed_failure_or_nothing(data: str) -> None:
    with suppress(AssayError, Temporary):
        list(pieces_of_line(f"data: {data}", "m"))
