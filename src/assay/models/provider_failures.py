"""What the exceptions of the providers' libraries mean.

Each provider has a library with a tree of its own over httpx or its successor; what they share is
a status, a response, and an error of the transport somewhere in the chain of causes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import Any

from assay.errors import AssayError, ModelFailed
from assay.models.failures import (
    Temporary,
    cut_stream,
    failure_of_status,
    no_connection,
    not_a_model,
    shortened,
)

_NO_CONNECTION = {"ConnectError", "ConnectTimeout", "ProxyError", "InvalidURL"}
_NO_CONNECTION |= {"UnsupportedProtocol", "LocalProtocolError", "PoolTimeout"}
_BROKEN_CONNECTION = {"NetworkError", "RemoteProtocolError", "ReadTimeout", "WriteTimeout"}
_BROKEN_CONNECTION |= {"ConnectionError", "IncompleteRead"}


def failure_of_exception(error: Exception, service: str, address: str) -> AssayError | Temporary:
    """What to raise for an exception of a provider's library.

    Args:
        error: The exception.
        service: The model's name, for messages.
        address: The service's address, for messages.
    """
    chain = list(_chain(error))
    for link in chain:
        if isinstance(link, AssayError | Temporary):
            return link
        status = _status(link)
        if status is not None:
            return failure_of_status(
                status,
                service=f"{service} at {address}",
                detail=_detail(link),
                retry_after=_retry_after(link),
            )
    kinds = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if kinds & _NO_CONNECTION:
        return no_connection(address, str(chain[-1]) or type(chain[-1]).__name__)
    if kinds & _BROKEN_CONNECTION:
        return cut_stream(service)
    if any(isinstance(link, JSONDecodeError | UnicodeDecodeError) for link in chain):
        return not_a_model(address, "it sent something else than JSON")
    final = ModelFailed(f"{service} failed: {_detail(error)}")
    if "APIError" in kinds:
        # An error that the service reported in the middle of its stream.
        return Temporary(f"the service reported an error: {_detail(error)}", final)
    return final


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value <= 599:
            return value
    return None


def _detail(error: BaseException) -> str:
    body: Any = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            return " ".join(filter(None, (inner["message"], str(inner.get("code") or ""))))
    return shortened(str(error)) or type(error).__name__


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = headers.get("retry-after")
    if not isinstance(value, str):
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
