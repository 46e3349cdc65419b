"""Control sequences of programs and models never reach a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from assay.visible import visible


def test_sequences_are_shown_not_obeyed() -> None:
    assert visible("\x1b]0;title\x07\x1b[2Jhello") == r"\x1b]0;title\x07\x1b[2Jhello"
    assert visible("a\r\nb\tc") == "a\nb\tc"
    assert visible("safe \u202e evil") == r"safe \u202e evil"


@given(st.text(st.characters()))
def test_no_control_character_is_left(text: str) -> None:
    for character in visible(text):
        assert unicodedata.category(character) not in {"Cc", "Cs"} or character in "\n\t"
