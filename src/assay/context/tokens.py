"""Counting tokens with a tokenizer that needs no network."""

from __future__ import annotations

import functools
from typing import Protocol

CHUNK = 100_000
"""Characters that are encoded at once: the tokenizer refuses very long texts."""


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


@functools.cache
def _encoding() -> _Encoding:
    # Imported on first use: it takes half a second and 60 MB.
    from bpe_openai import get_encoding

    # The vocabulary that the embedded Qwen models' own was made from; they differ in digits.
    encoding: _Encoding = get_encoding("cl100k_base")
    return encoding


def count_tokens(text: str) -> int:
    """Count the tokens of `text`, where the names of special tokens are plain text.

    A model's own tokenizer may differ by some percent. Each cut between chunks may add a token.
    """
    return sum(
        len(_encoding().encode_ordinary(text[start : start + CHUNK]))
        for start in range(0, len(text), CHUNK)
    )
