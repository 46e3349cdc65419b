"""What is understood of a request before a model is asked."""

from __future__ import annotations

import pytest

from assay.domain.task import Task
from assay.flows.prepare import all_examples, asks_for_definition


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
