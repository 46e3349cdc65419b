"""Counting tokens without asking a service, and without the network."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

MESSAGE_TOKENS = 4
"""What a chat format adds to each message, roughly."""

_SLICE_CHARACTERS = 50_000
"""The tokenizer refuses texts of a million characters, and of more than 200,000 tokens."""


def estimated_tokens(text: str) -> int:
    """Tokens in OpenAI's newer vocabulary: near enough for the models of other makers."""
    encode = _encoding().encode_ordinary
    slices = range(0, len(text), _SLICE_CHARACTERS)
    return sum(len(encode(text[start : start + _SLICE_CHARACTERS])) for start in slices)


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():
        # It opens its data by a function that Python 3.11 and 3.12 call deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        # Loading the vocabulary takes a moment, so it waits until it is needed.
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")
