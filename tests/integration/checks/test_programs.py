"""Programs of kinds that have broken other systems: tests/cases/programs.jsonl."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.conftest import read_cases
from tests.processes import processes_with

from assay.domain.task import Grants
from assay.domain.verdict import Verdict

Check = Callable[..., dict[str, Verdict]]


@pytest.fixture
def port() -> Iterator[int]:
    """A listener on this machine that no run may reach."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a key in it."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id_planted").write_text("secret")
    return folder


@pytest.mark.parametrize("case", read_cases("programs.jsonl"))
def test_program(
    case: dict[str, Any], check: Check, port: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, expect = case["given"], case["expect"]
    for name, value in given.get("env", {}).items():
        monkeypatch.setenv(name, value)
    if given.get("planted_home"):
        monkeypatch.setenv("HOME", str(home))
    marker = uuid4().hex
    monkeypatch.setenv("RUN_MARKER", marker)
    code = given["code"].replace("{PORT}", str(port)).replace("{HOME}", str(home))
    memory_before = _peak_memory_mb()
    begin = time.monotonic()

    verdicts = check(
        code,
        tests=given.get("tests"),
        examples=given.get("examples", ()),
        language=given["language"],
        attachments=given.get("attachments"),
        grants=Grants(env=("RUN_MARKER",)),
    )

    seconds = time.monotonic() - begin
    for name in ("imports", "execution", "examples", "tests"):
        if name in expect:
            _assert_outcome(verdicts[name], expect[name])
    evidence = [verdict.evidence for verdict in verdicts.values()]
    said = "\n".join(one.model_dump_json() for one in evidence).lower()
    stdout = "".join(one.stdout for one in evidence)
    assert expect.get("says", "").lower() in said
    assert expect.get("stdout_contains", "") in stdout
    assert expect.get("stdout_contains_too", "") in stdout
    assert "stdout_lacks" not in expect or expect["stdout_lacks"] not in stdout
    # Ten times wider than the case says: others may be using this machine.
    assert seconds < 10 * expect.get("seconds_max", 12)
    assert "output_cut" not in expect or verdicts["execution"].evidence.output_cut
    assert _peak_memory_mb() - memory_before < expect.get("harness_memory_mb_max", 300)
    assert processes_with(f"RUN_MARKER={marker}") == []
    if expect.get("contained"):
        assert check("print('fine')\n")["execution"].passed


def _assert_outcome(verdict: Verdict, wanted: str) -> None:
    if wanted == "not_passed":
        assert not verdict.passed, verdict
    else:
        assert verdict.outcome == wanted, verdict


def _peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
