"""The Planner divides a task into steps, each with what it must show when it is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.agents.brief import Ask, Brief, Question
from assay.agents.prompting import render
from assay.agents.typed import ask_for
from assay.domain.message import Reply
from assay.domain.plan import MAX_STEPS, Plan, Step
from assay.errors import NoPlan
from assay.models.replies.thoughts import without_thoughts

MAX_TITLE = 300
"""Characters of a step's text."""

_ITEM = re.compile(
    r"(?:#{1,6}\s*)?(?:\*\*)?(?:step\s+)?(\d{1,3})[.):]\s*(?:\[[ xX]?\]\s*)?(.*)", re.IGNORECASE
)
_BULLET = re.compile(r"[-*+]\s+(?:\[[ xX]?\]\s*)?(.*)")
_SHOWS = re.compile(r"\b(?:shows?|check|verify|done when)\s*:\s*", re.IGNORECASE)
_AFTER = re.compile(
    r"\(?\bafter\s*:?\s*(?:steps?\s*)?((?:\d{1,3}(?:\s*(?:,|and|&)\s*)?)+)\)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Planner:
    """Turns a brief into a plan, and plans the rest again where a step has failed."""

    brief: Brief
    ask: Ask

    async def plan(
        self, attempt: int, *, earlier: Plan | None = None, done: int = 0, failure: str = ""
    ) -> Plan:
        """Ask for a plan; one step for the whole task where none can be read.

        Args:
            attempt: Number of the attempt that it comes after.
            earlier: The plan so far, where it is planned again.
            done: How many of its steps are done, and stay.
            failure: What went wrong in the step after them.
        """
        messages = render(
            "planner",
            brief=self.brief,
            earlier=earlier,
            done=done,
            failure=failure,
            max_steps=MAX_STEPS,
        )
        question = Question("planner", attempt, messages, temperature=0.0)
        made = await ask_for(self.ask, question, read_plan, whole_task(self.brief))
        kept = earlier.steps[:done] if earlier else ()
        return Plan(steps=(*kept, *made.steps)[:MAX_STEPS])


def whole_task(brief: Brief) -> Plan:
    """The plan of one step."""
    line = next((one for one in brief.instructions.strip().splitlines() if one.strip()), "")
    return Plan(steps=(Step(title=line[:MAX_TITLE]),))


def read_plan(reply: Reply) -> Plan:
    """Take the steps out of a reply: a numbered list, or one with bullets.

    Raises:
        NoPlan: there are none, or too many of them.
    """
    lines = without_thoughts(reply.text).text.splitlines()
    steps = tuple(_numbered(lines)) or tuple(_bulleted(lines))
    if not steps:
        raise NoPlan("There is no numbered list of steps in it. Answer with such a list alone.")
    if len(steps) > MAX_STEPS:
        raise NoPlan(f"It has {len(steps)} steps. Make it at most {MAX_STEPS} larger ones.")
    return Plan(steps=steps).in_order()


def _numbered(lines: Sequence[str]) -> Iterator[Step]:
    """The items of a numbered list; what follows one without a number tells what it shows."""
    title: str | None = None
    shows = ""
    for line in map(str.strip, lines):
        if found := _ITEM.fullmatch(line):
            if title:
                yield _step(title, shows)
            title, shows = found[2], ""
        elif title is not None and (said := _SHOWS.search(line)) and not shows:
            shows = line[said.end() :]
    if title:
        yield _step(title, shows)


def _bulleted(lines: Sequence[str]) -> Iterator[Step]:
    for line in lines:
        if (found := _BULLET.fullmatch(line.rstrip())) and found[1].strip():
            yield _step(found[1], "")


def _step(text: str, shows: str) -> Step:
    after: tuple[int, ...] = ()
    if found := _AFTER.search(text):
        after = tuple(map(int, re.findall(r"\d+", found[1])))
        text = text[: found.start()] + text[found.end() :]
    if not shows and (said := _SHOWS.search(text)):
        text, shows = text[: said.start()], text[said.end() :]
    title = _plain(text)
    return Step(title=title or _plain(shows), shows=_plain(shows), after=after)


def _plain(text: str) -> str:
    return text.replace("**", "").strip(" \t.;:-–—(*")[:MAX_TITLE]
