"""Weights from their official repository on Hugging Face, or a mirror that HF_ENDPOINT names."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.models.failures import shortened
from assay.models.weights.folder import broke_off
from assay.models.weights.pinned import Weights

CONNECT_SECONDS = 5.0


class HubUnavailable(Exception):
    """The repository cannot be asked; the message says why."""


def fetch_from_hub(weights: Weights, target: Path, on_progress: Callable[[int, int], None]) -> None:
    """Download a file into `target`. What a broken-off download has got is used by the next.

    Args:
        weights: What to fetch.
        target: The file to write; its folder is used for what is not yet whole.
        on_progress: Is told bytes done and bytes in all.

    Raises:
        HubUnavailable: No connection within five seconds, offline mode, or no such file.
        WeightsCut: The download ended early.
    """
    # These imports take a third of a second.
    import httpx2
    from huggingface_hub import (
        get_hf_file_metadata,
        hf_hub_download,
        hf_hub_url,
    )

    url = hf_hub_url(weights.repository, weights.file, revision=weights.revision)
    try:
        # Asked first and once: the download itself would try for minutes to connect.
        get_hf_file_metadata(url, timeout=CONNECT_SECONDS)
    except (httpx2.HTTPError, OSError) as error:
        raise HubUnavailable(shortened(str(error), 120) or type(error).__name__) from error
    folder = target.with_name(target.name + ".hub")
    try:
        downloaded = hf_hub_download(
            weights.repository,
            weights.file,
            revision=weights.revision,
            local_dir=folder,
            etag_timeout=CONNECT_SECONDS,
            tqdm_class=_bar(weights.size, on_progress),
        )
    except httpx2.HTTPError as error:
        raise broke_off(weights, str(error)) from error
    except OSError as error:
        # The library reports a wrong length as an OSError without a number.
        if error.errno is None:
            raise broke_off(weights, str(error)) from error
        raise
    Path(downloaded).replace(target)
    shutil.rmtree(folder)


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
