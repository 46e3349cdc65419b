"""Failures, documentation and checks in the words that a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.domain.event import DocumentationRead
    from assay.domain.verdict import CheckName, Failure


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


def say_documentation(read: DocumentationRead) -> str:
    """What was read, and what of it the model sees."""
    text = f"documentation: {read.pages} pages, {read.tokens:,} tokens"
    if not read.left_out:
        return f"{text}, all of it in the prompt"
    return f"{text}; {read.used_tokens:,} in the prompt, left out: {_listed(read.left_out)}"


def _listed(names: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def say_check(check: CheckName) -> str:
    """A check's name."""
    return check.value.replace("_", " ")
