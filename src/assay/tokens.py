"""Counting tokens with a tokenizer that needs no network."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Protocol

SLICE_CHARACTERS = 50_000
"""The tokenizer refuses what has more than 200,000 tokens; a character has at most four."""


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


def count_tokens(text: str) -> int:
    """Count the tokens of `text`, where the names of special tokens are plain text.

    A model's own tokenizer may differ by some percent. Each cut between slices may add a token.
    """
    encode = _encoding().encode_ordinary
    slices = range(0, len(text), SLICE_CHARACTERS)
    return sum(len(encode(text[start : start + SLICE_CHARACTERS])) for start in slices)


@cache
def _encoding() -> _Encoding:
    with warnings.catch_warnings():
        # It opens its data by a function that Python 3.11 and 3.12 call deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        # Imported on first use: it takes half a second and 60 MB.
        from bpe_openai import get_encoding

        # The vocabulary that the embedded Qwen models' own was made from; they differ in digits.
        encoding: _Encoding = get_encoding("cl100k_base")
        return encoding
