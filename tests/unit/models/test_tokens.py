"""Counting tokens offline."""

from __future__ import annotations

import pytest

from assay.models.prices import price_of
from assay.models.tokens import estimated_tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("one two three", 3), ("a = b", 3)])
def test_small_texts(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@pytest.mark.parametrize("text", ["a" * 1_500_000, " " * 1_500_000, "\N{SNOWMAN}x" * 500_000])
def test_large_texts_are_counted_too(text: str) -> None:
    assert len(text) / 200 < estimated_tokens(text) <= len(text.encode())


def test_what_looks_like_a_special_token_is_plain_text() -> None:
    assert estimated_tokens("<|endoftext|>") > 1


def test_a_dated_name_has_the_price_of_its_model() -> None:
    assert price_of("openai:gpt-4.1-2025-04-14") == price_of("openai:gpt-4.1") is not None
    assert price_of("anthropic:claude-haiku-4-5-20251001") is not None


def test_no_price_is_guessed() -> None:
    assert price_of("openai:gpt-4.1-new") is None
    assert price_of("embedded:qwen2.5-coder-0.5b") is None
