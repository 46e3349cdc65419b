"""A team at work, as a person watches it: three questions of different kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[1] / "cases" / "team"
Assay = Callable[..., Any]
Script = Callable[..., str]

INTF = (
    "Write a python function that finds all properties with a key of 'intf' within all nested "
    "child objects and return a list of all key value pairs that match."
)
INTF_EXAMPLE = (
    "find_intf({'a': {'intf': 1}, 'b': {'c': {'intf': 2}}}) == [('intf', 1), ('intf', 2)]"
)
INTF_CODE = """Walks through all children.
```python
def find_intf(obj):
    found = []
    if isinstance(obj, dict):
        for key, value in obj.items():
            if key == "intf":
                found.append((key, value))
            found += find_intf(value)
    elif isinstance(obj, list):
        for item in obj:
            found += find_intf(item)
    return found
```"""
INTF_TESTS = """```python
assert find_intf({}) == []
assert find_intf({'intf': 5}) == [('intf', 5)]
assert find_intf([{'intf': 1}, {'x': 2}]) == [('intf', 1)]
assert find_intf({'intf': {'intf': 2}}) == [('intf', {'intf': 2}), ('intf', 2)]
```"""
TESTS = (
    "Write python unit tests that validates the functionality of the REST API endpoints in the "
    "following main.py file."
)
CLIENT = (
    "Write a python client that integrates with the Vectara RAG API. Use websockets for realtime "
    "updates of the query endpoint used in a user chat. The client will also need to lookup the "
    "corpus name using 'GET corpus' so the user can select the appropriate corpus for the chat."
)


def fenced(*names: str) -> str:
    """Files of the cases as a model answers them."""
    blocks = (f"**{name}**\n```python\n{(CASES / name).read_text()}```" for name in names)
    return "Here it is.\n\n" + "\n\n".join(blocks)


def test_a_function_is_written_tested_and_improved(assay: Assay, script: Script) -> None:
    model = script([INTF_CODE, INTF_TESTS, "KEEP", "You get find_intf."])
    done = assay("ask", INTF, "--flow", "team", "--model", model, "--example", INTF_EXAMPLE)
    assert done.status == 0, done.err
    assert done.out.startswith("def find_intf(obj):")
    lines = [re.sub(r"scripted:\S+", "MODEL", line) for line in done.err.splitlines()]
    said = [line for line in lines if "reply of" not in line and " passed " not in line]
    assert said[:2] == [f"[ ] 1. {INTF}", "attempt 1: MODEL is asked"]
    assert "Programmer: Walks through all children." in said
    assert any(line.startswith("Tester: 4 tests from the task, ") for line in said)
    assert f"[x] 1. {INTF}" in said
    assert "Optimizer: the former code stays. The Optimizer saw nothing to gain." in said
    assert "Manager: You get find_intf." in said
    assert any(line.startswith("VERIFIED  1 of 1 example passed") for line in said)
    shown = assay("show", assay("sessions", "--json").json["sessions"][0]["id"]).out
    assert f"--- the team\n[x] 1. {INTF}\nTester: 4 tests from the task, " in shown


@pytest.mark.model
def test_an_embedded_model_does_the_same(assay: Assay) -> None:
    model = "embedded:qwen2.5-coder-0.5b"
    question = ("ask", INTF, "--flow", "team", "--model", model, "--example", INTF_EXAMPLE)
    done = assay(*question, "--json", "--seed", "1", seconds=600)
    answer = done.json
    assert answer["team"]["plan"]["steps"][0]["title"] == INTF
    assert answer["solution"]["files"]
    roles = {reply["role"] for reply in assay("show", answer["session"], "--json").json["replies"]}
    assert {"programmer", "manager"} <= roles
    # A small model may fail; what is said of it has to be what is shown, each time.
    assert (done.status == 0) == (answer["status"] == "verified")
    assert assay("verify", answer["receipt"]).status == 0


@pytest.mark.slow
def test_tests_of_an_attached_service_are_held_against_its_mutants(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("fastapi\nhttpx\n")
    packages = ("--requirements", tmp_path / "requirements.txt", "--run-memory", "1024")
    poor = "**test_main.py**\n```python\nimport main\n\n\ndef test_it():\n    assert main.app\n```"
    model = script(["programmer", poor, fenced("test_main.py"), "You get nine tests."])
    question = ("ask", TESTS, "--flow", "team", "--attach", CASES / "main.py", "--model", model)
    done = assay(*question, *packages, "--json")
    assert done.status == 0, done.err
    answer = done.json
    assert answer["best"] == 2
    failed = answer["attempts"][0]["verdicts"][-1]["evidence"]["failures"][-1]["message"]
    assert re.match(r"Only \d of 20 wrong versions of the code fail the tests\.", failed), failed
    shown = answer["attempts"][1]["verdicts"][-1]
    assert shown["check"] == "mutants"
    counts = re.fullmatch(
        r"9 of 9 pass on the attached code, and (\d+) of 20 wrong versions of it fail them",
        shown["evidence"]["summary"],
    )
    assert counts, shown["evidence"]["summary"]
    assert int(counts[1]) >= 14
    assert answer["headline"].startswith("The tests: 9 of 9 pass on the attached code, and ")
    assert assay("verify", answer["receipt"], "--with-grants").status == 0


@pytest.mark.slow
def test_a_client_is_shown_against_a_service_that_the_tester_plays(
    assay: Assay, script: Script, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("httpx\nwebsockets\n")
    plan = (
        "1. A client for corpora and queries; shows: find_corpus('faq')\n"
        "2. A chat in the terminal; shows: choose(names, '1')"
    )
    model = script(
        [
            *("planner", plan, fenced("client.py"), "No tests yet.", "None."),
            *("Never.", "No.", fenced("client.py", "chat.py")),
            *(fenced("test_client.py"), "KEEP", "You get a client and a chat."),
        ]
    )
    packages = ("--requirements", tmp_path / "requirements.txt", "--run-memory", "1024")
    question = ("ask", CLIENT, "--flow", "team", "--model", model, *packages)
    done = assay(*question, "--json")
    assert done.status == 0, done.err
    answer = done.json
    assert answer["team"]["done"] == 2, done.err
    assert {file["path"] for file in answer["solution"]["files"]} == {"client.py", "chat.py"}
    assert answer["headline"] == (
        "4 of 4 generated tests passed, which a model wrote from the task; nothing of yours shows "
        "yet that it does what was asked. No real service was reached."
    )
    assert answer["team"]["suites"][-1]["killed"] > 0
    assert assay("verify", answer["receipt"], "--with-grants").status == 0
