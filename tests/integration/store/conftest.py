"""A store of its own for each test, and the events that a session consists of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.domain.task import Task
from assay.store.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "assay.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store.open(path)
    yield store
    store.close()


@pytest.fixture
def session(store: Store) -> str:
    return store.create_session(flow="correct", model="scripted:x", task=Task(instructions="Add"))
