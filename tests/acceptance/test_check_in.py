"""`assay ask --check-in` and `assay check-in`, as a person and a pipeline use them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.forge import TOKEN, Forge, serve

RIGHT = "Adds.\n```python\ndef add(a, b):\n    return a + b\n```"
ASK = ("ask", "Write a function add(a, b).", "--example", "add(1, 2) == 3", "--flow", "single")
Assay = Callable[..., Any]
Script = Callable[..., str]


@pytest.fixture
def forge() -> Iterator[Forge]:
    with serve() as one:
        yield one


@pytest.fixture
def github(forge: Forge) -> dict[str, str]:
    """What the command is told of the server."""
    return {"ASSAY_GITHUB_URL": forge.url, "GITHUB_TOKEN": TOKEN}


def test_an_answer_goes_into_a_folder(assay: Assay, script: Script, tmp_path: Path) -> None:
    done = assay(*ASK, "--model", script([RIGHT]), "--check-in", f"folder:{tmp_path}/out", "--yes")
    assert done.status == 0, done.err
    assert (tmp_path / "out/solution.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert f"checked in: {tmp_path}/out" in done.err
    assert "+def add(a, b):" in done.err


def test_nothing_happens_without_approval(assay: Assay, script: Script, tmp_path: Path) -> None:
    done = assay(*ASK, "--model", script([RIGHT]), "--check-in", f"folder:{tmp_path}/out")
    assert done.status == 6
    assert "say --yes" in done.err.lower()
    assert not (tmp_path / "out").exists()
    assert done.out.startswith("def add")


@pytest.mark.parametrize(("typed", "status"), [("y", 0), ("n", 6), ("", 6)])
def test_a_person_is_asked(
    assay: Assay, script: Script, tmp_path: Path, typed: str, status: int
) -> None:
    asked = assay(*ASK, "--model", script([RIGHT]), "--json")
    command = ["check-in", asked.json["session"], "--to", f"folder:{tmp_path}/out"]
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "assay", *command],
        stdin=inner,
        stdout=subprocess.DEVNULL,
        stderr=inner,
        close_fds=True,
    ) as running:
        os.close(inner)
        shown = b""
        while b"Check it in?" not in shown:
            shown += os.read(outer, 4096)
        os.write(outer, f"{typed}\n".encode())
        while True:
            try:
                if not os.read(outer, 4096):
                    break
            except OSError:
                break
        assert running.wait(60) == status
    os.close(outer)
    assert (tmp_path / "out").exists() == (status == 0)


def test_a_gist_is_made_once_and_shown_with_the_session(
    assay: Assay, script: Script, forge: Forge, github: dict[str, str]
) -> None:
    first = assay(*ASK, "--model", script([RIGHT]), "--check-in", "gist", "--yes", env=github)
    assert first.status == 0, first.err
    assert "checked in: https://gist.github.example/g1" in first.err
    session = assay("sessions", "--json").json["sessions"][0]
    assert session["state"] == "answered"
    again = assay("check-in", session["id"], "--to", "gist", "--yes", "--json", env=github)
    assert again.json["checked_in"]["made"] is False
    assert len(forge.gists) == 1
    shown = assay("show", session["id"]).out
    assert shown.count("=== checked in: https://gist.github.example/g1") == 2


def test_a_command_that_was_killed_after_the_gist_was_made_makes_no_second(
    assay: Assay, script: Script, forge: Forge, github: dict[str, str]
) -> None:
    asked = assay(*ASK, "--model", script([RIGHT]), "--json").json
    command = [sys.executable, "-m", "assay", "check-in", asked["session"], "--to", "gist", "--yes"]

    def kill(method: str) -> None:
        if method == "POST":
            running.kill()
            running.wait()

    forge.after = kill
    running = subprocess.Popen(command, env={**os.environ, **github}, stderr=subprocess.DEVNULL)
    running.wait(60)
    assert len(forge.gists) == 1
    done = assay("check-in", asked["session"], "--to", "gist", "--yes", env=github)
    assert "already checked in" in done.err
    assert len(forge.gists) == 1


def test_what_lacks_evidence_is_not_published_unless_it_is_allowed(
    assay: Assay, script: Script, forge: Forge, github: dict[str, str]
) -> None:
    wrong = RIGHT.replace("a + b", "a - b")
    arguments = (*ASK, "--model", script([wrong, wrong]), "--check-in", "gist", "--yes")
    refused = assay(*arguments, env=github)
    assert refused.status == 6
    assert "lacks the evidence" in refused.err
    assert not forge.gists
    allowed = assay(*arguments, "--allow-unverified", env=github)
    assert allowed.status == 1
    assert "NOT SHOWN TO WORK" in forge.gists[0]["description"]


def test_a_pull_request_is_opened(
    assay: Assay, script: Script, forge: Forge, github: dict[str, str]
) -> None:
    to = ("--check-in", "pull-request:add", "--repository", "me/it", "--yes")
    done = assay(*ASK, "--model", script([RIGHT]), *to, env=github)
    assert done.status == 0, done.err
    assert "checked in: https://github.example/me/it/pull/1" in done.err
    assert "add" in forge.refs


def test_a_team_writes_what_is_said_of_it(
    assay: Assay, script: Script, forge: Forge, github: dict[str, str]
) -> None:
    replies = [RIGHT, "no tests", "none", "no", "never", "You get add.", "Add two numbers\n\nWhy."]
    question = ("ask", "Write a function add(a, b).", "--flow", "team", "--check-in", "gist")
    done = assay(*question, "--yes", "--model", script(replies), env=github)
    assert done.status == 0, done.err
    assert forge.gists[0]["description"].startswith("Add two numbers — RAN: ")
    assert "Check-In: Add two numbers" in done.err


def test_the_token_is_written_nowhere(
    assay: Assay, script: Script, forge: Forge, github: dict[str, str], tmp_path: Path
) -> None:
    arguments = (*ASK, "--record", str(tmp_path / "tape"), "--check-in", "gist", "--yes")
    forge.will("POST", "/gists", 422, body={"message": f"Bad {TOKEN}"})
    failed = assay(*arguments, "--model", script([RIGHT]), env=github)
    assert failed.status == 6
    debug = {**github, "ASSAY_DEBUG": "1", "HTTPX_LOG_LEVEL": "trace"}
    session = assay("sessions", "--json").json["sessions"][0]["id"]
    done = assay("check-in", session, "--to", "gist", "--yes", env=debug)
    wrong = assay(
        "check-in", session, "--to", "gist", env={**debug, "ASSAY_GITHUB_URL": "http://x"}
    )
    said = "".join(one.out + one.err for one in (failed, done, wrong))
    assert TOKEN not in said
    roots = (tmp_path, Path(os.environ["ASSAY_DATA_FOLDER"]))
    files = [path for root in roots for path in root.rglob("*") if path.is_file()]
    assert any(path.name == "assay.db" for path in files)
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("target", ["", "folder", "gist:x", "ftp:x", "branch :x"])
def test_a_target_that_is_none_is_told_before_anything_is_spent(
    assay: Assay, script: Script, target: str
) -> None:
    done = assay(*ASK, "--model", script([RIGHT]), "--check-in", target or "?")
    assert done.status == 2
    assert "is nowhere to check in to" in done.sentence
