"""Every program of the cases ends as it should, whoever runs it."""

from __future__ import annotations

import json
import resource
import socket
import uuid
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import processes_with

from assay.sandbox.protocol import Ending, Job, Run

CASES = Path(__file__).parents[2] / "cases" / "programs.jsonl"
PROGRAMS = [
    pytest.param(case, id=case["id"])
    for case in map(json.loads, CASES.read_text("utf-8").splitlines())
    if "tests" not in case["given"]
]


@pytest.fixture
def port() -> Iterator[int]:
    """A port of the host's that answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a key in it."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_planted").write_text("secret")
    return tmp_path


def outcome(run: Run) -> str:
    """What the check `execution` would say."""
    if run.ending is Ending.EXITED:
        return "passed" if run.exit_status == 0 else "failed"
    return "failed" if run.ending is Ending.SIGNALLED else run.ending.value


@pytest.mark.parametrize("case", PROGRAMS)
async def test_program(
    case: dict[str, Any],
    python_job: Callable[..., Job],
    run_job: Callable[[Job], Awaitable[Run]],
    port: int,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, expect = case["given"], case["expect"]
    monkeypatch.setenv("HOME", str(home))
    for name, value in given.get("env", {}).items():
        monkeypatch.setenv(name, value)
    code = given["code"].replace("{PORT}", str(port)).replace("{HOME}", str(home))
    attachments = {name: text.encode() for name, text in given.get("attachments", {}).items()}
    token = uuid.uuid4().hex
    memory_before = peak_memory_mb()

    run = await run_job(python_job(code, files=attachments, env={"MARK": token}))

    assert processes_with(token) == []
    said = run.stdout.text + run.stderr.text + (run.signal or "")
    if wanted := expect.get("execution"):
        assert outcome(run) == wanted or (wanted == "not_passed" and outcome(run) != "passed"), run
    if expect.get("imports") == "failed":
        assert outcome(run) == "failed"
    assert expect.get("says", "").lower() in said.lower()
    assert expect.get("stdout_contains", "") in run.stdout.text
    assert expect.get("stdout_contains_too", "") in run.stdout.text
    assert run.seconds < expect.get("seconds_max", 60)
    if expect.get("output_cut"):
        assert run.stdout.cut
    if most := expect.get("harness_memory_mb_max"):
        # What this process has needed beyond what the tests before it took.
        assert peak_memory_mb() - memory_before < most
    if expect.get("contained"):
        after = await run_job(python_job("print('well')"))
        assert after.stdout.text == "well\n"


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
