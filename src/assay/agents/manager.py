"""The Manager: asked where the graph leaves a choice, and for the last word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.agents.brief import Ask, Brief, Question
from assay.agents.prompting import render
from assay.models.replies.thoughts import without_thoughts

MAX_CLOSING = 1000
"""Characters of the closing message."""
_WORD = re.compile(r"[a-z_]+")


@dataclass(frozen=True)
class Manager:
    """Decides between the ways that the graph offers; none of its words is an order by itself."""

    brief: Brief
    ask: Ask

    async def choose(
        self, attempt: int, situation: str, choices: Mapping[str, str], default: str
    ) -> str:
        """Let the model choose what comes next.

        Args:
            attempt: Number of the attempt that it comes after.
            situation: What has happened, in sentences.
            choices: What each choice means, by its name.
            default: The choice where the reply names none of them.
        """
        messages = render("manager", brief=self.brief, situation=situation, choices=choices)
        reply = await self.ask(Question("manager", attempt, messages, temperature=0.0))
        words = _WORD.findall(without_thoughts(reply.text).text.lower())
        return next((word for word in words if word in choices), default)

    async def close(self, attempt: int, report: str) -> str:
        """Write the closing message from a report of what was shown."""
        messages = render("manager", brief=self.brief, situation=report, choices={})
        reply = await self.ask(Question("manager", attempt, messages, temperature=0.0))
        return without_thoughts(reply.text).text.strip()[:MAX_CLOSING]
