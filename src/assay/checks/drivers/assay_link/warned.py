"""Warnings of the solution, which the tests' own filters are to see."""

from __future__ import annotations

import warnings
from typing import Any

from .decoding import BadWire
from .describing import clip

MAX_KEPT = 1_000
"""Warnings between two messages; what is more is dropped."""


class Warned:
    """Keeps the warnings of the solution's process."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, str, str, int]] = []
        warnings.simplefilter("always")
        show: Any = self._show
        warnings.showwarning = show

    def take(self) -> list[tuple[Any, str, str, int]]:
        """Class, text and place of each warning since the last time."""
        kept, self._kept = self._kept, []
        return kept

    def _show(self, message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
        if len(self._kept) < MAX_KEPT:
            self._kept.append((category, clip(str(message)), clip(filename), int(lineno)))


def warn_here(category: Any, text: Any, filename: Any, lineno: Any) -> None:
    """Give a warning of the solution's to the tests.

    Raises:
        Warning: the tests' filters make an error of it.
    """
    warnings.warn_explicit(text, category, filename, lineno)


def check(category: Any, text: Any, filename: Any, lineno: Any) -> None:
    """See that this is a warning.

    Raises:
        BadWire: it is none.
    """
    is_category = isinstance(category, type) and issubclass(category, Warning)
    if not (is_category and type(text) is type(filename) is str and type(lineno) is int):
        raise BadWire("a warning is none")
