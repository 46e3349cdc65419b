"""Weights from their official repository on Hugging Face, or a mirror that HF_ENDPOINT names."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.models.failures import shortened
from assay.models.weights.folder import broke_off, not_the_pinned
from assay.models.weights.pinned import Weights

CONNECT_SECONDS = 5.0


class HubUnavailable(Exception):
    """The repository cannot be asked; the message says why."""


def fetch_from_hub(weights: Weights, target: Path, on_progress: Callable[[int, int], None]) -> None:
    """Download a file into `target`, going on after what it already holds.

    Args:
        weights: What to fetch.
        target: The file to write.
        on_progress: Is told bytes done and bytes in all.

    Raises:
        HubUnavailable: No connection within five seconds, offline mode, or no such file.
        WeightsCut: The download ended early.
        WeightsDamaged: The file there has another size.
    """
    # These imports take a third of a second.
    import httpx2
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    url = hf_hub_url(weights.repository, weights.file, revision=weights.revision)
    try:
        found = get_hf_file_metadata(url, timeout=CONNECT_SECONDS)
    except (httpx2.HTTPError, OSError) as error:
        raise HubUnavailable(shortened(str(error), 120) or type(error).__name__) from error
    if found.size is not None and found.size != weights.size:
        raise not_the_pinned(weights)
    # The file itself often lies with another host, whom a token is none of the business of.
    is_same_host = urlsplit(found.location).netloc == urlsplit(url).netloc
    with target.open("ab") as file, _quiet():
        try:
            # hf_hub_download would begin from nothing after a kill.
            http_get(
                found.location,
                file,
                resume_size=file.tell(),
                headers=build_hf_headers(token=None if is_same_host else False),
                expected_size=weights.size,
                tqdm_class=_bar(weights.size, on_progress),
            )
        except httpx2.HTTPError as error:
            raise broke_off(weights, str(error)) from error
        except OSError as error:
            # The library reports a wrong length as an OSError without a number.
            if error.errno is None:
                raise broke_off(weights, str(error)) from error
            raise


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's own warnings, of each retry, from the terminal."""
    from huggingface_hub.utils import logging as hub_logging

    before = hub_logging.get_verbosity()
    hub_logging.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        hub_logging.set_verbosity(before)


def _bar(total: int, on_progress: Callable[[int, int], None]) -> Any:
    """A class of progress bars that draw nothing and tell `on_progress` instead."""
    from huggingface_hub.utils.tqdm import tqdm

    class Bar(tqdm):
        def __init__(self, *args: Any, **options: Any) -> None:
            self._bytes = int(options.get("initial") or 0)
            super().__init__(*args, **{**options, "disable": True})  # type: ignore[no-untyped-call]

        def update(self, n: float | None = 1) -> None:
            self._bytes += int(n or 0)
            on_progress(min(self._bytes, total), total)

    return Bar
