"""Keys have no place on a tape: their values are replaced before anything is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from assay.domain.message import Prompt

MARK = "[secret]"
"""Stands for any key: which variable holds it may differ where a tape is played."""

SHORTEST = 6
"""Characters; what is shorter is no key, and stands in many a text by chance."""

_LOOKS_LIKE_A_KEY = re.compile(
    r"(^|_)(API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE
)
_IN_AN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+(?=@)")


@dataclass(frozen=True)
class Secrets:
    """Values that must not be written down."""

    values: tuple[str, ...] = ()

    @classmethod
    def of(cls, variables: Mapping[str, str], names: Iterable[str] = ()) -> Self:
        """Collect the values of the variables in `names`, and of those that look like keys."""
        named = set(names)
        values = {
            value
            for name, value in variables.items()
            if len(value) >= SHORTEST and (name in named or _LOOKS_LIKE_A_KEY.search(name))
        }
        # Where one is part of another, the whole has to go first.
        return cls(tuple(sorted(values, key=len, reverse=True)))

    def hide(self, text: str) -> str:
        """The text with a mark in place of each value."""
        for value in self.values:
            text = text.replace(value, MARK)
        return text

    def hide_in(self, prompt: Prompt) -> Prompt:
        """The prompt with marks."""
        hidden = tuple(
            message.model_copy(update={"content": self.hide(message.content)})
            for message in prompt.messages
        )
        return prompt.model_copy(update={"messages": hidden})

    def hide_in_error(self, text: str) -> str:
        """An error's sentence with marks; who is named in an address before an @ goes too."""
        return _IN_AN_ADDRESS.sub(MARK, self.hide(text))
