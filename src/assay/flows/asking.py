"""How agents reach a model: within the limits, each reply kept before it is used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from assay.agents.brief import Ask, Question
from assay.domain.event import CallEnded, CallStarted, Happening
from assay.domain.message import Reply
from assay.models.budget import Budget
from assay.models.budgeted import BudgetedModel
from assay.store.store import Store

EMBEDDED_ANSWER_TOKENS = 2048
"""A small model that goes on longer than this is repeating itself."""


def asking(
    *,
    session: str,
    model: BudgetedModel,
    budget: Budget,
    store: Store,
    record: Callable[[Happening], None],
    seed: int | None,
) -> Ask:
    """The function that agents ask through."""

    async def ask(question: Question) -> Reply:
        key = (session, question.role, question.attempt, question.role, _hash(question, model))
        stored = store.find_reply(*key)
        if stored is not None:
            budget.add(stored.usage)
            return stored
        record(CallStarted(attempt=question.attempt, role=question.role, model=model.name))
        reply = await model.complete(
            question.messages,
            max_tokens=EMBEDDED_ANSWER_TOKENS if model.is_embedded else None,
            temperature=question.temperature,
            seed=(seed or 0) + question.attempt,
            on_progress=record,
        )
        store.save_reply(*key, question.messages, reply)
        record(
            CallEnded(
                attempt=question.attempt,
                role=question.role,
                finish_reason=reply.finish_reason,
                usage=reply.usage,
            )
        )
        return reply

    return ask


def _hash(question: Question, model: BudgetedModel) -> str:
    sent = [message.model_dump() for message in question.messages]
    text = json.dumps([model.name, question.temperature, sent], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
