"""The Tester writes tests from the task; it never sees the code that they are for."""

from __future__ import annotations

from dataclasses import dataclass

from assay.agents.brief import Ask, Brief, Question
from assay.agents.prompting import render
from assay.agents.typed import ask_for
from assay.domain.message import Reply
from assay.domain.plan import Step
from assay.errors import NoCode
from assay.models.replies import read_reply
from assay.models.replies.thoughts import without_thoughts

MAX_WORKLOAD = 2000
"""Characters of a workload."""


@dataclass(frozen=True)
class Tester:
    """Turns a brief and the names of what is there into tests, and into work for a measurement."""

    brief: Brief
    ask: Ask

    async def write(
        self,
        attempt: int,
        step: Step,
        interface: str,
        *,
        plays_service: bool = False,
        rejected: str = "",
    ) -> str | None:
        """Ask for a test file in Python; None where there is none in two replies.

        Args:
            attempt: Number of the attempt that it comes after.
            step: What is to be tested.
            interface: The solution's definitions without their bodies.
            plays_service: Whether the tests have to play a service that it would talk to.
            rejected: Why the tests before were thrown away.
        """
        messages = render(
            "tester",
            brief=self.brief,
            step=step,
            interface=interface,
            rejected=rejected,
            wants="service" if plays_service else "tests",
        )
        question = Question("tester", attempt, messages, temperature=0.0)
        return await ask_for(self.ask, question, _read_source, None)

    async def write_workload(self, attempt: int, interface: str) -> str | None:
        """Ask for a statement that makes the code work hard; None where there is none.

        The Optimizer never sees it, so that nothing can be written for it alone.
        """
        step = Step(title="")
        messages = render(
            "tester",
            brief=self.brief,
            step=step,
            interface=interface,
            rejected="",
            wants="workload",
        )
        question = Question("tester", attempt, messages, temperature=0.0)
        return await ask_for(self.ask, question, _read_workload, None)


def _read_source(reply: Reply) -> str:
    solution = read_reply(reply, language="python", answer="code")
    return "\n\n".join(file.source for file in solution.files)


def _read_workload(reply: Reply) -> str:
    text = without_thoughts(reply.text).text
    source = _read_source(reply) if "```" in text else text.strip()
    if not source or len(source) > MAX_WORKLOAD:
        raise NoCode(
            f"Answer with one short call in a code block, below {MAX_WORKLOAD} characters."
        )
    return source
