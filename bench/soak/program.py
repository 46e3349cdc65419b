"""What is run in a soak, and what must come of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

Expected = Literal["verified", "not verified", "anything"]


@dataclass(frozen=True)
class Program:
    """A solution with its examples or tests."""

    kind: str
    """The row of the table that it counts in."""
    code: str
    examples: tuple[str, ...] = ()
    tests: str = ""
    expected: Expected = "anything"

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Program:
        """The reverse of `to_json`."""
        fields = json.loads(line)
        return cls(**{**fields, "examples": tuple(fields["examples"])})
