"""What model calls have cost."""

from __future__ import annotations

from assay.domain.data import Data


class Usage(Data):
    """Sums over calls; `a + b` adds them up."""

    calls: int = 0
    input_tokens: int = 0
    """All tokens of the prompts, cached ones included."""
    cached_tokens: int = 0
    """The part of `input_tokens` that the service had in its prompt cache."""
    output_tokens: int = 0
    cost: float | None = None
    """US dollars; None where no price is known."""
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=sum(known) if known else None,
            seconds=self.seconds + other.seconds,
        )
