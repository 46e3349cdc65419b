"""What each agent knows of the task: prepared once, the same in every prompt of a session."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import Field

from assay.domain.answer import Attempt
from assay.domain.choices import AnswerKind
from assay.domain.data import Data
from assay.domain.message import Message, Reply
from assay.domain.plan import Plan, Step
from assay.domain.roles import RoleName
from assay.domain.solution import Solution
from assay.domain.task import Earlier, TestFile


class Brief(Data):
    """The task as agents see it."""

    instructions: str
    language: str | None
    environment: str
    """Sentences: the interpreter's version, what can be imported, the limits of a run."""
    documentation: str = ""
    attachments: tuple[str, ...] = ()
    """What prompts say of each attachment."""
    folder: str = ""
    """The files of the folder that is worked on, as far as a prompt has room for them."""
    tests: tuple[TestFile, ...] = ()
    """Files of code."""
    cases: tuple[str, ...] = ()
    """Runs of the program with what has to come of them, each in words."""
    examples: tuple[str, ...] = ()
    answer: AnswerKind = "auto"
    wants_definitions: bool = False
    """Whether a function or class was asked for, not a program."""
    wants_tests: bool = False
    """Whether tests of the attached code were asked for."""
    wants_program: bool = False
    """Whether it is tested as a program, with arguments and input."""
    earlier: Earlier | None = None
    """What a follow-up goes on from."""
    templates: dict[str, str] = Field(default_factory=dict)
    """A person's own prompts by their names: kept, so that a session goes on with the same ones."""
    shows_code: bool = True
    """Whether a failed answer's code goes back to the model. Small models copy what they see."""


@dataclass(frozen=True)
class Question:
    """One call of a model on behalf of a role."""

    role: RoleName
    attempt: int
    messages: tuple[Message, ...]
    temperature: float


Ask = Callable[[Question], Awaitable[Reply]]
"""Puts a question to the role's model within the limits; keeps and shows what comes."""


class Failed(Data):
    """An earlier attempt that did not pass, as far as the next prompt needs it."""

    attempt: Attempt
    feedback: str


class Assignment(Data):
    """A step of a divided plan, as the Programmer gets it."""

    plan: Plan
    number: int
    """Of the step, from 1."""
    present: Solution | None = None
    """What the steps before have come to."""

    @property
    def step(self) -> Step:
        """What is to be done now."""
        return self.plan.steps[self.number - 1]


def repeats_itself(failed: Sequence[Failed]) -> bool:
    """Whether the last two attempts had the same code and the same failure.

    A third try on the same prompt would bring the same again: better a fresh sample.
    """
    if len(failed) < 2:
        return False
    before, last = failed[-2].attempt, failed[-1].attempt
    if before.solution is None or last.solution is None:
        return before.solution is last.solution and failed[-2].feedback == failed[-1].feedback
    same_code = _code_of(before.solution) == _code_of(last.solution)
    return same_code and failed[-2].feedback == failed[-1].feedback


def _code_of(solution: Solution) -> list[str]:
    """The code of each file; of Python without comments and layout, which change nothing."""
    return [_without_comments(file.source) for file in solution.files]


def _without_comments(source: str) -> str:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
