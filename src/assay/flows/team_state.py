"""What the flow `team` remembers between its nodes, beside the attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.domain.answer import Attempt
from assay.domain.data import Data
from assay.domain.plan import Plan
from assay.domain.solution import Solution
from assay.domain.team import TeamRecord
from assay.flows.state import State, attempts_of


class TeamState(Data):
    """Plain data; each node gives the next one a changed copy."""

    record: TeamRecord = TeamRecord()
    tries: int = 0
    """Attempts in the current step."""
    replans: int = 0
    tested: int = 0
    """The last step that the Tester has written for."""
    base: int | None = None
    """Number of the attempt that the last finished step came to."""
    way: str = ""
    """The node that comes next, where that is decided."""

    @classmethod
    def of(cls, state: State) -> TeamState:
        """The team's part of a graph's state."""
        return cls.model_validate(state.get("team") or {})

    def update(self, record: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
        """The change of the graph's state: fields of its own, and of its record."""
        if record:
            changes["record"] = self.record.model_copy(update=record)
        return {"team": self.model_copy(update=changes).model_dump(mode="json")}

    @property
    def plan(self) -> Plan:
        """The plan; there is one once the first node has run."""
        return self.record.plan or Plan(steps=())

    @property
    def step(self) -> int:
        """Number of the step that is worked on, from 1."""
        return min(self.record.done + 1, max(1, len(self.plan.steps)))

    @property
    def is_last_step(self) -> bool:
        """Whether no step follows."""
        return self.step >= len(self.plan.steps)

    def present(self, state: State) -> Solution | None:
        """What the steps before have come to."""
        numbers = {one.number: one.solution for one in attempts_of(state)}
        return numbers.get(self.base) if self.base is not None else None


def team_record(values: Mapping[str, Any]) -> TeamRecord | None:
    """What a team did, from a checkpoint; None in a flow without one.

    Raises:
        ValueError: it is no state of this version's.
    """
    kept = values.get("team")
    return TeamState.model_validate(kept).record if kept else None


def draft_of(state: State) -> Attempt:
    """The attempt that is worked on."""
    return Attempt.model_validate(state["draft"])
