"""What providers ask for their tokens, as far as it is known."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from assay.models.service import Counted

_MILLION = 1_000_000
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    cached: float
    output: float

    def cost(self, counted: Counted) -> float:
        """US dollars for one call."""
        fresh = counted.input_tokens - counted.cached_tokens
        return (
            fresh * self.input
            + counted.cached_tokens * self.cached
            + counted.output_tokens * self.output
        ) / _MILLION


def price_of(name: str) -> Price | None:
    """The price of `provider:model`, also when the model's name ends with a date."""
    table = _prices()
    return table.get(name) or table.get(_DATED.sub("", name))


@cache
def _prices() -> dict[str, Price]:
    table = tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8"))
    return {name: Price(**price) for name, price in table.items()}
