"""How long an embedded model reads before its first word: the first attempt against the second.

Both have the same documentation in front. Each round has a text of its own, so that the first
attempt finds nothing of it in the server's cache.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from assay.client import Assay
from assay.domain.event import CallEnded, CallStarted, Event, Text
from assay.domain.limits import Limits
from assay.domain.task import Task
from assay.domain.usage import Usage
from assay.tokens import count_tokens
from bench.models import MODELS, require, short_name
from bench.tables import Table, against

TOKENS = 4000
ROUNDS = 3
LIMIT_PERCENT = 5.0

INSTRUCTIONS = "Write a python function double(n) that returns twice the number n."
IMPOSSIBLE = ("double(2) == 4", "double(2) == 5")
"""No code satisfies both, so each session makes all its attempts."""


@dataclass(frozen=True)
class Read:
    """One call of a model."""

    seconds: float
    """From the question to the first piece of the reply."""
    usage: Usage


async def measure(
    models: Sequence[str] = MODELS, rounds: int = ROUNDS, tokens: int = TOKENS
) -> list[Table]:
    """Run `rounds` sessions of two attempts on each model.

    Raises:
        AssayError: a model is not there.
    """
    await require(models)
    rows = []
    for model in models:
        await _two_calls(model, tokens=0)  # starts the server, and loads the model's file
        calls = [await _two_calls(model, tokens) for _ in range(rounds)]
        rows.append(_row(model, calls))
    return [
        Table(
            columns=(
                "model", "prompt tokens", "first attempt", "second attempt", "of it cached",
                "second / first", "target",
            ),
            rows=tuple(rows),
            note=(
                f"Seconds to the first word, medians of {rounds} sessions, each with another "
                f"documentation of {tokens:,} tokens. Prompt tokens are the first attempt's, "
                "cached ones the second's."
            ),
        )
    ]  # fmt: skip


def _row(model: str, calls: Sequence[tuple[Read, Read]]) -> tuple[str, ...]:
    first = median(one.seconds for one, _ in calls)
    second = median(two.seconds for _, two in calls)
    percent = median(100 * two.seconds / one.seconds for one, two in calls)
    prompt = median(one.usage.input_tokens for one, _ in calls)
    cached = median(100 * two.usage.cached_tokens / two.usage.input_tokens for _, two in calls)
    return (
        short_name(model),
        f"{prompt:,.0f}",
        f"{first:.2f} s",
        f"{second:.2f} s",
        f"{cached:.1f} %",
        f"{percent:.1f} %",
        against(percent, LIMIT_PERCENT, "≤ 5 %"),
    )


async def _two_calls(model: str, tokens: int) -> tuple[Read, Read]:
    started: dict[int, float] = {}
    first_word: dict[int, float] = {}
    usages: dict[int, Usage] = {}
    attempt = 0

    def note(event: Event) -> None:
        nonlocal attempt
        match event.happening:
            case CallStarted(attempt=attempt):
                started[attempt] = event.time
            case Text():
                first_word.setdefault(attempt, event.time)
            case CallEnded(usage=usage):
                usages[attempt] = usage

    with TemporaryDirectory() as folder:
        sources = (_write_page(Path(folder), tokens),) if tokens else ()
        task = Task(
            instructions=INSTRUCTIONS,
            examples=IMPOSSIBLE,
            documentation=sources,
            limits=Limits(attempts=2),
            seed=1,
        )
        # Room for more than there is: the text goes into the prompt whole.
        assay = Assay(
            model=model, flow="correct", data_folder=Path(folder), documentation_tokens=2 * TOKENS
        )
        result = await assay.run(task, note)
    if len(usages) != 2:
        raise RuntimeError(f"the session did not make two attempts: {result.answer.headline}")
    first, second = (Read(first_word[one] - started[one], usages[one]) for one in (1, 2))
    return first, second


def _write_page(folder: Path, tokens: int) -> str:
    page = folder / "documentation.md"
    page.write_text(write_documentation(tokens), "utf-8")
    return str(page)


def write_documentation(tokens: int) -> str:
    """A text of up to `tokens` tokens, another one each time, about functions that are not."""
    rng = random.Random(secrets.randbits(64))
    sections: list[str] = ["# The library\n"]
    used = count_tokens(sections[0])
    while True:
        section = _section(rng)
        used += count_tokens(section)
        if used > tokens:
            return "\n".join(sections)
        sections.append(section)


def _section(rng: random.Random) -> str:
    name, other = ("_".join(rng.sample(_WORDS, 2)) for _ in range(2))
    kind, unit = rng.choice(_WORDS), rng.choice(_WORDS)
    number = rng.randrange(2, 1000)
    return (
        f"## {name}\n\n"
        f"The function `{name}({kind}, {unit})` takes a {kind} and gives back its {unit}. With "
        f"more than {number} of them it waits; see `{other}` for what comes after it.\n\n"
        f"```python\nresult = {name}({number}, '{unit}')\n```\n"
    )


_WORDS = (
    "anchor", "basket", "copper", "dialog", "engine", "filter", "garden", "harbor", "island",
    "jacket", "kernel", "ladder", "marble", "number", "object", "packet", "quartz", "record",
    "signal", "ticket", "update", "vector", "window", "yellow",
)  # fmt: skip
