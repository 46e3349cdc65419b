"""The embedded models that are measured."""

from __future__ import annotations

from collections.abc import Sequence

from assay.models.catalog import open_model
from assay.settings import Settings

MODELS = ("embedded:qwen2.5-coder-0.5b", "embedded:qwen2.5-coder-1.5b")


async def require(models: Sequence[str]) -> None:
    """Make sure that all models are there: one that is missing must not count as one that fails.

    Raises:
        AssayError: one cannot be opened; says what to do.
    """
    settings = Settings()
    for name in models:
        model = await open_model(
            name,
            base_url=settings.base_url,
            cache_folder=settings.cache_folder,
            allow_calls=settings.allow_model_calls,
        )
        await model.aclose()


def short_name(model: str) -> str:
    """The name as a table has room for it: `1.5b`."""
    return model.rpartition(":")[2].removeprefix("qwen2.5-coder-")
