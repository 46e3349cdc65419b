"""Scripted sessions with two failures: of the Programmer alone, and of a whole team."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from assay.domain.task import Task

REPLY_SECONDS = 0.3


@dataclass(frozen=True)
class Script:
    """A task, and what the model says to it."""

    flow: str
    task: Task
    replies: tuple[str, ...]
    attempts: int
    """That the session comes to."""

    def write(self, path: Path) -> str:
        """Write the replies to `path`; returns the name of the model that gives them.

        Each takes as long as the quickest of real models: the sandbox gets ready meanwhile.
        """
        lines = [json.dumps({"text": text, "delay": REPLY_SECONDS}) for text in self.replies]
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return f"scripted:{path}"


def _code(value: str) -> str:
    return (
        "This adds them up.\n\n```python\ndef total(numbers):\n    result = 0\n"
        f"    for number in numbers:\n        result = {value}\n    return result\n```\n"
    )


_WRONG = (_code("result - number"), _code("result * number"))
_RIGHT = _code("result + number")
_EXAMPLES = ("total([1, 2]) == 3",)

CORRECT = Script(
    flow="correct",
    task=Task(
        instructions="Write a python function total(numbers) that adds them up.", examples=_EXAMPLES
    ),
    replies=(*_WRONG, _RIGHT),
    attempts=3,
)
TEAM = Script(
    flow="team",
    task=Task(
        instructions=(
            "We keep the numbers of our bills in lists, and several of our programs add them up, "
            "each in a way of its own, and not all of them right. Write a module for that, with a "
            "function total(numbers) that adds them up, whole ones and negative ones alike, and "
            "gives 0 where there are none. It is called with long lists, so it has to be quick, "
            "and it must not change the list that it is given."
        ),
        examples=_EXAMPLES,
        check_in=True,
    ),
    replies=(
        "planner",
        "1. A function total(numbers) that adds them up; shows: total([1, 2]) gives 3",
        *_WRONG,
        _RIGHT,
        "```python\nassert total([]) == 0\nassert total([5]) == 5\nassert total([1, -1]) == 0\n```",
        "sum() does it.\n\n```python\ndef total(numbers):\n    return sum(numbers)\n```",
        "```python\ntotal(range(20000))\n```",
        "You get total; its example and three generated tests pass.",
        "Add a function that sums numbers\n\nIt is what the other modules need.",
    ),
    attempts=4,
)
