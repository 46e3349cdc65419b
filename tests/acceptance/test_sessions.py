"""Sessions that are cut off, resumed and followed up, as a person does it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]
Script = Callable[..., str]

WRONG = "```python\ndef add(a, b):\n    return a - b\n```"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"
RIGHT_OF_THREE = "```python\ndef add(a, b, c=0):\n    return a + b + c\n```"
ADD = ("ask", "Add.", "--example", "add(1, 2) == 3", "--model")


def cut_off(model: str, how: signal.Signals, cwd: Path) -> str:
    """Ask, and end the process so when the second call is made; what it says on stderr."""
    command = [sys.executable, "-m", "assay", *ADD, model]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=cwd) as asking:
        assert asking.stderr is not None
        said = ""
        while "attempt 2: scripted" not in said:
            line = asking.stderr.readline()
            assert line, said
            said += line
        asking.send_signal(how)
        return said + asking.stderr.read()


@pytest.fixture
def cut(script: Script, tmp_path: Path) -> tuple[str, str]:
    """A session that was killed in its second call, whose script then has the right reply."""
    model = script([WRONG, {"text": "```python\nde", "error": "hang"}])
    cut_off(model, signal.SIGKILL, tmp_path)
    script([WRONG, {"text": RIGHT, "expect": "expected 3, got -1"}])
    return model, session_ids()[0]


def session_ids() -> list[str]:
    database = Path(os.environ["ASSAY_DATA_FOLDER"]) / "assay.db"
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute("SELECT id FROM sessions ORDER BY created DESC")
        return [identity for (identity,) in found]


def test_ctrl_c_says_how_to_go_on(assay: Assay, script: Script, tmp_path: Path) -> None:
    model = script([WRONG, {"text": "```python\nde", "error": "hang"}])
    said = cut_off(model, signal.SIGINT, tmp_path)
    (session,) = session_ids()
    assert f"assay resume {session}" in said
    script([WRONG, RIGHT])
    listed = assay("sessions")
    assert "stopped" in listed.out
    assert f"assay resume {session}" in listed.err
    done = assay("resume", session.split("-")[1])
    assert done.status == 0, done.err
    assert done.out == "def add(a, b):\n    return a + b\n"
    assert "assay resume" not in assay("sessions").err


def test_why_tests_failed_can_be_seen_later(assay: Assay, script: Script, tmp_path: Path) -> None:
    tests = tmp_path / "test_add.py"
    tests.write_text("for n in range(9):\n    assert add(n, 1) == n + 1, 'adds one'\n" * 7)
    model = script([WRONG, {"text": RIGHT, "expect": "add(n, 1) == n + 1, where n = 0"}])
    done = assay("ask", "Add.", "--tests", tests, "--model", model, "--json")
    assert "      where    n = 0\n      expected 1\n      got      -1\n      adds one" in done.err
    assert "… and 2 more; assay show shows all" in done.err
    shown = assay("show", done.json["session"]).out
    told = "    where    n = 0\n    expected 1\n    got      -1\n    adds one"
    assert shown.count(told) == 7


def test_a_killed_session_goes_on_where_it_was(assay: Assay, cut: tuple[str, str]) -> None:
    _, session = cut
    assert assay("sessions", "--json").json["sessions"][0]["resumable"]
    done = assay("resume", session)
    assert done.status == 0, done.err
    assert done.out == "def add(a, b):\n    return a + b\n"
    told = ["attempt 1: examples failed", "resumed", "attempt 2: examples passed", "VERIFIED"]
    assert sorted(told, key=done.err.index) == told
    receipt = done.err.split("receipt ")[1].strip()
    assert assay("verify", receipt).status == 0
    assert "=== resumed" in assay("show", session).out


def test_a_session_that_has_ended_shows_its_answer(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    model = script([WRONG])
    asked = assay(*ADD, model, "--attempts", "1", "--json")
    Path(model.removeprefix("scripted:")).unlink()
    again = assay("resume", asked.json["session"], "--json", "-o", tmp_path / "out")
    assert again.status == asked.status == 1
    assert again.json == asked.json
    assert (tmp_path / "out" / "solution.py").read_text().startswith("def add")


def test_a_session_that_runs_is_left_alone(assay: Assay, script: Script, tmp_path: Path) -> None:
    model = script([{"text": "```python\nde", "error": "hang"}])
    command = [sys.executable, "-m", "assay", *ADD, model]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as asking:
        assert asking.stderr is not None
        assert "is asked" in asking.stderr.readline()
        (session,) = session_ids()
        for again in (("resume", session), ("ask", "More.", "--continue", session)):
            done = assay(*again)
            assert done.status == 2
            assert "is running in another process" in done.sentence
        asking.kill()


def test_what_is_not_there_now_is_named_and_the_session_stays(
    assay: Assay, cut: tuple[str, str]
) -> None:
    model, session = cut
    script = Path(model.removeprefix("scripted:"))
    replies = script.read_text()
    script.unlink()
    assert assay("resume", session).status == 2
    script.write_text(replies)
    assert assay("resume", session).status == 0


def test_a_granted_variable_has_to_be_there_again(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    model = script([RIGHT])
    assert assay(*ADD, model, "--env", "SECRET_X", env={"SECRET_X": "1"}).status == 0
    (session,) = session_ids()
    database = Path(os.environ["ASSAY_DATA_FOLDER"]) / "assay.db"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM events WHERE kind = 'answer_given'")
    done = assay("resume", session)
    assert done.status == 2
    assert "SECRET_X" in done.sentence
    assert assay("resume", session, env={"SECRET_X": "1"}).status == 0


def test_an_unknown_session_is_not_resumed(assay: Assay) -> None:
    for command in (("resume", "nosuch"), ("ask", "More.", "--continue", "nosuch")):
        done = assay(*command)
        assert done.status == 2
        assert "assay sessions" in done.sentence


def test_a_follow_up_keeps_what_was_there(assay: Assay, script: Script, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n")
    docs = tmp_path / "page.md"
    docs.write_text("# Sums\n\nSums are old.\n")
    first = assay(
        *ADD, script([WRONG, RIGHT]), "--attach", rows, "--docs", docs, "--attempts", "2", "--json"
    )
    docs.unlink()
    rows.unlink()
    tests = tmp_path / "test_three.py"
    tests.write_text("from solution import add\n\ndef test_it():\n    assert add(1, 2, 3) == 6\n")
    script(
        [
            {"text": WRONG, "expect": "Sums are old."},
            {"text": RIGHT_OF_THREE, "expect": "Now also a third."},
        ]
    )
    second = assay(
        "ask", "--continue", first.json["session"], "Now also a third.", "--tests", tests, "--json"
    )
    assert second.status == 0, second.err
    checks = {v["check"]: v["evidence"]["total"] for v in second.json["attempts"][1]["verdicts"]}
    assert checks["examples"] == 1
    assert checks["tests"] == 1
    shown = assay("show", second.json["session"])
    prompt = shown.out.split("=== attempt 1")[1].split("--- reply")[0]
    for said in ("Add.", "return a + b", "expected 3, got -1", "rows.csv", "add(1, 2) == 3"):
        assert said in prompt
    assert f"follows {first.json['session']}\n" in shown.out
    assert f"followed by {second.json['session']}" in assay("show", first.json["session"]).out


def test_follow_ups_of_follow_ups_outlive_what_they_follow(assay: Assay, script: Script) -> None:
    first = assay(*ADD, script([RIGHT]), "--json").json["session"]
    script([RIGHT_OF_THREE])
    second = assay(
        "ask", "Three.", "--continue", first, "--example", "add(1, 2, 3) == 6", "--json"
    ).json["session"]
    assert assay("delete", first).status == 0
    assert f"follows {first}, which was deleted\n" in assay("show", second).out
    script([{"text": RIGHT, "expect": "Add.\n\nThree."}, RIGHT_OF_THREE])
    third = assay("ask", "Simpler.", "--continue", second, "--json")
    assert third.status == 0
    assert [a["verdicts"][2]["evidence"]["total"] for a in third.json["attempts"]] == [2, 2]


def test_permissions_are_not_taken_over(assay: Assay, script: Script) -> None:
    given = {"SECRET_X": "1"}
    first = assay(*ADD, script([RIGHT]), "--env", "SECRET_X", "--json", env=given).json["session"]
    script([RIGHT])
    second = assay("ask", "Again.", "--continue", first, "--json", env=given)
    assert second.status == 0
    assert "--env SECRET_X" in second.err
    receipt = json.loads(Path(second.json["receipt"]).read_text())
    assert receipt["grants"]["env"] == []


def test_a_session_that_was_cut_off_can_be_followed_if_it_has_code(
    assay: Assay, script: Script, cut: tuple[str, str]
) -> None:
    _, session = cut
    script([{"text": RIGHT, "expect": "return a - b"}])
    assert assay("ask", "Put it right.", "--continue", session).status == 0


def test_without_an_answer_there_is_nothing_to_follow(assay: Assay, script: Script) -> None:
    failed = assay(*ADD, script([{"error": 401}]), "--json").json["session"]
    done = assay("ask", "More.", "--continue", failed)
    assert done.status == 2
    assert f"assay resume {failed}" in done.sentence
    script([RIGHT])
    assert assay("resume", failed).status == 0


def test_hidden_tests_stay_hidden(assay: Assay, script: Script, tmp_path: Path) -> None:
    tests = tmp_path / "test_add.py"
    tests.write_text("MARKER = 'MARKER'\nfrom solution import add\nassert add(1, 2) == 3, MARKER\n")
    model = script([WRONG])
    first = assay(
        "ask", "Add.", "--tests", tests, "--hide-tests", "--attempts", "1", "--model", model,
        "--json",
    )  # fmt: skip
    script([WRONG, RIGHT])
    second = assay(
        "ask", "Better.", "--continue", first.json["session"], "--attempts", "2", "--json"
    )
    assert second.status == 0, second.err
    shown = assay("show", second.json["session"], "--json").json
    prompts = [message["content"] for reply in shown["replies"] for message in reply["messages"]]
    assert len(prompts) == 4
    assert not [prompt for prompt in prompts if "MARKER" in prompt]
