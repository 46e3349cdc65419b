"""A store of its own for each test, and the events that a session consists of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.domain.message import Message, Reply
from assay.domain.task import Task
from assay.store.records import StoredReply
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


@pytest.fixture(scope="session")
def stored() -> Callable[..., StoredReply]:
    """Make a reply with its prompt."""

    def make(**fields: Any) -> StoredReply:
        reply = StoredReply(
            step="generate",
            attempt=1,
            role="programmer",
            prompt_hash="h",
            time=1.0,
            messages=(Message(role="user", content="1 + 1?"),),
            reply=Reply(text="2"),
        )
        return reply.model_copy(update=fields)

    return make


@pytest.fixture
def run_child() -> Callable[..., str]:
    """Run a script that ends well in a process of its own; give what it prints."""

    def run(script: str, *arguments: object) -> str:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
