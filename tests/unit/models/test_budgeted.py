"""A model within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.domain.limits import Limits
from assay.domain.message import Message, Prompt
from assay.errors import LimitReached, ModelFailed
from assay.models.budget import Budget
from assay.models.budgeted import BudgetedModel
from assay.models.model import Model, OnProgress

Script = Callable[..., Any]
TOKENS = {"input_tokens": 6, "output_tokens": 4}


async def ask(model: Model, max_tokens: int | None = None) -> str:
    prompt = Prompt(messages=(Message(role="user", content="a prompt"),), max_tokens=max_tokens)
    reply = await model.complete(prompt, lambda _: None)
    return reply.text


async def test_calls_are_counted_until_nothing_is_left(script: Script) -> None:
    budget = Budget(Limits(tokens=20))
    rig = script(*[{"text": "a", "usage": TOKENS}] * 3)
    model = BudgetedModel(rig.model, budget)
    assert await ask(model) == await ask(model) == "a"
    with pytest.raises(LimitReached, match="20 tokens"):
        await ask(model)
    assert (budget.usage.calls, budget.usage.tokens) == (2, 20)


async def test_tries_and_failed_calls_are_counted_too(script: Script) -> None:
    budget = Budget(Limits())
    rig = script({"error": 429}, {"text": "a"}, {"error": 400})
    model = BudgetedModel(rig.model, budget)
    await ask(model)
    with pytest.raises(ModelFailed):
        await ask(model)
    assert budget.usage.calls == 3


async def test_time_that_runs_out_during_a_call_ends_it(script: Script) -> None:
    budget = Budget(Limits(seconds=0.05))
    model = BudgetedModel(script({"text": "half a", "error": "hang"}).model, budget)
    with pytest.raises(LimitReached, match="--timeout"):
        await ask(model)
    assert budget.usage.calls == 1
    assert budget.usage.output_tokens > 0


async def test_the_shorter_of_both_limits_holds_for_the_reply(script: Script) -> None:
    seen: list[int | None] = []
    rig = script(*[{"text": "a", "usage": {"input_tokens": 10}}] * 3)
    complete = rig.model.complete

    async def spy(prompt: Prompt, on_progress: OnProgress) -> Any:
        seen.append(prompt.max_tokens)
        return await complete(prompt, on_progress)

    rig.model.complete = spy
    model = BudgetedModel(rig.model, Budget(Limits(tokens=100)))
    await ask(model)
    await ask(model, max_tokens=5)
    await ask(model, max_tokens=1000)
    # The prompt of eight characters counts for two tokens, each earlier call for ten.
    assert seen == [98, 5, 78]


async def test_it_is_the_model_that_it_wraps(script: Script) -> None:
    rig = script({"text": "a"})
    model = BudgetedModel(rig.model, Budget(Limits()))
    assert (model.name, model.context_tokens) == (rig.model.name, rig.model.context_tokens)
    assert not model.is_embedded
    await model.aclose()
