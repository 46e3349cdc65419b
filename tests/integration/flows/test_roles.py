"""Roles with models, temperatures and prompts of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import Assay, Task
from assay.domain.event import CallStarted, Event
from assay.domain.message import Prompt
from assay.errors import BadInput, UnknownName
from assay.settings import read_settings

ADD = Task(instructions="Write a function add(a, b) that adds two numbers.")
RIGHT = "Adds.\n```python\ndef add(a, b):\n    return a + b\n```"
TESTS = "```python\nassert add(1, 2) == 3\nassert add(0, 0) == 0\nassert add(-1, 1) == 0\n```"


def script(path: Path, *replies: str, **more: Any) -> str:
    path.write_text("".join(json.dumps({"text": text, **more}) + "\n" for text in replies))
    return f"scripted:{path}"


async def run(**settings: Any) -> tuple[Any, list[CallStarted]]:
    events: list[Event] = []
    result = await Assay(flow="team", **settings).run(ADD, events.append)
    calls = [one.happening for one in events]
    return result, [call for call in calls if isinstance(call, CallStarted)]


async def test_each_role_is_answered_by_its_own_model(tmp_path: Path) -> None:
    usual = script(tmp_path / "usual.jsonl", RIGHT, "Done.")
    tester = script(tmp_path / "tester.jsonl", TESTS)
    result, calls = await run(model=usual, agents={"tester": {"model": tester}})
    assert [(call.role, call.model) for call in calls] == [
        ("programmer", usual),
        ("tester", tester),
        ("manager", usual),
    ]
    assert result.answer.usage.calls == 3


async def test_a_session_of_several_models_is_played_again(tmp_path: Path) -> None:
    usual = script(tmp_path / "usual.jsonl", RIGHT, "Done.")
    tester = script(tmp_path / "tester.jsonl", TESTS)
    tape = tmp_path / "tape.jsonl"
    recorded, _ = await run(model=usual, agents={"tester": {"model": tester}}, record=tape)
    played, _ = await run(replay=tape)
    assert played.answer.solution == recorded.answer.solution
    assert played.answer.team.closing == "Done."


async def test_a_role_has_its_own_temperature(tmp_path: Path) -> None:
    model = script(tmp_path / "usual.jsonl", RIGHT, TESTS, "Done.")
    tape = tmp_path / "tape.jsonl"
    await run(model=model, agents={"tester": {"temperature": 0.7}}, record=tape)
    prompts = [
        Prompt.model_validate(json.loads(line)["prompt"])
        for line in tape.read_text().splitlines()[1:]
    ]
    assert [one.temperature for one in prompts] == [0.0, 0.7, 0.0]
    assert [one.role for one in prompts] == ["programmer", "tester", "manager"]


async def test_roles_that_are_not_asked_are_done_without(tmp_path: Path) -> None:
    model = script(tmp_path / "usual.jsonl", RIGHT)
    nobody = {role: {"asked": False} for role in ("manager", "tester", "optimizer", "planner")}
    result, calls = await run(model=model, agents=nobody)
    assert [call.role for call in calls] == ["programmer"]
    assert result.answer.team.closing == ""


def test_nobody_does_without_the_programmer() -> None:
    with pytest.raises(BadInput, match="do without the programmer"):
        read_settings(agents={"programmer": {"asked": False}})


def test_a_role_that_there_is_not_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_AGENTS__TESTR__MODEL", "openai:x")
    with pytest.raises(BadInput, match=r"agents\.testr cannot be used .*'tester'"):
        read_settings()


async def test_a_model_of_a_role_that_there_is_not_is_told(tmp_path: Path) -> None:
    model = script(tmp_path / "usual.jsonl", RIGHT)
    with pytest.raises(UnknownName, match="nonsense:1"):
        await run(model=model, agents={"tester": {"model": "nonsense:1"}})


async def test_prompts_of_ones_own_come_before_the_usual_ones(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "tester.system.jinja").write_text("Test as a pirate would: {{ interface }}")
    script(tmp_path / "usual.jsonl", RIGHT)
    with (tmp_path / "usual.jsonl").open("a") as more:
        more.write(json.dumps({"text": TESTS, "expect": "Test as a pirate would: def add("}) + "\n")
        more.write(json.dumps({"text": "Done."}) + "\n")
    result, _ = await run(model=f"scripted:{tmp_path / 'usual.jsonl'}", prompts=prompts)
    assert result.answer.team.suites[0].kept


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ nobody_knows }}", "tester.system.jinja of your own cannot be used.*nobody_knows"),
        ("{% if %}", "tester.system.jinja, line 1 of your own"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "unsafe"),
        ("{{ brief.no_such }}", "no_such"),
        ("{{ 1 / 0 }}", "division"),
        ("{% include 'nothing' %}", "nothing"),
    ],
)
async def test_a_prompt_that_cannot_be_used_ends_the_session_with_a_sentence(
    tmp_path: Path, template: str, said: str
) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "tester.system.jinja").write_text(template)
    model = script(tmp_path / "usual.jsonl", RIGHT, TESTS, "Done.")
    result, _ = await run(model=model, prompts=prompts)
    assert result.answer.error is not None
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(result.answer.error.message)
    assert result.answer.solution is not None


@pytest.mark.parametrize("name", ["pirate.system.jinja", "task.py", "tester.jinja"])
async def test_a_folder_without_a_roles_prompts_is_told(tmp_path: Path, name: str) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / name).write_text("Yo.")
    with pytest.raises(BadInput, match=r"no role|no prompts"):
        await run(model=script(tmp_path / "usual.jsonl", RIGHT), prompts=prompts)


async def test_a_session_goes_on_with_its_roles_models_and_prompts(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "programmer.system.jinja").write_text("Write as a pirate would.")
    own = script(tmp_path / "own.jsonl", "No.", error=401)
    usual = script(tmp_path / "usual.jsonl", "", TESTS, "Done.")
    broken, _ = await run(model=usual, agents={"programmer": {"model": own}}, prompts=prompts)
    assert broken.answer.error is not None
    (prompts / "programmer.system.jinja").unlink()
    script(tmp_path / "own.jsonl", RIGHT, expect="Write as a pirate would.")
    script(tmp_path / "usual.jsonl", TESTS, "Done.")
    resumed = await Assay().resume(broken.session)
    assert resumed.answer.error is None, resumed.answer.error
    assert resumed.answer.team is not None
    assert resumed.answer.team.closing == "Done."
