"""What a flow remembers between its nodes: plain JSON, so that checkpoints are safe to load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

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
    team: NotRequired[dict[str, Any]]
    """What the flow `team` remembers beside that, once it has begun."""


def initial_state() -> State:
    """The state before the first attempt."""
    return State(attempts=[], draft=None, reflection="")


def attempts_of(state: State) -> tuple[Attempt, ...]:
    """The attempts that are over."""
    return tuple(Attempt.model_validate(attempt) for attempt in state["attempts"])


def all_attempts(values: Mapping[str, Any]) -> tuple[Attempt, ...]:
    """The attempts of a state that was read from a checkpoint, the one being worked on included.

    Raises:
        LookupError, TypeError, ValueError: it is no state of this version's.
    """
    state = State(
        attempts=values["attempts"], draft=values["draft"], reflection=values["reflection"]
    )
    attempts = attempts_of(state)
    draft = state["draft"]
    return attempts if draft is None else (*attempts, Attempt.model_validate(draft))


def failures_of(attempts: Iterable[Attempt], *, hide_tests: bool) -> tuple[Failed, ...]:
    """Attempts that are over as the next prompt needs them."""
    return tuple(
        Failed(attempt=a, feedback=feedback_on(a, hide_tests=hide_tests)) for a in attempts
    )
