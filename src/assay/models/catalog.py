"""From a name, `provider:model`, to a model that can be asked."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from assay.errors import ModelRefused, TapeError, UnknownName
from assay.models.model import Model
from assay.models.providers import PROVIDERS as SERVICES
from assay.models.providers import open_provider
from assay.models.scripted import CONTEXT_TOKENS as SCRIPTED_CONTEXT_TOKENS
from assay.models.scripted import ScriptedService
from assay.models.service import Patience
from assay.models.streaming import StreamingModel
from assay.models.tape.replaying import PROVIDER as REPLAY

PROVIDERS = ("embedded", "scripted", *SERVICES)
"""What the part before the colon can be."""


async def open_model(
    name: str,
    *,
    base_url: str | None,
    cache_folder: Path,
    allow_calls: bool,
    patience: Patience | None = None,
    script_from: int = 0,
) -> Model:
    """Open a model. An embedded model's server is started at the first call, not here.

    Args:
        name: "embedded:NAME", "embedded:/path/to/file.gguf", "scripted:FILE" (relative to the
            working directory), or "provider:model".
        base_url: Address of the service where it is not the provider's own.
        cache_folder: Where weights are kept.
        allow_calls: False refuses everything but scripted models.
        patience: How long to wait for a service, and how often to ask it.
        script_from: How many lines of a script have been given before.

    Raises:
        UnknownName: There is no such provider or embedded model.
        TapeError: It is the name of a model that was played from a tape.
        ModelRefused: Calls are not allowed, a key is missing, or a provider's package is.
        BadInput: A script or model file cannot be used.
        WeightsError: An embedded model's weights are missing or damaged.
    """
    provider, _, model = name.partition(":")
    if provider == REPLAY:
        raise TapeError(
            f"{name} was played from a tape, and cannot be asked. Play the tape again: "
            "assay ask --replay FILE"
        )
    if provider not in PROVIDERS or not model:
        raise UnknownName(_unknown(name, provider))
    if provider == "scripted":
        return StreamingModel(
            name,
            ScriptedService(Path(model), given=script_from),
            context_tokens=SCRIPTED_CONTEXT_TOKENS,
            patience=patience,
        )
    if not allow_calls:
        raise ModelRefused(
            f"Calls to real models are switched off, so {name} cannot be asked. "
            "Set ASSAY_ALLOW_MODEL_CALLS=true, or take a scripted model."
        )
    if provider == "embedded":
        from assay.models.embedded.open import open_embedded

        return await open_embedded(model, cache_folder, patience)
    return open_provider(name, base_url, patience)


def _unknown(name: str, provider: str) -> str:
    close = get_close_matches(provider, PROVIDERS, n=1)
    hint = f" Did you mean {close[0]}?" if close and close[0] != provider else ""
    return (
        f"There is no model “{name}”. A model is named provider:model, with one of the providers "
        f"{', '.join(PROVIDERS)}.{hint}"
    )
