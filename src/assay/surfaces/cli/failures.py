"""A test that failed, in the lines that a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.domain.verdict import Failure


def say_failure(failure: Failure) -> Iterator[tuple[str, str]]:
    """What is said below the test's name, line by line, each with its style."""
    if failure.where:
        yield f"where    {failure.where}", "dim"
    if failure.expected:
        yield f"expected {failure.expected}", "green"
    if failure.got:
        yield f"got      {failure.got}", "red"
    if failure.message:
        yield failure.message, "dim"
