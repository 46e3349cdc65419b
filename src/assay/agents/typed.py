"""Answers that have to be of a kind: a choice, a plan, tests, a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from assay.agents.brief import Ask, Question
from assay.domain.message import Message, Reply
from assay.errors import ReplyError

Answer = TypeVar("Answer")


async def ask_for(
    ask: Ask, question: Question, read: Callable[[Reply], Answer], default: Answer
) -> Answer:
    """Ask, and once more with what was wrong if the reply cannot be read; then the default.

    Args:
        ask: How the role's model is reached.
        question: What is asked.
        read: Takes the answer out of a reply; raises ReplyError with what to say to the model.
        default: The answer where none can be had.
    """
    try:
        return read(await ask(question))
    except ReplyError as error:
        wrong = f"\n\nAn earlier answer could not be used. {error.message}"
    *before, last = question.messages
    again = Message(role=last.role, content=last.content + wrong)
    try:
        return read(await ask(replace(question, messages=(*before, again))))
    except ReplyError:
        return default
