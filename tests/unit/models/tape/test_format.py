"""Tapes that are cut, edited, from elsewhere, or no tapes at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.domain.message import Reply
from assay.errors import TapeError
from assay.models.tape import format as tape_format
from assay.models.tape.format import read_tape, to_line

Rig = Any
Line = Any


def test_a_last_line_that_is_cut_is_left_out(rig: Rig, line: Line) -> None:
    whole = line()
    for cut in range(1, len(whole) - 1):
        rig.write(whole, whole[:cut])
        tape = rig.tape
        assert (len(tape.calls), tape.is_cut) == (1, True)
    rig.write(whole, whole[:-1])
    assert (len(rig.tape.calls), rig.tape.is_cut) == (2, False)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"reply": None}, "either a reply or an error"),
        ({"error": {"kind": "model_failed", "message": ""}}, "either a reply or an error"),
        ({"reply": None, "error": {"kind": "odd", "message": ""}}, "no error of the kind odd"),
        ({"reply": {"text": 5}}, "reply.text: Input should be a valid string"),
        ({"prompt": {}}, "prompt.messages: Field required"),
        ({"more": 1}, "more: Extra inputs are not permitted"),
    ],
)
def test_an_edited_line_is_named(rig: Rig, line: Line, changes: Any, why: str) -> None:
    rig.write(line(), line(**changes), line())
    with pytest.raises(TapeError, match=rf"Line 3 of the tape .* as Assay wrote it: .*{why}"):
        rig.tape  # noqa: B018


@pytest.mark.parametrize("middle", [b"\n", b"{]\n", b"[]\n", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_a_line_in_the_middle_that_is_no_object_is_named(
    rig: Rig, line: Line, middle: bytes
) -> None:
    rig.write(line(), middle, line())
    with pytest.raises(TapeError, match="Line 3 of the tape"):
        rig.tape  # noqa: B018


def test_text_that_no_encoding_knows_is_kept(rig: Rig, line: Line) -> None:
    rig.write(line())
    text = "half \ud83d, ü, \u2028, \x00"
    (call,) = rig.tape.calls
    rig.write(to_line(call.model_copy(update={"reply": Reply(text=text)})))
    assert rig.tape.calls[0].reply.text == text
    assert rig.path.read_bytes().isascii()


def test_a_newer_tape_asks_for_a_newer_assay(rig: Rig) -> None:
    rig.path.write_text('{"tape": 2, "what": "ever"}\n')
    with pytest.raises(TapeError, match=r"newer Assay \(tape version 2, .* Update Assay"):
        rig.tape  # noqa: B018


@pytest.mark.parametrize("content", ["", "{", '{"text": "a reply"}\n', "{}\n", '{"tape": "1"}\n'])
def test_what_is_no_tape_is_said_to_be_none(rig: Rig, content: str) -> None:
    rig.path.write_text(content)
    with pytest.raises(TapeError, match="is no tape"):
        rig.tape  # noqa: B018


def test_a_head_that_was_edited_is_named(rig: Rig) -> None:
    rig.path.write_text('{"tape": 1, "assay": "1", "model": "a:b", "context_tokens": "many"}\n')
    with pytest.raises(TapeError, match=r"Line 1 of the tape .* context_tokens"):
        rig.tape  # noqa: B018


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(TapeError, match=r"does not exist\. .* --record"):
        read_tape(tmp_path / "missing")
    with pytest.raises(TapeError, match="is a folder"):
        read_tape(tmp_path)
    with pytest.raises(TapeError, match="cannot be read"):
        read_tape(tmp_path / "a\0b")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TapeError, match="not a regular file"):
        read_tape(tmp_path / "pipe")


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(tape_format.SIZE_LIMIT + 1)
    with pytest.raises(TapeError, match="larger than 256 MiB"):
        read_tape(path)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_found_or_does_no_harm(rig: Rig, line: Line, data: st.DataObject) -> None:
    rig.write(line(), line())
    content = bytearray(rig.path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    rig.path.write_bytes(content)
    try:
        tape = rig.tape
    except TapeError:
        return
    assert len(tape.calls) <= 2
    assert json.dumps([call.model_dump(mode="json") for call in tape.calls])
