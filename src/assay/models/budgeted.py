"""A model within a budget: asked only while something is left, and counted however it ends."""

from __future__ import annotations

import asyncio

from assay.domain.message import Prompt, Reply
from assay.models.budget import Budget
from assay.models.model import Model, OnProgress, usage_of
from assay.models.wrapped import WrappedModel

CHARACTERS_A_TOKEN = 4
"""Of English and code, about: near enough to refuse a call that cannot fit."""


class BudgetedModel(WrappedModel):
    """Puts a budget before a model. It is a `Model` itself."""

    def __init__(self, model: Model, budget: Budget) -> None:
        """Share one budget among as many models as wanted.

        Args:
            model: Who is asked.
            budget: What may be spent, and what was.
        """
        super().__init__(model)
        self._budget = budget

    async def complete(self, prompt: Prompt, on_progress: OnProgress) -> Reply:
        """See `Model.complete`; the reply is no longer, and takes no more time, than is left.

        Raises:
            LimitReached: A limit is used up, before the call or during it.
        """
        prompt_tokens = sum(len(one.content) for one in prompt.messages) // CHARACTERS_A_TOKEN
        self._budget.check(prompt_tokens)
        left = self._budget.remaining_output_tokens(prompt_tokens)
        if left is not None:
            shorter = left if prompt.max_tokens is None else min(left, prompt.max_tokens)
            prompt = prompt.model_copy(update={"max_tokens": shorter})
        try:
            async with asyncio.timeout(self._budget.remaining_seconds()) as clock:
                try:
                    reply = await self._model.complete(prompt, on_progress)
                except BaseException as error:
                    self._budget.add(usage_of(error))
                    raise
        except TimeoutError as error:
            if clock.expired():
                raise self._budget.out_of_time() from error
            raise
        self._budget.add(reply.usage)
        return reply
