"""The small embedded model, with a server of the tests' own beside the user's weights."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.models.embedded.client import EmbeddedService
from assay.models.embedded.launch import stop_server
from assay.models.embedded.place import Place
from assay.models.service import Patience
from assay.models.streaming import StreamingModel
from assay.models.weights import find_weights, weights_named
from assay.settings import Settings

SMALL = "qwen2.5-coder-0.5b"
CONTEXT_TOKENS = 4096


@pytest.fixture(scope="session")
def weights() -> Path:
    """The checked file of the small model."""
    return find_weights(weights_named(SMALL), Settings().cache_folder).resolve()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    """A cache folder whose server is stopped at the end."""
    yield tmp_path
    Place.within(tmp_path).remove()
    assert asyncio.run(stop_server(tmp_path))


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder whose server serves all tests of a file."""
    folder = tmp_path_factory.mktemp("cache")
    yield folder
    assert asyncio.run(stop_server(folder))


Open = Callable[..., StreamingModel]


@pytest.fixture
async def open_small(weights: Path) -> AsyncIterator[Open]:
    """Opens the small model in a cache folder, and closes it at the end."""
    opened: list[StreamingModel] = []

    def open_model(cache: Path, path: Path = weights, **options: Any) -> StreamingModel:
        service = EmbeddedService(
            f"embedded:{path.name}",
            path,
            cache_folder=cache,
            context_tokens=CONTEXT_TOKENS,
            **{"idle_seconds": 60.0} | options,
        )
        model = StreamingModel(
            f"embedded:{path.name}",
            service,
            context_tokens=CONTEXT_TOKENS,
            is_embedded=True,
            patience=Patience(tries=2, first_pause_seconds=0.01),
        )
        opened.append(model)
        return model

    yield open_model
    for model in opened:
        await model.aclose()


async def gone(pid: int) -> None:
    """Wait until a process is gone, or only its parent has not looked yet."""
    async with asyncio.timeout(30):
        while _lives(pid):  # noqa: ASYNC110 - a process that is no child tells nobody
            await asyncio.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


@pytest.fixture(name="gone")
def gone_fixture() -> Any:
    """The waiting for a process's end."""
    return gone
