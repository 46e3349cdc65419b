"""From the name of an embedded model to its service."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from assay.errors import BadInput
from assay.models.embedded.client import EmbeddedService
from assay.models.embedded.memory import available_memory, context_that_fits
from assay.models.service import Patience
from assay.models.streaming import StreamingModel
from assay.models.weights import find_weights, weights_named

_MAGIC = b"GGUF"


async def open_embedded(
    name: str, cache_folder: Path, patience: Patience | None = None
) -> StreamingModel:
    """Open an embedded model; its server is started at the first call.

    Args:
        name: Of pinned weights, or a path to a GGUF file.
        cache_folder: Where weights are kept, and where the server is found.
        patience: How long to wait for the server.

    Raises:
        UnknownName: There is no such model.
        WeightsError: Its weights are missing or damaged.
        BadInput: The path is not that of a GGUF file.
    """
    if os.sep in name or name.endswith(".gguf"):
        path = await asyncio.to_thread(_gguf_file, Path(name))
        longest = None
    else:
        weights = weights_named(name)
        path = await asyncio.to_thread(find_weights, weights, cache_folder)
        longest = weights.context_tokens
    fits = context_that_fits(path.stat().st_size, available_memory())
    context_tokens = min(fits, longest or fits)
    full_name = f"embedded:{name}"
    service = EmbeddedService(
        full_name, path, cache_folder=cache_folder, context_tokens=context_tokens
    )
    return StreamingModel(
        full_name, service, context_tokens=context_tokens, is_embedded=True, patience=patience
    )


def _gguf_file(path: Path) -> Path:
    try:
        with path.expanduser().open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise BadInput(
            f"The model file {path} cannot be read: {error.strerror}. Check its path."
        ) from error
    if magic != _MAGIC:
        raise BadInput(f"{path} is no GGUF file, and llama.cpp reads no other. Take another file.")
    return path.expanduser().resolve()
