"""`assay ask --record` and `--replay` as a person uses them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

WRONG = "```python\ndef add(a, b):\n    return a - b\n```\n"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```\n"
QUESTION = ("ask", "Add two numbers.", "--example", "add(1, 2) == 3")
SECONDS = 100


@pytest.fixture
def tape(assay: Assay, script: Script, tmp_path: Path) -> Path:
    """The tape of a session with two attempts."""
    path = tmp_path / "add.tape"
    done = assay(*QUESTION, "--model", script([WRONG, RIGHT]), "--record", path)
    assert done.status == 0, done.err
    (tmp_path / "replies.jsonl").unlink()
    return path


def test_a_recorded_session_runs_again_without_its_model(assay: Assay, tape: Path) -> None:
    recorded = json.loads(assay("sessions", "--json").out)["sessions"][0]
    done = assay(*QUESTION, "--replay", tape, "--json")
    assert done.status == 0, done.err
    assert done.json["status"] == "verified"
    assert len(done.json["attempts"]) == 2
    usage = done.json["usage"]
    assert (usage["calls"], usage["cost"]) == (2, 0.0)
    assert usage["input_tokens"] > 0
    receipt = json.loads(Path(done.json["receipt"]).read_text())
    assert receipt["model"] == f"replay:{recorded['model']}"
    assert assay("verify", done.json["receipt"]).status == 0
    shown = assay("show", done.json["session"])
    assert "return a - b" in shown.out


def test_a_changed_question_is_shown_with_its_call(assay: Assay, tape: Path) -> None:
    done = assay("ask", "Add three numbers.", *QUESTION[2:], "--replay", tape)
    assert done.status == 2
    assert "Call 1 of the tape" in done.sentence
    assert "    -Add two numbers.\n    +Add three numbers." in done.err
    done = assay(*QUESTION, "--replay", tape, "--seed", "5", "--json")
    assert done.status == 2
    assert done.json["error"]["kind"] == "tape"
    assert "seed was 1 and is now 6" in done.json["error"]["message"]


def test_a_session_that_takes_another_way_says_so(assay: Assay, tape: Path) -> None:
    done = assay(*QUESTION, "--replay", tape, "--attempts", "1")
    assert done.status == 1
    assert "ended with 1 call of the tape not asked for" in done.err
    head, first, _ = tape.read_text().splitlines(keepends=True)
    tape.write_text(head + first)
    done = assay(*QUESTION, "--replay", tape)
    assert done.status == 2
    assert "has 1 call, and one more is asked for" in done.err
    assert "return a - b" in done.out


def test_what_cannot_be_recorded_or_replayed_costs_nothing(
    assay: Assay, script: Script, tape: Path, tmp_path: Path
) -> None:
    before = tape.read_bytes()
    model = script([RIGHT])
    for flags, said in (
        (("--model", model, "--record", tape), "is there already"),
        (("--model", model, "--record", tmp_path), "is there already"),
        (("--model", model, "--record", tmp_path / "no" / "tape"), "no folder"),
        (("--replay", tmp_path / "missing"), "does not exist"),
        (("--replay", tmp_path), "is a folder"),
        (("--replay", tmp_path / "replies.jsonl"), "is no tape"),
        (("--replay", tape, "--record", tmp_path / "new"), "either recorded or replayed"),
        (("--replay", tape, "--model", "openai:gpt-5"), "and --model says openai:gpt-5"),
    ):
        done = assay(*QUESTION, *flags)
        assert (done.status, done.out) == (2, ""), flags
        assert said in done.sentence
    assert tape.read_bytes() == before
    assert len(json.loads(assay("sessions", "--json").out)["sessions"]) == 1


def test_a_recording_that_was_killed_is_replayed_up_to_there(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    path = tmp_path / "killed.tape"
    model = script([WRONG, {"text": RIGHT, "error": "hang"}])
    running = subprocess.Popen(
        [sys.executable, "-m", "assay", *QUESTION, "--model", model, "--record", path],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("attempt 2"):
            break
    running.kill()
    running.communicate(timeout=SECONDS)
    done = assay(*QUESTION, "--replay", path)
    assert done.status == 2
    assert "attempt 1: examples failed" in done.err
    assert "has 1 call, and one more is asked for" in done.err


def test_keys_that_runs_are_given_are_not_on_the_tape(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    code = "import os\n\nprint(os.environ['GIVEN'])\nraise SystemExit(1)\n"
    reply = f"```python\n{code}```\n"
    path = tmp_path / "keys.tape"
    question = ("ask", "Print it. The password is hunter-22.", "--env", "GIVEN", "--attempts", "2")
    env = {"GIVEN": "given-to-runs", "DB_PASSWORD": "hunter-22"}
    model = script([reply, reply])
    done = assay(*question, "--model", model, "--record", path, env=env)
    assert done.status == 1, done.err
    written = path.read_text()
    assert "given-to-runs" not in written
    assert "hunter-22" not in written
    assert "The password is [secret]." in written
    again = assay(*question, "--replay", path, env={**env, "GIVEN": "another-value"})
    assert again.status == 1, again.err
    assert "not asked for" not in again.err


def test_a_tape_is_not_left_by_a_session_that_never_asked(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    path = tmp_path / "new.tape"
    model = script([RIGHT])
    done = assay(*QUESTION, "--model", model, "--record", path, "--docs", tmp_path / "none")
    assert done.status == 2
    assert not path.exists()
    assert assay(*QUESTION, "--model", model, "--record", path).status == 0
    assert path.stat().st_mode & 0o777 == 0o600
