"""Models of providers, asked through LangChain."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from assay.domain.event import Text
from assay.domain.message import FinishReason, Prompt
from assay.errors import ModelRefused, UnknownName
from assay.models.failures import not_a_model
from assay.models.prices import price_of
from assay.models.provider_failures import failure_of_exception
from assay.models.service import Alive, Counted, Ended, Patience, Piece
from assay.models.streaming import StreamingModel

if TYPE_CHECKING:
    import httpx2
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk

UNKNOWN_CONTEXT_TOKENS = 32_768
"""Taken for a model whose window nobody has told us."""


@dataclass(frozen=True)
class Provider:
    """One maker of models, or one kind of service."""

    name: str
    package: str
    extra: str | None
    """Extra of Assay that installs the package; None: it is always there."""
    address: str
    key_variables: tuple[str, ...]
    """Environment variables of which one must hold a key; none: the service needs no key."""
    takes_seed: bool = True


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "langchain_openai", None, "https://api.openai.com", ("OPENAI_API_KEY",)),
        Provider(
            "anthropic",
            "langchain_anthropic",
            "anthropic",
            "https://api.anthropic.com",
            ("ANTHROPIC_API_KEY",),
            takes_seed=False,
        ),
        Provider(
            "google_genai",
            "langchain_google_genai",
            "google",
            "https://generativelanguage.googleapis.com",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        ),
        Provider("ollama", "langchain_ollama", "ollama", "http://localhost:11434", ()),
    )
}

_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "incomplete": "length",
    "model_context_window_exceeded": "length",
}


def open_provider(name: str, base_url: str | None, patience: Patience | None) -> StreamingModel:
    """Open a provider's model. Nothing is sent yet.

    Args:
        name: `provider:model`, the provider one of PROVIDERS.
        base_url: Address of a service that speaks as the provider's does.
        patience: How long to wait, and how often to ask.

    Raises:
        UnknownName: The provider's package is not installed; the message says how to get it.
        ModelRefused: There is no key; the message names its variable.
    """
    provider_name, _, model = name.partition(":")
    provider = PROVIDERS[provider_name]
    if find_spec(provider.package) is None:
        raise UnknownName(
            f"Models of {provider.name} need a package that is not installed. "
            f"Run: pip install 'assay[{provider.extra}]'"
        )
    if provider.name == "openai":
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
    keys = provider.key_variables
    if keys and base_url is None and not any(os.environ.get(key) for key in keys):
        raise ModelRefused(f"{name} needs a key. Set {' or '.join(keys)} in the environment.")
    patience = patience or Patience()
    service = ProviderService(name, provider, model, base_url, patience)
    return StreamingModel(
        name,
        service,
        context_tokens=service.context_tokens,
        # Who answers at another address has prices of its own.
        price=price_of(name) if base_url is None else None,
        patience=patience,
    )


class ProviderService:
    """One model of a provider."""

    def __init__(
        self,
        name: str,
        provider: Provider,
        model: str,
        base_url: str | None,
        patience: Patience,
    ) -> None:
        """Make LangChain's chat model, with its own retries off."""
        self._name = name
        self._provider = provider
        self._model = model
        self._base_url = base_url
        self._address = base_url or provider.address
        self._connections = _connections(patience) if provider.name == "openai" else None
        self._profile: dict[str, Any] = dict(self._chat_model({}).profile or {})

    @property
    def context_tokens(self) -> int:
        """What the model's maker says, or a guess on the safe side."""
        return self._profile.get("max_input_tokens") or UNKNOWN_CONTEXT_TOKENS

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Ask once."""
        counted: Counted | None = None
        has_answered = False
        try:
            chat_model = self._chat_model(self._options(prompt))
            messages = [(message.role, message.content) for message in prompt.messages]
            async for chunk in chat_model.astream(messages):
                has_answered = True
                yield Text(text=chunk.text) if chunk.text else Alive()
                if chunk.usage_metadata is not None:
                    # LangChain's chunks of usage are made to be added up.
                    counted = _added(counted, chunk)
                    yield counted
                reason = _finish_reason(chunk)
                if reason is not None:
                    yield Ended(reason)
        except Exception as error:
            if not has_answered and str(error).startswith("No generation"):
                # LangChain's words for a stream without a single chunk.
                raise not_a_model(self._address, "it sent no stream of messages") from error
            raise failure_of_exception(error, self._name, self._address) from error

    async def aclose(self) -> None:
        """Close the connections that are ours; other libraries than OpenAI's keep their own."""
        if self._connections is not None:
            await self._connections.aclose()

    def _chat_model(self, options: dict[str, Any]) -> BaseChatModel:
        from langchain.chat_models import init_chat_model

        settings = dict(options)
        if self._base_url is not None:
            settings["base_url"] = self._base_url
        if self._provider.name != "ollama":
            settings["max_retries"] = 0
        if self._provider.name == "openai":
            settings.update(self._openai_settings())
        chat_model: BaseChatModel = init_chat_model(
            self._model, model_provider=self._provider.name, **settings
        )
        return chat_model

    def _openai_settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "stream_usage": True,
            "http_async_client": self._connections,
        }
        if self._base_url is not None:
            settings["use_responses_api"] = False
            if not os.environ.get("OPENAI_API_KEY"):
                # Services of one's own often need no key, and the library wants one.
                settings["api_key"] = "none"
        return settings

    def _options(self, prompt: Prompt) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self._profile.get("temperature", True):
            options["temperature"] = prompt.temperature
        if prompt.seed is not None and self._provider.takes_seed:
            options["seed"] = prompt.seed
        if prompt.max_tokens is not None:
            name = "num_predict" if self._provider.name == "ollama" else "max_tokens"
            options[name] = prompt.max_tokens
        return options


def _connections(patience: Patience) -> httpx2.AsyncClient:
    """Connections of this model alone: LangChain shares its own among event loops."""
    import httpx2

    # The silence is watched elsewhere; this timeout only has to be longer.
    timeout = httpx2.Timeout(2 * patience.silence_seconds, connect=patience.connect_seconds)
    return httpx2.AsyncClient(timeout=timeout, follow_redirects=True)


def _added(counted: Counted | None, chunk: AIMessageChunk) -> Counted:
    usage = chunk.usage_metadata
    if usage is None:
        raise TypeError("the chunk has no usage")
    before = counted or Counted(0, 0)
    return Counted(
        input_tokens=before.input_tokens + usage["input_tokens"],
        output_tokens=before.output_tokens + usage["output_tokens"],
        cached_tokens=before.cached_tokens
        + (usage.get("input_token_details", {}).get("cache_read") or 0),
    )


def _finish_reason(chunk: AIMessageChunk) -> FinishReason | None:
    said = chunk.response_metadata
    for name in ("finish_reason", "stop_reason", "done_reason", "status"):
        reason = said.get(name)
        if isinstance(reason, str) and reason and reason != "in_progress":
            return _FINISH_REASONS.get(reason.lower(), "other")
    return None
