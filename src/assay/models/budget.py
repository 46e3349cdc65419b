"""What a session may still spend, asked before each call."""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.domain.limits import Limits
from assay.domain.usage import Usage
from assay.errors import LimitReached


class Budget:
    """Counts usage against limits. The clock starts when it is made."""

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        *,
        usage: Usage | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Start counting.

        Args:
            limits: What may be spent.
            clock: Returns seconds; only differences count.
            usage: What was spent before, in another process.
            seconds: How long that took.
        """
        self._limits = limits
        self._clock = clock
        self._started = clock() - seconds
        self._usage = usage or Usage()

    @property
    def usage(self) -> Usage:
        """The sum of all that was added."""
        return self._usage

    def add(self, usage: Usage) -> None:
        """Count a call, failed or not."""
        self._usage += usage

    def check(self, prompt_tokens: int = 0) -> None:
        """Make sure that another call may be made.

        Args:
            prompt_tokens: About how many its prompt has.

        Raises:
            LimitReached: A limit is used up; the message names it, the use, and its flag.
        """
        limits, usage = self._limits, self._usage
        if usage.calls >= limits.calls:
            raise _reached(f"{limits.calls} calls", f"{usage.calls} were made", "Limits(calls=…)")
        if limits.tokens is not None and usage.tokens >= limits.tokens:
            raise _reached(f"{limits.tokens} tokens", f"{usage.tokens} were used", "--max-tokens")
        if limits.tokens is not None and usage.tokens + prompt_tokens >= limits.tokens:
            use = f"{usage.tokens} were used, and the next prompt has about {prompt_tokens}"
            raise _reached(f"{limits.tokens} tokens", use, "--max-tokens")
        if limits.cost is not None and usage.cost is not None and usage.cost >= limits.cost:
            raise _reached(f"${limits.cost:g}", f"${usage.cost:.4f} were spent", "--max-cost")
        seconds = self.remaining_seconds()
        if seconds is not None and seconds <= 0:
            raise self.out_of_time()

    def out_of_time(self) -> LimitReached:
        """The error for a session whose time is used up."""
        passed = self._clock() - self._started
        return _reached(f"{self._limits.seconds:g} seconds", f"{passed:.1f} passed", "--timeout")

    def remaining_output_tokens(self, prompt_tokens: int = 0) -> int | None:
        """The longest reply to such a prompt that still fits; at least 1. None: no limit."""
        if self._limits.tokens is None:
            return None
        return max(1, self._limits.tokens - self._usage.tokens - prompt_tokens)

    def remaining_seconds(self) -> float | None:
        """Wall time that is left; 0 when it is used up. None: no limit."""
        if self._limits.seconds is None:
            return None
        return max(0.0, self._limits.seconds - (self._clock() - self._started))


def _reached(limit: str, use: str, flag: str) -> LimitReached:
    return LimitReached(f"The limit of {limit} is reached: {use}. Raise it with {flag}.")
