"""How agents reach a model: within the limits, each reply kept before it is used."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence

from assay.agents.brief import Ask, Question
from assay.domain.event import CallEnded, CallStarted, Happening, Notice
from assay.domain.message import Message, Prompt, Reply
from assay.domain.roles import Agents, AgentSettings
from assay.models.budget import Budget
from assay.models.budgeted import BudgetedModel
from assay.store.records import StoredReply
from assay.store.store import Store


def asking(
    *,
    session: str,
    model: BudgetedModel,
    budget: Budget,
    store: Store,
    note: Callable[[Happening], None],
    record: Callable[[Happening], Awaitable[None]],
    save: Callable[[StoredReply], Awaitable[None]],
    agents: Agents,
    seed: int | None,
    is_resumed: bool,
) -> Ask:
    """The function that agents ask through, in a graph's nodes.

    Args:
        session: Whose replies they are.
        model: Who is asked.
        budget: Has counted all replies that are there already.
        store: Where the replies of before are found.
        note: Has stored and shown what happens.
        record: Does so at once.
        save: Stores a reply.
        agents: What is set for each role.
        seed: The task's.
        is_resumed: Whether another process has worked on the session before.
    """

    async def ask(question: Question) -> Reply:
        step = _node()
        own = agents.get(question.role, AgentSettings())
        name = own.model or model.name
        temperature = question.temperature if own.temperature is None else own.temperature
        prompt_hash = _hash(name, temperature, question.messages)
        reply = store.find_reply(session, step, question.attempt, question.role, prompt_hash)
        if reply is None:
            if is_resumed and _was_answered(store, session, step, question):
                await record(
                    Notice(text=_CHANGED.format(role=question.role, number=question.attempt))
                )
            await record(CallStarted(attempt=question.attempt, role=question.role, model=name))
            prompt = Prompt(
                messages=question.messages,
                role=question.role,
                temperature=temperature,
                seed=(seed or 0) + question.attempt,
            )
            reply = await model.complete(prompt, note)
            await save(
                StoredReply(
                    step=step,
                    attempt=question.attempt,
                    role=question.role,
                    prompt_hash=prompt_hash,
                    time=time.time(),
                    messages=question.messages,
                    reply=reply,
                )
            )
        await record(
            CallEnded(
                attempt=question.attempt,
                role=question.role,
                finish_reason=reply.finish_reason,
                usage=reply.usage,
            )
        )
        return reply

    return ask


_CHANGED = (
    "The {role}'s prompt of attempt {number} is not what it was before the interruption, as after "
    "an update of Assay; the model is asked again."
)


def _was_answered(store: Store, session: str, step: str, question: Question) -> bool:
    """Whether there is a reply to another prompt of this step."""
    place = (step, question.attempt, question.role)
    return any((one.step, one.attempt, one.role) == place for one in store.replies(session))


def _node() -> str:
    """The name of the graph's node that runs now."""
    from langgraph.config import get_config

    return str(get_config()["metadata"]["langgraph_node"])


def _hash(model: str, temperature: float, messages: Sequence[Message]) -> str:
    sent = [message.model_dump() for message in messages]
    text = json.dumps([model, temperature, sent], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
