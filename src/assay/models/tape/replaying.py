"""A model that plays a tape: no key, no network, no cost."""

from __future__ import annotations

from assay.domain.event import Text
from assay.domain.message import Prompt, Reply
from assay.domain.usage import Usage
from assay.errors import AssayError, TapeError, error_of_kind
from assay.models.model import OnProgress, note_usage
from assay.models.prices import Price
from assay.models.tape.difference import difference
from assay.models.tape.format import Ending, Tape
from assay.models.tape.secrets import Secrets

PROVIDER = "replay"
"""What its name begins with, so that sessions and receipts say that no model was asked."""

_FREE = Price(input=0, cached=0, output=0)


class ReplayedModel:
    """Gives the calls of a tape in their order, each to the prompt that it was recorded with.

    What it says to have used is what the recorded call used, so that limits of tokens act as they
    did then; cost and time are none.
    """

    def __init__(self, tape: Tape, secrets: Secrets) -> None:
        """Play from the beginning.

        Args:
            tape: What is played.
            secrets: What is replaced in prompts before they are compared with the tape's.
        """
        self._tape = tape
        self._secrets = secrets
        self._played = 0

    @property
    def name(self) -> str:
        """`replay:provider:model`."""
        return f"{PROVIDER}:{self._tape.head.model}"

    @property
    def context_tokens(self) -> int:
        """The window of the model that was recorded."""
        return self._tape.head.context_tokens

    @property
    def is_embedded(self) -> bool:
        """Whether the model that was recorded is an embedded one: its prompts differ."""
        return self._tape.head.is_embedded

    @property
    def price(self) -> Price:
        """Nothing."""
        return _FREE

    @property
    def left(self) -> int:
        """How many calls have not been asked for."""
        return len(self._tape.calls) - self._played

    async def complete(self, prompt: Prompt, on_progress: OnProgress) -> Reply:
        """See `Model.complete`; the text is shown in one piece.

        Raises:
            TapeError: The next call has another prompt, or there is no next call.
            AssayError: What the recorded call ended with.
        """
        tape = self._tape
        if not self.left:
            raise TapeError(self._over())
        call = tape.calls[self._played]
        asked = self._secrets.hide_in(prompt)
        if asked != call.prompt:
            raise TapeError(
                f"Call {self._played + 1} of the tape {tape.path} was recorded with another "
                "prompt, so its reply answers something else. Undo what has changed, or record "
                f"the session anew with --record.\n{difference(call.prompt, asked)}"
            )
        self._played += 1
        if call.reply is None:
            raise _raised(call.error)
        if call.reply.text:
            on_progress(Text(text=call.reply.text))
        return call.reply.model_copy(update={"usage": _unpaid(call.reply.usage)})

    async def aclose(self) -> None:
        """Nothing is held."""

    def _over(self) -> str:
        tape = self._tape
        count = len(tape.calls)
        calls = "1 call" if count == 1 else f"{count} calls"
        why = (
            "The recording was cut off there."
            if tape.is_cut
            else "The recording ended there: stopped, at a limit, or because it went another way."
        )
        return (
            f"The tape {tape.path} has {calls}, and one more is asked for. {why} "
            "Give the limits that it was recorded with, or record the session anew with --record."
        )


def _raised(ending: Ending | None) -> AssayError:
    kind = None if ending is None else error_of_kind(ending.kind)
    if ending is None or kind is None:
        raise TypeError("a call of a tape has either a reply or an error that exists")
    error = kind(ending.message)
    note_usage(error, _unpaid(ending.usage))
    return error


def _unpaid(usage: Usage) -> Usage:
    return usage.model_copy(update={"cost": 0.0, "seconds": 0.0})
