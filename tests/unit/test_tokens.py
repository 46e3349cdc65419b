"""Counting tokens offline."""

from __future__ import annotations

import pytest

from assay.tokens import count_tokens

RARE = "".join(map(chr, range(0x20000, 0x20000 + 20_000))) * 10
"""Characters that take four tokens each."""


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("one two three", 3), ("a = b", 3)])
def test_small_texts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@pytest.mark.parametrize("text", ["a" * 1_500_000, " " * 1_500_000, "\N{SNOWMAN}x" * 500_000, RARE])
def test_large_texts_are_counted_too(text: str) -> None:
    assert len(text) / 200 < count_tokens(text) <= len(text.encode())


def test_what_looks_like_a_special_token_is_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
