"""What tokens cost."""

from __future__ import annotations

from assay.models.prices import price_of


def test_a_dated_name_has_the_price_of_its_model() -> None:
    assert price_of("openai:gpt-4.1-2025-04-14") == price_of("openai:gpt-4.1") is not None
    assert price_of("anthropic:claude-haiku-4-5-20251001") is not None


def test_no_price_is_guessed() -> None:
    assert price_of("openai:gpt-4.1-new") is None
    assert price_of("embedded:qwen2.5-coder-0.5b") is None
