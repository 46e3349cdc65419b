"""What stands before a model and is a `Model` itself: a budget, a tape."""

from __future__ import annotations

from assay.models.model import Model
from assay.models.prices import Price


class WrappedModel:
    """Says of itself what the model behind it says; how it asks is for each kind to write."""

    def __init__(self, model: Model) -> None:
        """Stand before `model`."""
        self._model = model

    @property
    def name(self) -> str:
        """`provider:model`."""
        return self._model.name

    @property
    def context_tokens(self) -> int:
        """How many tokens prompt and reply may have together."""
        return self._model.context_tokens

    @property
    def is_embedded(self) -> bool:
        """Whether it runs on this machine's own processors."""
        return self._model.is_embedded

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known."""
        return self._model.price

    async def aclose(self) -> None:
        """See `Model.aclose`."""
        await self._model.aclose()
