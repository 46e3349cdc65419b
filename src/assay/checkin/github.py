"""GitHub's API: requests with a token that shows nowhere else, and refusals in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_base

from assay.errors import GitHubError
from assay.visible import visible

TRIES = 4
TIMEOUT_SECONDS = 30.0
LONGEST_WAIT_SECONDS = 60.0
"""A longer wait than that is not waited for: it is told."""
PAGE = 100
MOST_PAGES = 30

Json = dict[str, Any]
Answer = TypeVar("Answer")


class _Later(Exception):
    """It may be asked again, after so many seconds."""

    def __init__(self, said: GitHubError, seconds: float | None) -> None:
        super().__init__(said)
        self.said = said
        self.seconds = seconds


class _Wait(wait_base):
    """As long as was asked for, else 1, 2, 4 seconds."""

    def __call__(self, retry_state: Any) -> float:
        error = retry_state.outcome.exception()
        asked = error.seconds if isinstance(error, _Later) else None
        return float(2 ** (retry_state.attempt_number - 1) if asked is None else asked)


class GitHub:
    """One account, reached by its token; a context manager."""

    def __init__(
        self, url: str, token: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Say where the API is, and who asks.

        Args:
            url: `https://api.github.com`, or that of a server of one's own.
            token: What the account allows; sent to `url` alone.
            sleep: Waits for so many seconds.

        Raises:
            GitHubError: the address or the token cannot be used.
        """
        self._token = token
        self._sleep = sleep
        if not token.strip() or not token.isascii() or not token.isprintable():
            raise GitHubError(
                "There is no usable token for GitHub. Put one into GITHUB_TOKEN that may write "
                "what is to be checked in."
            )
        self._client = httpx.Client(
            base_url=url.rstrip("/"),
            timeout=TIMEOUT_SECONDS,
            headers={
                "Authorization": f"Bearer {token.strip()}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": "assay",
            },
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def get(self, path: str, **parameters: str | int) -> Any:
        """Read something; asked again while GitHub cannot answer.

        Raises:
            GitHubError: it refuses, or does not answer.
        """
        return self._asked(lambda: self._once("GET", path, None, parameters, is_safe=True))

    def find(self, path: str, **parameters: str | int) -> Any | None:
        """Like `get`; None where there is no such thing."""
        try:
            return self.get(path, **parameters)
        except _NotFound:
            return None

    def pages(self, path: str, **parameters: str | int) -> Iterator[Json]:
        """Give the items of a list, page by page."""
        for number in range(1, MOST_PAGES + 1):
            items = self.get(path, per_page=PAGE, page=number, **parameters)
            if not isinstance(items, list):
                raise GitHubError(f"GitHub answered {path} with something that is no list.")
            yield from items
            if len(items) < PAGE:
                return

    def make(self, path: str, body: Mapping[str, Any], find: Callable[[], Json | None]) -> Json:
        """Make something once, however often an answer is lost.

        Args:
            path: Where it is made.
            body: What it is.
            find: Looks whether it is there: asked before another try.

        Raises:
            GitHubError: GitHub refuses, or does not answer.
        """
        tried = False

        def once() -> Json:
            nonlocal tried
            if tried and (found := find()) is not None:
                return found
            tried = True
            made = self._once("POST", path, body, {}, is_safe=False)
            if not isinstance(made, dict):
                raise GitHubError(f"GitHub answered {path} with something that is no object.")
            return made

        return self._asked(once)

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        retrying = Retrying(
            stop=stop_after_attempt(TRIES),
            wait=_Wait(),
            retry=retry_if_exception_type(_Later),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(ask)
        except _Later as error:
            raise error.said from error

    def _once(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        parameters: Mapping[str, str | int],
        *,
        is_safe: bool,
    ) -> Any:
        try:
            answer = self._client.request(method, path, json=body, params=parameters or None)
        except httpx.TransportError as error:
            said = GitHubError(
                f"{self._client.base_url} does not answer ({type(error).__name__}). Try again; "
                "what was made is found, and not made twice."
            )
            raise _Later(said, None) from error
        if answer.is_success:
            try:
                return answer.json()
            except ValueError as error:
                said = GitHubError(
                    f"{self._client.base_url} answered with something else than JSON."
                )
                raise (said if is_safe else _Later(said, None)) from error
        raise self._refusal(answer, path)

    def _refusal(self, answer: httpx.Response, path: str) -> Exception:
        status = answer.status_code
        said = self._said(answer)
        if status == httpx.codes.UNAUTHORIZED:
            return GitHubError(
                f"GitHub does not accept the token ({said}). Put a valid one into GITHUB_TOKEN."
            )
        if (limited := _limit(answer)) is not None:
            error = GitHubError(
                f"GitHub's limit of requests is reached ({said}). Try again in "
                f"{limited:.0f} seconds; what was made is found, and not made twice."
            )
            return _Later(error, limited) if limited <= LONGEST_WAIT_SECONDS else error
        if status == httpx.codes.FORBIDDEN:
            return GitHubError(
                f"GitHub does not allow this ({said}). Give the token the permission to write "
                "gists, or contents and pull requests of the repository."
            )
        if status == httpx.codes.NOT_FOUND:
            return _NotFound(
                f"GitHub has no {path}, or the token may not see it. Look at the name, and give "
                "the token the permission."
            )
        if status >= httpx.codes.INTERNAL_SERVER_ERROR:
            return _Later(GitHubError(f"GitHub failed with {status} ({said}). Try again."), None)
        if answer.is_redirect:
            return GitHubError(f"GitHub says that {path} has moved. Use its new name.")
        return _Invalid(f"GitHub cannot use this ({status}: {said}).")

    def _said(self, answer: httpx.Response) -> str:
        """The answer's own words, shortened, and never with the token in them."""
        try:
            body = answer.json()
        except ValueError:
            body = None
        text = str(body.get("message", "")) if isinstance(body, dict) else ""
        errors = body.get("errors") if isinstance(body, dict) else None
        for error in errors if isinstance(errors, list) else []:
            text += (
                f"; {error.get('message') or error.get('code')}" if isinstance(error, dict) else ""
            )
        text = visible(text.replace(self._token, "…"))[:300].rstrip(".")
        return text or answer.reason_phrase


class _NotFound(GitHubError):
    """There is no such thing, or the token does not show it."""


class _Invalid(GitHubError):
    """The request is not one that can be done."""


def is_invalid(error: GitHubError) -> bool:
    """Whether GitHub could not use what was sent: as where it is there already."""
    return isinstance(error, _Invalid)


def _limit(answer: httpx.Response) -> float | None:
    """Seconds until a limit of requests ends; None where it is none."""
    if answer.status_code not in {httpx.codes.FORBIDDEN, httpx.codes.TOO_MANY_REQUESTS}:
        return None
    after, reset = (answer.headers.get(name, "") for name in ("retry-after", "x-ratelimit-reset"))
    if after.isdecimal():
        return float(after)
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - time.time())
    return 60.0 if answer.status_code == httpx.codes.TOO_MANY_REQUESTS else None
