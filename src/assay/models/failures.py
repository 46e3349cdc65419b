"""What a service's answers mean: wait and ask again, or give up, and with which advice."""

from __future__ import annotations

from http import HTTPStatus

from assay.errors import AssayError, BadInput, ModelFailed, ModelRefused, ModelUnreachable

_CONTEXT_SIGNS = ("context_length", "context_size", "context length", "context window", "too long")


class Temporary(Exception):
    """The service refused for now; another try may succeed."""

    def __init__(self, reason: str, final: AssayError, retry_after: float | None = None) -> None:
        """Say what happened.

        Args:
            reason: What the person reads while Assay waits.
            final: What is raised when no more tries are left.
            retry_after: Seconds that the service asks to wait.
        """
        super().__init__(reason)
        self.reason = reason
        self.final = final
        self.retry_after = retry_after


def failure_of_status(
    status: int, *, service: str, detail: str = "", retry_after: float | None = None
) -> AssayError | Temporary:
    """What to raise for an HTTP status that is not a success.

    Args:
        status: The status, 429 say.
        service: The model's name or the service's address, for the message.
        detail: What the service said.
        retry_after: Seconds from a Retry-After header.
    """
    said = f" It said: {shortened(detail)}" if detail else ""
    phrase = f"{status} {_phrase(status)}".strip()
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return ModelRefused(
            f"{service} did not accept the key ({phrase}). Check the key and what it may use.{said}"
        )
    if status == HTTPStatus.NOT_FOUND:
        return ModelUnreachable(
            f"{service} has no such model or address ({phrase}). "
            f"Check the model's name and --base-url.{said}"
        )
    if status in {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.CONFLICT,
        HTTPStatus.TOO_MANY_REQUESTS,
    } or (status >= HTTPStatus.INTERNAL_SERVER_ERROR):
        advice = (
            "Wait a while, or take another model with --model."
            if status == HTTPStatus.TOO_MANY_REQUESTS
            else "Try again later, or take another model with --model."
        )
        wait = "" if not retry_after else f" It asks to wait {retry_after:g} seconds."
        final = ModelFailed(f"{service} keeps refusing ({phrase}). {advice}{wait}{said}")
        return Temporary(f"the service answered {phrase}", final, retry_after)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or any(
        sign in detail.lower() for sign in _CONTEXT_SIGNS
    ):
        return prompt_too_long(service, said)
    return ModelFailed(f"{service} refused the request ({phrase}).{said}")


def prompt_too_long(service: str, said: str = "") -> BadInput:
    """The prompt and the reply do not fit into the model's window."""
    return BadInput(
        f"The prompt is longer than {service} can read. Give less documentation or fewer "
        f"attachments, or take a model with a larger window.{said}"
    )


def cut_stream(service: str) -> Temporary:
    """The stream ended before the reply did."""
    final = ModelFailed(
        f"{service} broke off its reply again and again. "
        "Check the connection, or take another model with --model."
    )
    return Temporary("the reply broke off", final)


def not_a_model(address: str, why: str) -> ModelUnreachable:
    """Something answers at the address, and it is not a model's service."""
    return ModelUnreachable(
        f"What answers at {address} is not a model service ({why}). Check --base-url."
    )


def no_connection(address: str, why: str) -> ModelUnreachable:
    """Nothing answers at the address."""
    return ModelUnreachable(
        f"{address} cannot be reached ({shortened(why)}). "
        "Check the address, the network and that the service runs."
    )


def shortened(text: str, length: int = 300) -> str:
    """The text on one line, at most `length` characters long."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
