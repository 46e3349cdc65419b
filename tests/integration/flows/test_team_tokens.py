"""Each agent is sent what its role needs: far less than the whole chat for everyone."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from assay import Assay, Task
from assay.store.records import StoredReply
from assay.tokens import count_tokens

MOST = 0.6
"""Of the tokens that repeating the whole chat to each speaker would take."""

TASK = Task(
    instructions=(
        "Write a module that keeps the stock of a small shop. A class Stock has add(name, count, "
        "price) for what comes in, take(name, count) for what goes out, value() for what all of it "
        "is worth, and low(limit) for the names of which less than limit are left, sorted. What is "
        "not there, or not there in that number, raises a KeyError or a ValueError; counts and "
        "prices below zero raise a ValueError. A function load(lines) makes a Stock of lines such "
        "as 'nail;100;0.05', and save(stock) gives such lines, sorted by name."
    ),
    examples=("load(['nail;100;0.05']).value() == 5.0",),
    check_in=True,
)
PLAN = """1. The class Stock with add, take, value and low; shows: Stock().value() gives 0
2. The functions load and save; shows: save(load(['a;1;2.0'])) gives ['a;1;2.0']"""
STOCK = '''class Stock:
    """What is there, by name."""

    def __init__(self):
        self.items = {}

    def add(self, name, count, price):
        """Put things in; their price is the latest."""
        if count < 0 or price < 0:
            raise ValueError("counts and prices are not below zero")
        before, _ = self.items.get(name, (0, price))
        self.items[name] = (before + count, price)

    def take(self, name, count):
        """Take things out."""
        if count < 0:
            raise ValueError("counts are not below zero")
        there, price = self.items[name]
        if count > there:
            raise ValueError(f"only {there} of {name} are left")
        self.items[name] = (there - count, price)

    def value(self):
        """What all of it is worth."""
        return sum(count * price for count, price in self.items.values())

    def low(self, limit):
        """Names of which less than limit are left."""
        return sorted(name for name, (count, _) in self.items.items() if count < limit)
'''
LOAD = '''

def load(lines):
    """A stock of its lines."""
    stock = Stock()
    for line in lines:
        name, count, price = line.split(";")
        stock.add(name, int(count), float(price))
    return stock


def save(stock):
    """The lines of a stock."""
    return [f"{name};{count};{price}" for name, (count, price) in sorted(stock.items.items())]
'''
SAID = "The class keeps counts and prices in a dictionary, and refuses what makes no sense."
FAILING = (LOAD.replace('split(";")', 'split(",")'), LOAD.replace("float(price)", "0.0"))
STOCK_TESTS = """import pytest


def test_what_is_there():
    stock = Stock()
    stock.add("nail", 100, 0.5)
    stock.add("nail", 20, 0.25)
    stock.take("nail", 40)
    assert stock.value() == 20.0
    assert stock.low(81) == ["nail"]
    assert stock.low(80) == []


def test_what_makes_no_sense():
    stock = Stock()
    stock.add("nail", 1, 0)
    with pytest.raises(ValueError):
        stock.take("nail", 2)
    with pytest.raises(ValueError):
        stock.add("nail", -1, 1)
    with pytest.raises(KeyError):
        stock.take("screw", 1)"""
LOAD_TESTS = """assert load([]).value() == 0
assert save(load(['a;1;2.0'])) == ['a;1;2.0']
assert save(load(['b;1;2.0', 'a;3;1.5'])) == ['a;3;1.5', 'b;1;2.0']
assert load(['a;2;2.5', 'b;1;1.0']).value() == 6.0"""


def code(*parts: str) -> str:
    return f"{SAID}\n```python\n{''.join(parts)}```"


async def test_a_team_sends_less_than_repeating_its_chat_would(team: Any) -> None:
    team.will_say("planner", PLAN, code(STOCK), f"```python\n{STOCK_TESTS}\n```")
    team.will_say(code(STOCK, FAILING[0]), "programmer", code(STOCK, FAILING[1]), "programmer")
    team.will_say(code(STOCK, LOAD), f"```python\n{LOAD_TESTS}\n```", "KEEP")
    team.will_say(
        "You get the module; its example passes.", "Keep the stock of a shop\n\nAs asked."
    )
    result = await team.run(TASK)
    assert result.answer.team.done == 2, result.answer.headline
    assert len([one for one in result.answer.attempts if one.step == 2]) == 3
    with closing(Assay().open_store()) as store:
        replies = store.replies(result.session)
    assert {one.role for one in replies} == {
        *("manager", "planner", "programmer", "tester", "optimizer", "check_in"),
    }
    sent, chat = tokens_sent(replies), tokens_of_chat(replies)
    assert sent <= MOST * chat, f"{sent:,} of {chat:,} tokens"


def tokens_sent(replies: list[StoredReply]) -> int:
    """What was really sent."""
    return sum(count_tokens(message.content) for one in replies for message in one.messages)


def tokens_of_chat(replies: list[StoredReply]) -> int:
    """What would be sent if each speaker got its own rules, the task, and all that was said."""
    total, said = 0, count_tokens(TASK.instructions)
    for one in replies:
        system = next(message for message in one.messages if message.role == "system")
        total += count_tokens(system.content) + said
        said += count_tokens(one.reply.text)
    return total
