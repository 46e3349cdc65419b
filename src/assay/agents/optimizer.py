"""The Optimizer proposes a better version of code that works; a measurement decides about it."""

from __future__ import annotations

from dataclasses import dataclass

from assay.agents.brief import Ask, Brief, Question
from assay.agents.prompting import render
from assay.agents.typed import ask_for
from assay.domain.message import Reply
from assay.domain.solution import Solution
from assay.models.replies import read_reply


@dataclass(frozen=True)
class Optimizer:
    """Turns a solution into one that promises to be faster or smaller."""

    brief: Brief
    ask: Ask

    async def improve(self, attempt: int, solution: Solution) -> Solution | None:
        """Ask for a version with the same behaviour; None where there is nothing to gain.

        Args:
            attempt: Number that the proposal will have.
            solution: What works.
        """
        messages = render("optimizer", brief=self.brief, solution=solution)
        question = Question("optimizer", attempt, messages, temperature=0.0)
        return await ask_for(self.ask, question, lambda reply: _read(reply, solution), None)


def _read(reply: Reply, before: Solution) -> Solution | None:
    """The proposal; a reply without code says that there is nothing to gain."""
    if "```" not in reply.text and "~~~" not in reply.text:
        return None
    return read_reply(reply, language=before.language, answer="code")
