"""Sessions of a team, whose model says what a test has written down."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assay import Assay, Result, Task
from assay.domain.event import CallStarted, Event


@dataclass
class Team:
    """Runs tasks on the flow `team`, and keeps what happened."""

    script: Path
    events: list[Event] = field(default_factory=list)

    def will_say(self, *replies: str) -> None:
        """What the model says, one reply a call."""
        with self.script.open("a") as script:
            script.writelines(json.dumps({"text": reply}) + "\n" for reply in replies)

    async def run(self, task: Task) -> Result:
        """Run it to its end."""
        assay = Assay(model=f"scripted:{self.script}", flow="team")
        return await assay.run(task, self.events.append)

    def happened(self, kind: str) -> list[Any]:
        """All happenings of a kind."""
        return [one.happening for one in self.events if one.happening.kind == kind]

    @property
    def speakers(self) -> list[str]:
        """The roles whose model was asked, in order."""
        calls = [one.happening for one in self.events]
        return [call.role for call in calls if isinstance(call, CallStarted)]


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "replies.jsonl")


@pytest.fixture
def fenced() -> Callable[[str], str]:
    """Code as a model answers it."""
    return lambda code: f"Here it is.\n```python\n{code}\n```"
