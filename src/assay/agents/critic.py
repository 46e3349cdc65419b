"""The Critic says in words why an attempt failed, before the next one is written."""

from __future__ import annotations

from dataclasses import dataclass

from assay.agents.brief import Ask, Brief, Failed, Question
from assay.agents.prompting import render


@dataclass(frozen=True)
class Critic:
    """Reflects on the last failure; its words go into the next prompt."""

    brief: Brief
    ask: Ask

    async def reflect(self, failed: Failed) -> str:
        """Ask for the cause of a failure in a few sentences."""
        messages = render("critic", brief=self.brief, failed=failed)
        number = failed.attempt.number
        reply = await self.ask(Question("critic", number, messages, temperature=0.0))
        return reply.text.strip()
