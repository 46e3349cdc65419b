"""A store of its own for each test, and the events that a session consists of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
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


@pytest.fixture
def run_child() -> Callable[..., str]:
    """Run a script that ends well in a process of its own; give what it prints."""

    def run(script: str, *arguments: object) -> str:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
