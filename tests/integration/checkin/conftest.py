"""A server that stands for GitHub, and what is checked in to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.forge import Forge, serve

from assay.checkin.change import Change


@pytest.fixture
def forge() -> Iterator[Forge]:
    with serve() as one:
        yield one


@pytest.fixture
def change() -> Callable[..., Change]:
    """A change with the files that are given."""

    def make(**files: str) -> Change:
        return Change(
            session="20261201-abcdefgh",
            title="Add numbers",
            words="So that they are added.",
            evidence="**VERIFIED: 1 of 1 example passed.**",
            headline="VERIFIED: 1 of 1 example passed.",
            files={name: text.encode() for name, text in (files or {"add.py": "x = 1\n"}).items()},
        )

    return make
