"""The Programmer writes a solution, and writes it again when checks have failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.agents.brief import Ask, Assignment, Brief, Failed, Question, repeats_itself
from assay.agents.prompting import render
from assay.domain.message import Message, Reply
from assay.domain.solution import Solution
from assay.errors import NoCode
from assay.models.replies import read_reply

RETRY_TEMPERATURE = 0.4
FRESH_TEMPERATURE = 0.8


@dataclass(frozen=True)
class Programmer:
    """Turns a brief, and what failed so far, into one solution."""

    brief: Brief
    ask: Ask

    async def write(
        self,
        attempt: int,
        failed: Sequence[Failed],
        reflection: str = "",
        assignment: Assignment | None = None,
    ) -> Reply:
        """Ask the model for attempt number `attempt` (from 1).

        Args:
            attempt: Its number.
            failed: What did not pass so far.
            reflection: What the critic said of that.
            assignment: The step of a plan that it is for; None: the whole task.
        """
        fresh = repeats_itself(failed)
        shown = () if fresh else tuple(failed)
        messages = self.prompt(shown, "" if fresh else reflection, assignment)
        return await self.ask(Question("programmer", attempt, messages, _temperature(failed)))

    def prompt(
        self,
        failed: Sequence[Failed],
        reflection: str = "",
        assignment: Assignment | None = None,
    ) -> tuple[Message, ...]:
        """The messages that are sent."""
        return render(
            "programmer",
            brief=self.brief,
            failed=failed,
            reflection=reflection,
            assignment=assignment,
        )

    def read(self, reply: Reply) -> Solution:
        """Take the solution out of a reply.

        Raises:
            ReplyError: it holds none; the message says to the model what was wrong.
        """
        language, answer = self.brief.language, self.brief.answer
        try:
            return read_reply(reply, language=language, answer=answer)
        except NoCode:
            if answer == "auto" and _is_prose(reply.text) and not self._asks_for_code:
                return read_reply(reply, language=language, answer="prose")
            raise

    @property
    def _asks_for_code(self) -> bool:
        brief = self.brief
        return brief.wants_program or bool(brief.tests or brief.examples or asks_for_code(brief))


def asks_for_code(brief: Brief) -> bool:
    """Whether the instructions speak of something to be written."""
    words = set(brief.instructions.lower().replace(",", " ").replace(".", " ").split())
    return brief.wants_definitions or bool(words & _CODE_WORDS)


def _is_prose(text: str) -> bool:
    """Whether there are words and no code in any language."""
    return bool(text.strip()) and "```" not in text and "~~~" not in text


def _temperature(failed: Sequence[Failed]) -> float:
    """The first answer is the model's surest; later ones have to differ from it."""
    if not failed:
        return 0.0
    return FRESH_TEMPERATURE if repeats_itself(failed) else RETRY_TEMPERATURE


_CODE_WORDS = {
    "write", "implement", "create", "build", "code", "program", "script", "function", "class",
    "method", "refactor", "fix", "port", "rewrite",
}  # fmt: skip
