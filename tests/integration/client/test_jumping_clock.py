"""The machine's clock jumps by months at every look: sessions go by what only goes forward."""

from __future__ import annotations

import json
import time
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from assay.client import Assay
from assay.domain.answer import Status
from assay.domain.limits import Limits
from assay.domain.task import Task

MONTHS = 10_000_000.0
WRONG = "```python\ndef add(a, b):\n    return a - b\n```"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"


@pytest.fixture(params=["forward", "backward", "to and fro"])
def _jumping(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, started = count(1), time.time()

    def jumped() -> float:
        look = next(looks)
        steps = {"forward": look, "backward": -look, "to and fro": look % 2}
        return started + MONTHS * steps[str(request.param)]

    monkeypatch.setattr(time, "time", jumped)


@pytest.mark.usefixtures("_jumping")
async def test_a_session_is_whole_whatever_the_clock_says(tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text("".join(json.dumps({"text": text}) + "\n" for text in (WRONG, RIGHT)))
    task = Task(
        instructions="Add two numbers.",
        examples=("add(1, 2) == 3",),
        limits=Limits(seconds=100),
    )
    assay = Assay(model=f"scripted:{script}", data_folder=tmp_path / "data")
    shown: list[int] = []
    result = await assay.run(task, lambda event: shown.append(event.sequence))
    assert result.answer.status is Status.VERIFIED, result.answer
    assert 0 <= result.answer.usage.seconds < 100
    assert result.receipt is not None
    assert (await assay.verify(result.receipt)).holds
    with closing(assay.open_store()) as store:
        events = list(store.events(result.session))
        assert [event.sequence for event in events] == shown == list(range(1, len(shown) + 1))
        assert [event.happening.kind for event in events][-1] == "answer_given"
        assert store.find(result.session[:10]) == result.session
        again = await assay.run(task.model_copy(update={"limits": Limits(attempts=1)}))
        assert again.session != result.session
        for session in (result.session, again.session):
            store.delete(session)
        assert store.sessions(limit=9) == []
    assert list((tmp_path / "data" / "receipts").iterdir()) == []
