"""Choices of the Manager: whatever it says, the graph's edges hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.agents.brief import Brief, Question
from assay.agents.manager import Manager
from assay.domain.message import Reply

CHOICES = {"programmer": "writes it again", "planner": "plans it again", "stop": "it ends"}
BRIEF = Brief(instructions="Add.", language=None, environment="")


async def choose(text: str) -> str:
    async def ask(question: Question) -> Reply:
        assert all(f"- {name}: " in question.messages[0].content for name in CHOICES)
        return Reply(text=text)

    return await Manager(BRIEF, ask).choose(1, "It failed.", CHOICES, "stop")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("planner", "planner"),
        ("**Programmer**.", "programmer"),
        ("The planner, since the programmer cannot do it.", "planner"),
        ("<think>programmer?</think>planner", "planner"),
        ("", "stop"),
        ("Manager", "stop"),
        ("Nobody.", "stop"),
        ("the optimizer", "stop"),
        ("TERMINATE", "stop"),
        ("programmers", "stop"),
    ],
)
async def test_a_choice_is_one_of_those_that_there_are(text: str, chosen: str) -> None:
    assert await choose(text) == chosen


@given(st.text())
async def test_whatever_it_says_is_a_choice(text: str) -> None:
    assert await choose(text) in CHOICES
