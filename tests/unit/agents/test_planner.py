"""Plans as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.agents.brief import Brief, Question
from assay.agents.planner import Planner, read_plan
from assay.domain.message import Reply
from assay.domain.plan import MAX_STEPS, Plan, Step
from assay.errors import NoPlan

BRIEF = Brief(
    instructions="Write a program that sorts mail.\nIt has rules.", language=None, environment=""
)


def titles(text: str) -> list[str]:
    return [step.title for step in read_plan(Reply(text=text)).steps]


@pytest.mark.parametrize(
    "text",
    [
        "1. Read the mail\n2. Sort it",
        "Here is the plan:\n\n1) Read the mail.\n2) Sort it\n\nGood luck!",
        "- [ ] Read the mail\n- [ ] Sort it",
        "* Read the mail\n* Sort it",
        "### Step 1: Read the mail\n### Step 2: Sort it",
        "**Step 1:** Read the mail\n**Step 2:** Sort it",
        "1. **Read the mail**\n   - open the folder\n   - read each file\n2. **Sort it**",
        "<think>1. Not this\n2. nor\n3. that</think>\n1. Read the mail\n2. Sort it",
        "```\n1. Read the mail\n2. Sort it\n```",
    ],
)
def test_each_way_of_writing_a_list_is_read(text: str) -> None:
    assert titles(text) == ["Read the mail", "Sort it"]


def test_what_a_step_shows_is_read_in_its_line_or_below_it() -> None:
    plan = read_plan(
        Reply(text="1. Read; shows: `read()` gives 3 lines\n2. Sort\n   Shows: sorted")
    )
    assert [step.shows for step in plan.steps] == ["`read()` gives 3 lines", "sorted"]


def test_steps_come_after_those_that_they_need() -> None:
    assert titles("1. Sort it (after 2)\n2. Read the mail") == ["Read the mail", "Sort it"]


@pytest.mark.parametrize(
    "needs",
    [("after 2", "after 1"), ("after 1", ""), ("after 7", ""), ("after 2, 2 and 1", "after 1")],
)
def test_a_cycle_leaves_the_order_as_it_is(needs: tuple[str, str]) -> None:
    first, second = (f" ({words})" if words else "" for words in needs)
    assert titles(f"1. Read{first}\n2. Sort{second}") == ["Read", "Sort"]


@pytest.mark.parametrize("text", ["", "I cannot plan this.", "1.\n2.", "TERMINATE"])
def test_a_reply_without_steps_says_so(text: str) -> None:
    with pytest.raises(NoPlan, match="numbered list"):
        read_plan(Reply(text=text))


def test_two_hundred_steps_are_too_many() -> None:
    with pytest.raises(NoPlan, match="200 steps"):
        read_plan(Reply(text="\n".join(f"{n}. Step {n}" for n in range(1, 201))))


@given(st.text())
def test_no_reply_breaks_it(text: str) -> None:
    try:
        plan = read_plan(Reply(text=text))
    except NoPlan:
        return
    assert 0 < len(plan.steps) <= MAX_STEPS


@given(st.lists(st.lists(st.integers(-1, 9), max_size=4), min_size=1, max_size=MAX_STEPS))
def test_an_order_keeps_all_steps_and_what_they_need(needs: list[list[int]]) -> None:
    plan = Plan(
        steps=tuple(Step(title=str(n), after=tuple(after)) for n, after in enumerate(needs, 1))
    )
    order = [int(step.title) for step in plan.in_order().steps]
    assert sorted(order) == [*range(1, len(needs) + 1)]
    if order != sorted(order):
        places = {number: place for place, number in enumerate(order)}
        for number, after in enumerate(needs, 1):
            assert all(places[n] < places[number] for n in after if n in places and n != number)


def planner(*replies: str) -> tuple[Planner, list[Question]]:
    asked: list[Question] = []

    async def ask(question: Question) -> Reply:
        asked.append(question)
        return Reply(text=replies[len(asked) - 1])

    return Planner(BRIEF, ask), asked


async def test_a_bad_plan_is_asked_for_once_more_with_what_was_wrong() -> None:
    one, asked = planner("No.", "1. Read\n2. Sort")
    assert [step.title for step in (await one.plan(0)).steps] == ["Read", "Sort"]
    assert "There is no numbered list of steps" in asked[1].messages[-1].content


async def test_the_whole_task_is_one_step_where_no_plan_comes() -> None:
    one, asked = planner("No.", "Never.")
    assert [step.title for step in (await one.plan(0)).steps] == [
        "Write a program that sorts mail."
    ]
    assert len(asked) == 2


async def test_a_new_plan_keeps_what_is_done() -> None:
    earlier = Plan(steps=(Step(title="Read"), Step(title="Sort"), Step(title="Print")))
    one, asked = planner("1. Sort by date\n2. Sort by name")
    made = await one.plan(3, earlier=earlier, done=1, failure="It hangs.")
    assert [step.title for step in made.steps] == ["Read", "Sort by date", "Sort by name"]
    assert "1. Read (done)" in asked[0].messages[-1].content
    assert "Step 2 has failed. It hangs." in asked[0].messages[-1].content
