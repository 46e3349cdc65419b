"""Several models behind one: each role is answered by its own."""

from __future__ import annotations

from collections.abc import Mapping

from assay.domain.message import Prompt, Reply
from assay.models.model import Model, OnProgress
from assay.models.wrapped import WrappedModel


class RoutedModel(WrappedModel):
    """Says of itself what the default model says. It is a `Model` itself."""

    def __init__(self, default: Model, by_role: Mapping[str, Model]) -> None:
        """Give the roles in `by_role` models of their own, and all others `default`."""
        super().__init__(default)
        self._by_role = by_role

    async def complete(self, prompt: Prompt, on_progress: OnProgress) -> Reply:
        """See `Model.complete`; `prompt.role` says whose model it is."""
        model = self._by_role.get(prompt.role or "", self._model)
        return await model.complete(prompt, on_progress)

    async def aclose(self) -> None:
        """See `Model.aclose`; all of them are closed."""
        for model in {id(one): one for one in (self._model, *self._by_role.values())}.values():
            await model.aclose()
