"""What is understood of a request before a model is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.domain.task import Task
from assay.flows.prepare import all_examples, asks_for_definition, documentation_room
from assay.models.scripted import ScriptedService
from assay.models.streaming import StreamingModel


@pytest.mark.parametrize(
    "instructions",
    [
        "Write a python function that finds all properties with a key of 'intf'.",
        "Please implement the Stack class.",
        "Create a small decorator that retries.",
    ],
)
def test_a_definition_is_asked_for(instructions: str) -> None:
    assert asks_for_definition(instructions)


@pytest.mark.parametrize(
    "instructions",
    [
        "I pass a key to my prompt and want to process it with a function, f(...). How?",
        "Write a script with a main function that prints the date.",
        "Write a program that sorts its input.",
        "What is a function?",
        "",
    ],
)
def test_a_program_or_an_explanation_is_asked_for(instructions: str) -> None:
    assert not asks_for_definition(instructions)


def test_examples_are_looked_for_where_they_can_be_run() -> None:
    task = Task(instructions="Write f so that f(1) == 2.", examples=("f(2) == 3",))
    assert all_examples(task, None) == ("f(2) == 3", "f(1) == 2")
    assert all_examples(task, "bash") == ("f(2) == 3",)


@pytest.mark.parametrize(
    ("window", "is_embedded", "room"),
    [
        (32_768, True, 4000),
        (8_192, True, 4000),
        (4_096, True, 1048),
        (2_048, True, 0),
        (128_000, False, 119_808),
        (4_096, False, 0),
    ],
)
def test_documentation_leaves_room_for_the_answer(
    tmp_path: Path, window: int, is_embedded: bool, room: int
) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text('{"text": "x"}')
    service = ScriptedService(script)
    model = StreamingModel("m", service, context_tokens=window, is_embedded=is_embedded)
    assert documentation_room(model) == room
