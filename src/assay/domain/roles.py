"""The roles that agents have, and what a person may set for each."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from assay.domain.data import Data

RoleName = Literal["manager", "planner", "programmer", "optimizer", "tester", "check_in", "critic"]
ROLE_NAMES: tuple[RoleName, ...] = get_args(RoleName)


class Role(Data):
    """Who speaks to a model, and what for."""

    name: RoleName
    title: str
    """As people write it."""
    does: str
    """In a few words."""


ROLES: tuple[Role, ...] = (
    Role(
        name="manager", title="Manager", does="chooses where there is a choice, has the last word"
    ),
    Role(name="planner", title="Planner", does="divides a task into steps"),
    Role(name="programmer", title="Programmer", does="writes code, and mends it"),
    Role(name="tester", title="Tester", does="writes tests from the task, and work to measure"),
    Role(name="optimizer", title="Optimizer", does="proposes code that is faster or smaller"),
    Role(name="check_in", title="Check-In", does="writes what a change is told with"),
    Role(name="critic", title="Critic", does="says why an attempt failed (--reflect)"),
)

_TITLES: dict[str, str] = {role.name: role.title for role in ROLES}


def title_of(role: str) -> str:
    """A role's name as people write it."""
    return _TITLES.get(role, role)


class AgentSettings(Data):
    """What is set for one role; None leaves it as it is."""

    model: str | None = None
    """The model as `provider:name`; None: the session's."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None: what suits the role."""
    asked: bool = True
    """False leaves the role out, where a team can do without it."""


Agents = dict[RoleName, AgentSettings]
"""By role; what is not there is as usual."""
