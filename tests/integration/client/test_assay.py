"""Assay from Python, on a scripted model and the real sandbox."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay import Assay, Settings, Task
from assay.checks.subject import Subject
from assay.domain.limits import Limits
from assay.domain.solution import Solution
from assay.domain.task import TestFile
from assay.errors import BadInput

WRONG = "```python\ndef add(a, b):\n    return a - b\n```"
EXAMPLES = ("add(1, 2) == 3",)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model that answers wrongly three times."""
    path = tmp_path / "replies.jsonl"
    path.write_text(3 * (json.dumps({"text": WRONG}) + "\n"))
    return f"scripted:{path}"


async def test_a_task_without_limits_has_those_of_the_settings(model: str) -> None:
    assay = Assay(model=model, attempts=2)
    result = await assay.run(Task(instructions="Add.", examples=EXAMPLES))
    assert len(result.answer.attempts) == 2


async def test_the_limits_of_a_task_come_first(model: str) -> None:
    task = Task(instructions="Add.", examples=EXAMPLES, limits=Limits(attempts=1))
    result = await Assay(model=model, attempts=2).run(task)
    assert len(result.answer.attempts) == 1


async def test_leaving_the_events_stops_the_session(model: str) -> None:
    assay = Assay(model=model)
    events = assay.events(Task(instructions="Add.", examples=EXAMPLES))
    async for event in events:
        if event.happening.kind == "call_ended":
            break
    await events.aclose()
    store = assay.open_store()
    (session,) = store.sessions()
    store.close()
    assert session.state == "stopped"
    assert session.id == event.session


@pytest.mark.parametrize("asks", [True, False])
async def test_other_work_goes_on_while_tests_are_read(model: str, asks: bool) -> None:
    """With what is read at once, the first step of the call would already have refused them."""
    tests = (TestFile(name="test_it.py", source="x = 1\n"),)
    assay = Assay(model=model)
    call = (
        assay.run(Task(instructions="Add.", tests=tests))
        if asks
        else assay.check(Subject(Solution(), tests=tests))
    )
    running = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    assert not running.done()
    with pytest.raises(BadInput, match="holds no test"):
        await running


def test_settings_are_given_in_one_way() -> None:
    with pytest.raises(TypeError, match="not both"):
        Assay(Settings(), attempts=2)


def test_a_check_loads_neither_database_nor_graph_nor_models() -> None:
    code = (
        "import sys, assay.client; "
        "heavy = {'sqlalchemy', 'langgraph', 'langchain_core'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout.strip() == "[]"
