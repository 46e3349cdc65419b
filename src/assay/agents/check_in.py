"""Check-In writes how a change is told where code lives: a title and a description."""

from __future__ import annotations

from dataclasses import dataclass

from assay.agents.brief import Ask, Brief, Question
from assay.agents.prompting import render
from assay.agents.typed import ask_for
from assay.domain.message import Reply
from assay.domain.solution import Solution
from assay.errors import NoCode
from assay.models.replies.thoughts import without_thoughts

MAX_TITLE = 72
MAX_DESCRIPTION = 2000


@dataclass(frozen=True)
class CheckIn:
    """Turns what was done into the text of a commit; the evidence is added by others."""

    brief: Brief
    ask: Ask

    async def describe(self, attempt: int, solution: Solution) -> str:
        """Ask for a title, an empty line and a description; empty where there is none.

        Args:
            attempt: Number of the attempt that is checked in.
            solution: What it holds; the model is told its files' names.
        """
        messages = render("check_in", brief=self.brief, solution=solution)
        question = Question("check_in", attempt, messages, temperature=0.0)
        return await ask_for(self.ask, question, read_description, "")


def read_description(reply: Reply) -> str:
    """Take title and description out of a reply.

    Raises:
        NoCode: there are no words in it.
    """
    lines = [line.strip() for line in without_thoughts(reply.text).text.strip().splitlines()]
    lines = [line for line in lines if not line.startswith("```")]
    title = next(
        (line.lstrip("# ").removeprefix("Title:").strip(" *") for line in lines if line), ""
    )
    if not title:
        raise NoCode("There is no text in it. Answer with a title, an empty line, a description.")
    rest = "\n".join(lines[1:]).strip()[:MAX_DESCRIPTION]
    return f"{title[:MAX_TITLE]}\n\n{rest}".strip()
