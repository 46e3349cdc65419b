"""What a flow remembers between its nodes: plain JSON, so that checkpoints are safe to load."""

from __future__ import annotations

from typing import Any, TypedDict

from assay.agents.brief import Failed
from assay.agents.feedback import feedback_on
from assay.domain.answer import Attempt


class State(TypedDict):
    """Attempts as JSON (domain.answer.Attempt), the one being worked on apart from the rest."""

    attempts: list[dict[str, Any]]
    """Those that are over, oldest first."""
    draft: dict[str, Any] | None
    """The one between `generate` and its last check."""
    reflection: str
    """What the critic said of the last failure."""


def initial_state() -> State:
    """The state before the first attempt."""
    return State(attempts=[], draft=None, reflection="")


def attempts_of(state: State) -> tuple[Attempt, ...]:
    """The attempts that are over."""
    return tuple(Attempt.model_validate(attempt) for attempt in state["attempts"])


def failures_of(state: State, *, hide_tests: bool) -> tuple[Failed, ...]:
    """The attempts that are over as the next prompt needs them."""
    return tuple(
        Failed(attempt=a, feedback=feedback_on(a, hide_tests=hide_tests))
        for a in attempts_of(state)
    )
