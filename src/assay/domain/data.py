"""What all domain data has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Moment = Annotated[float, Field(ge=0, le=1e11)]
"""Seconds since the epoch, up to the year 5138: every clock's time zone can show them."""


class Data(BaseModel):
    """Immutable, strict about unknown names, and plain JSON when dumped with `mode="json"`."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )


def say_problem(problem: ErrorDetails) -> str:
    """What is wrong with a value; what a validator of ours says, as it says it."""
    return problem["msg"].removeprefix("Value error, ")
