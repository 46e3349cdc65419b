from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from assay.domain.event import Text
from assay.domain.task import Attachment
from assay.store.json_text import to_json

TEXT = TypeAdapter(Text)


@given(st.text(st.characters(codec="utf-8")))
def test_text_comes_back_as_it_was(text: str) -> None:
    assert TEXT.validate_json(to_json(TEXT, Text(text=text))).text == text


@given(st.text(st.characters()))
def test_any_string_can_be_stored(text: str) -> None:
    stored = to_json(TEXT, Text(text=text))
    stored.encode()
    assert TEXT.validate_json(stored).text == text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "replace"
    )


@pytest.mark.parametrize("indent", [None, 2])
def test_halves_of_a_character_are_joined(indent: int | None) -> None:
    stored = to_json(TEXT, Text(text="\ud83d\ude00 \ud800"), indent=indent)
    assert TEXT.validate_json(stored).text == "😀 \ufffd"


def test_bytes_come_back_beside_broken_text() -> None:
    adapter = TypeAdapter(Attachment)
    broken = Attachment(name="\udcff", content=bytes(range(256)))
    assert adapter.validate_json(to_json(adapter, broken)).content == broken.content
