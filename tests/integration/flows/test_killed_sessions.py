"""Sessions that are killed between any two writes end as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assay.domain.task import Task
from assay.store.store import Store

SCRIPT = Path(__file__).with_name("killed_session.py")

WRONG = "```python\ndef add(a, b):\n    return a - b\n```"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"
SAID = {
    "You review": "It subtracts.",
    "You test programs": "```python\nassert add(2, 2) == 4\nassert add(0, 5) == 5\n```",
    "You lead a small team that has worked": "You get add.",
}
"""What the other agents say, by their prompts."""

DIFFERS = {"seconds", "cpu_seconds", "peak_memory_bytes", "time", "created", "sequence"}
"""What is not the same in two runs of one session."""
PASSING = {"text", "session_resumed"}


@dataclass
class Rig:
    """Runs sessions in processes that may be killed, and tells what they leave."""

    folder: Path
    service: Any
    server: subprocess.Popen[str]
    settings: dict[str, Any]
    task: Task
    numbers: Iterator[int] = field(default_factory=count)

    def begin(self) -> Path:
        """A data folder for one session, with a database, so that its first write is a session."""
        self.service.requests.clear()
        data = self.folder / str(next(self.numbers))
        Store.open(data / "assay.db").close()
        return data

    def run(
        self, data: Path, kill: tuple[int, str] | None = None, *, resumed: bool = False
    ) -> int | None:
        """Run the session or go on with it; how many writes it made, None: it was killed."""
        written = self.folder / "count"
        order = {
            "settings": {**self.settings, "data_folder": str(data)},
            "task": self.task.model_dump(mode="json", exclude_unset=True),
            "kill": kill,
            "resumed": resumed,
            "count": str(written),
        }
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        print(json.dumps(order), file=self.server.stdin, flush=True)
        status = int(self.server.stdout.readline())
        if status == -signal.SIGKILL:
            return None
        assert status == 0, f"a session that was to be killed at {kill} ended with {status}"
        return int(written.read_text())

    def left(self, data: Path) -> dict[str, Any]:
        """What a session left behind, without what differs from run to run."""
        with closing(Store.open(data / "assay.db")) as store:
            (session,) = store.sessions()
            events = [e.happening.model_dump(mode="json") for e in store.events(session.id)]
            told = {
                "events": [event for event in events if event["kind"] not in PASSING],
                "usage": session.usage.model_dump(mode="json"),
                "state": session.state,
                "replies": [r.model_dump(mode="json") for r in store.replies(session.id)],
                "receipts": [
                    json.loads(path.read_text()) for path in (data / "receipts").iterdir()
                ],
            }
        text = json.dumps(told).replace(session.id, "ID").replace(str(data), "DATA")
        comparable: dict[str, Any] = _without_differences(json.loads(text))
        return comparable

    def unpaid(self, data: Path) -> int:
        """How many calls were made whose replies are not there."""
        with closing(Store.open(data / "assay.db")) as store:
            kept = sum(len(store.replies(session.id)) for session in store.sessions())
        return len(self.service.requests) - kept


def _without_differences(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_differences(v) for k, v in value.items() if k not in DIFFERS}
    if isinstance(value, list):
        return [_without_differences(item) for item in value]
    return value


@pytest.fixture
def rig(tmp_path: Path, service: Any, answers: Any) -> Iterator[Callable[..., Rig]]:
    """Make a rig for a flow; replies of its model depend on nothing but the prompt."""

    def answer(handler: Any) -> None:
        prompt = json.dumps(handler.server.requests[-1]["messages"])
        code = RIGHT if "An earlier answer" in prompt else WRONG
        others = (text for words, text in SAID.items() if words in prompt)
        answers.replies(next(others, code))(handler)

    service.answers = [answer]
    server = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ASSAY_ALLOW_MODEL_CALLS": "true", "OPENAI_API_KEY": "x"},
    )

    def make(flow: str, sandbox: str = "none", **task: Any) -> Rig:
        """Where programs run plays no part in most of this, and without walls it is quicker."""
        settings = {
            "model": "openai:m",
            "base_url": service.url,
            "flow": flow,
            "sandbox": sandbox,
        }
        asked = Task(instructions="Add.", examples=("add(1, 2) == 3",), **task)
        return Rig(tmp_path, service, server, settings, asked)

    with server:
        yield make
        assert server.stdin is not None
        server.stdin.close()


def sweep(rig: Rig, step: int = 1) -> None:
    """Kill a session at every `step`th write, and see that it ends as one that was not."""
    undisturbed = rig.begin()
    writes = rig.run(undisturbed)
    assert writes is not None
    expected, calls = rig.left(undisturbed), len(rig.service.requests)
    for number in range(1, writes + 1, step):
        for moment in ("before", "after"):
            if (number, moment) == (1, "before"):
                continue  # there is no session yet
            data = rig.begin()
            assert rig.run(data, (number, moment)) is None
            # Of a reply that came in, nobody can know before it is written.
            lost = rig.unpaid(data)
            assert lost <= 1
            assert rig.run(data, resumed=True) is not None
            assert rig.left(data) == expected, f"killed {moment} write {number} of {writes}"
            assert len(rig.service.requests) == calls + lost


@pytest.mark.timeout(500)
@pytest.mark.parametrize(("flow", "step"), [("single", 2), ("correct", 9), ("team", 31)])
def test_a_killed_session_ends_as_if_nothing_had_happened(
    rig: Callable[..., Rig], flow: str, step: int
) -> None:
    sweep(rig(flow), step)


@pytest.mark.slow
@pytest.mark.timeout(2000)
@pytest.mark.parametrize(
    ("flow", "reflect", "step"),
    [("single", False, 1), ("correct", True, 1), ("team", False, 5)],
)
def test_so_it_does_wherever_it_is_killed(
    rig: Callable[..., Rig], flow: str, reflect: bool, step: int
) -> None:
    sweep(rig(flow, "auto", reflect=reflect), step)


@pytest.mark.timeout(500)
def test_a_session_that_is_killed_twice_survives(rig: Callable[..., Rig]) -> None:
    rig_of = rig("correct", "auto", reflect=True)
    undisturbed = rig_of.begin()
    writes = rig_of.run(undisturbed)
    assert writes is not None
    expected = rig_of.left(undisturbed)
    for second in count(1, 9):
        data = rig_of.begin()
        assert rig_of.run(data, (writes // 2, "after")) is None
        resumed = rig_of.run(data, (second, "after"), resumed=True)
        if resumed is None:
            assert rig_of.run(data, resumed=True) is not None
        assert rig_of.left(data) == expected, f"killed after write {second} of the resume"
        if resumed is not None:
            break
