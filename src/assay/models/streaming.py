"""The one way in which any service is asked: streamed, watched, retried and counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from assay.domain.event import PromptProgress, Retrying, Text
from assay.domain.message import FinishReason, Prompt, Reply
from assay.domain.usage import Usage
from assay.errors import ModelSilent
from assay.models.failures import Temporary, cut_stream
from assay.models.model import OnProgress, note_usage
from assay.models.prices import Price
from assay.models.service import MESSAGE_TOKENS, Alive, Counted, Ended, Patience, Service
from assay.tokens import count_tokens


class StreamingModel:
    """A model whose service streams. Every model of Assay is one of these."""

    def __init__(
        self,
        name: str,
        service: Service,
        *,
        context_tokens: int,
        is_embedded: bool = False,
        price: Price | None = None,
        patience: Patience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Put a service behind the protocol `Model`.

        Args:
            name: `provider:model`.
            service: What is asked.
            context_tokens: Tokens of prompt and reply together.
            is_embedded: Whether it runs on this machine's own processors.
            price: What its tokens cost, where that is known.
            patience: How long to wait, and how often to ask.
            sleep: How to pause between tries.
        """
        self.name = name
        self.context_tokens = context_tokens
        self.is_embedded = is_embedded
        self.service = service
        self.price = price
        self.patience = patience or Patience()
        self._sleep = sleep

    async def complete(self, prompt: Prompt, on_progress: OnProgress) -> Reply:
        """See `Model.complete`."""
        call = _Call(self, prompt, on_progress)
        patience = self.patience
        tries = AsyncRetrying(
            retry=retry_if_exception(_may_pass(patience.longest_pause_seconds)),
            stop=stop_after_attempt(patience.tries),
            wait=_pause(patience),
            before_sleep=call.say_retrying,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            attempt: _Attempt = await tries(call.once)
        except Temporary as failure:
            note_usage(failure.final, call.spent)
            raise failure.final from failure
        except BaseException as error:
            note_usage(error, call.spent)
            raise
        return Reply(
            text=attempt.text,
            finish_reason=attempt.finish_reason,
            model=self.name,
            usage=call.spent,
        )

    async def aclose(self) -> None:
        """See `Model.aclose`."""
        await self.service.aclose()


@dataclass
class _Attempt:
    """What one try has brought so far."""

    started: float
    pieces: list[str] = field(default_factory=list)
    counted: Counted | None = None
    finish_reason: FinishReason | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class _Call:
    """One call with all its tries."""

    def __init__(self, model: StreamingModel, prompt: Prompt, on_progress: OnProgress) -> None:
        self._model = model
        self._prompt = prompt
        self._on_progress = on_progress
        self.spent = Usage()

    async def once(self) -> _Attempt:
        """Try once; whatever becomes of it is counted."""
        attempt = _Attempt(started=time.monotonic())
        try:
            await self._listen(attempt)
        finally:
            self.spent += self._usage(attempt)
        return attempt

    def say_retrying(self, state: RetryCallState) -> None:
        """Show that the call will be made again after a pause."""
        self._on_progress(
            Retrying(reason=_failure(state).reason, seconds=round(state.upcoming_sleep, 3))
        )

    async def _listen(self, attempt: _Attempt) -> None:
        silence = self._model.patience.silence_seconds
        async with aclosing(self._model.service.stream(self._prompt)) as stream:
            while True:
                try:
                    async with asyncio.timeout(silence):
                        piece = await anext(stream)
                except StopAsyncIteration:
                    break
                except TimeoutError as error:
                    raise ModelSilent(
                        f"{self._model.name} has sent nothing for {silence:g} seconds. "
                        "Try again, or take another model with --model."
                    ) from error
                match piece:
                    case Text(text=text):
                        attempt.pieces.append(text)
                        self._on_progress(piece)
                    case PromptProgress():
                        self._on_progress(piece)
                    case Counted():
                        attempt.counted = piece
                    case Ended(finish_reason=reason):
                        attempt.finish_reason = reason
                    case Alive():
                        pass
        if attempt.finish_reason is None:
            raise cut_stream(self._model.name)

    def _usage(self, attempt: _Attempt) -> Usage:
        counted = attempt.counted or self._estimated(attempt)
        price = self._model.price
        return Usage(
            calls=1,
            input_tokens=counted.input_tokens,
            cached_tokens=counted.cached_tokens,
            output_tokens=counted.output_tokens,
            cost=None if price is None else price.cost(counted),
            seconds=time.monotonic() - attempt.started,
        )

    def _estimated(self, attempt: _Attempt) -> Counted:
        """Count what the service did not. A try that brought nothing is taken as free."""
        if attempt.finish_reason is None and not attempt.pieces:
            return Counted(input_tokens=0, output_tokens=0)
        tokens = sum(count_tokens(m.content) + MESSAGE_TOKENS for m in self._prompt.messages)
        return Counted(input_tokens=tokens, output_tokens=count_tokens(attempt.text))


def _failure(state: RetryCallState) -> Temporary:
    failure = state.outcome.exception() if state.outcome else None
    if not isinstance(failure, Temporary):
        raise TypeError("only temporary failures are tried again")
    return failure


def _may_pass(longest_pause: float) -> Callable[[BaseException], bool]:
    """Whether another try is worth its wait: a service may ask for more than we would wait."""

    def may_pass(error: BaseException) -> bool:
        return isinstance(error, Temporary) and (error.retry_after or 0) <= longest_pause

    return may_pass


def _pause(patience: Patience) -> Callable[[RetryCallState], float]:
    """Seconds before the next try: what the service asks, else doubled with each try."""
    doubling = wait_exponential_jitter(
        initial=patience.first_pause_seconds,
        max=patience.longest_pause_seconds,
        jitter=patience.first_pause_seconds / 4,
    )

    def pause(state: RetryCallState) -> float:
        asked = _failure(state).retry_after
        return doubling(state) if asked is None else asked

    return pause
