"""Weights from a hub that speaks as Hugging Face does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import UnknownName, WeightsCut, WeightsDamaged, WeightsError
from assay.models.weights import State, Weights, find_weights
from assay.models.weights import pull as pull_weights

Pull = Callable[..., Path]
See = Callable[[], State]


@pytest.mark.usefixtures("hub")
def test_weights_are_fetched_checked_and_then_here(
    pull: Pull, state: See, cache: Path, tiny: Weights, content: bytes
) -> None:
    assert state() is State.MISSING
    with pytest.raises(WeightsError, match="assay models pull tiny"):
        find_weights(tiny, cache)
    seen: list[tuple[int, int]] = []
    path = pull(lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == content
    assert find_weights(tiny, cache) == path
    assert state() is State.READY
    assert seen == sorted(seen)
    assert seen[-1] == (len(content), len(content))
    assert {file.suffix for file in path.parent.iterdir()} == {".gguf", ".json", ".lock"}


def test_a_second_pull_downloads_nothing(hub: Any, pull: Pull) -> None:
    pull()
    hub.requests.clear()
    pull()
    assert hub.requests == []


@pytest.mark.usefixtures("hub")
def test_a_file_that_changed_is_noticed_and_fetched_again(
    pull: Pull, state: See, cache: Path, tiny: Weights, content: bytes
) -> None:
    path = pull()
    path.write_bytes(content[:-1] + b"x")
    assert state() is State.UNCHECKED
    with pytest.raises(WeightsDamaged, match="assay models pull tiny"):
        find_weights(tiny, cache)
    assert pull().read_bytes() == content
    assert state() is State.READY


@pytest.mark.usefixtures("hub")
def test_a_file_that_was_only_touched_is_hashed_and_believed(
    pull: Pull, state: See, cache: Path, tiny: Weights, content: bytes
) -> None:
    path = pull()
    os.utime(path, (1, 1))
    assert state() is State.UNCHECKED
    assert find_weights(tiny, cache) == path
    assert state() is State.READY


def test_a_wrong_file_is_thrown_away(hub: Any, pull: Pull, state: See, content: bytes) -> None:
    hub.content = b"x" * len(content)
    with pytest.raises(WeightsDamaged, match="HF_ENDPOINT"):
        pull()
    assert state() is State.MISSING
    hub.content, hub.etag = content, "another"
    assert pull().read_bytes() == content


def test_a_cut_download_goes_on_where_it_stopped(
    hub: Any, pull: Pull, state: See, content: bytes
) -> None:
    hub.stops_at = 200_000
    with pytest.raises(WeightsCut, match="goes on where it stopped"):
        pull()
    assert state() is not State.READY
    hub.stops_at = None
    hub.requests.clear()
    assert pull().read_bytes() == content
    assert "GET bytes=200000-" in hub.requests


def test_an_unknown_name(cache: Path, tiny: Weights) -> None:
    with pytest.raises(UnknownName, match="tiny"):
        pull_weights("tinny", cache, lambda *_: None, {"tiny": tiny})


def test_of_two_at_once_one_waits_for_the_other(hub: Any, pull: Pull, content: bytes) -> None:
    hub.stops_at = len(content) - 1
    hub.may_go_on.clear()
    paths: list[Path] = []
    threads = [threading.Thread(target=lambda: paths.append(pull())) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert hub.has_stopped.wait(30)
    hub.stops_at = None
    hub.may_go_on.set()
    for thread in threads:
        thread.join(60)
    assert len(paths) == 2
    assert paths[0].read_bytes() == content
    assert len([request for request in hub.requests if request.startswith("GET")]) == 2


PULL = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import conftest
from assay.models.weights import pull
print(pull("tiny", Path(sys.argv[2]), lambda *_: None, conftest.CATALOG))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_pull_leaves_nothing_that_is_believed(
    hub: Any,
    pull: Pull,
    state: See,
    cache: Path,
    tiny: Weights,
    content: bytes,
    number: signal.Signals,
) -> None:
    hub.stops_at = 200_000
    hub.may_go_on.clear()
    process = subprocess.Popen(
        [sys.executable, "-c", PULL, str(Path(__file__).parent), str(cache)],
        env={**os.environ, "HF_ENDPOINT": hub.url},
        stderr=subprocess.DEVNULL,
    )
    assert hub.has_stopped.wait(30)
    process.send_signal(number)
    assert process.wait(30) != 0
    assert state() is not State.READY
    with pytest.raises(WeightsError):
        find_weights(tiny, cache)
    hub.stops_at = None
    hub.may_go_on.set()
    assert pull().read_bytes() == content


def test_a_file_of_another_size_is_not_even_fetched(hub: Any, pull: Pull) -> None:
    hub.content += b"more"
    with pytest.raises(WeightsDamaged, match="not the file that its maker published"):
        pull()
    assert hub.requests == ["HEAD"]


@pytest.mark.usefixtures("hub")
def test_what_is_longer_than_the_file_is_thrown_away(
    pull: Pull, cache: Path, content: bytes
) -> None:
    (cache / "models").mkdir(parents=True)
    (cache / "models" / "tiny.gguf.partial").write_bytes(content + b"more")
    assert pull().read_bytes() == content


def test_what_the_registry_has_brought_is_gone_on_with(
    hub: Any, pull: Pull, cache: Path, content: bytes
) -> None:
    (cache / "models").mkdir(parents=True)
    (cache / "models" / "tiny.gguf.partial").write_bytes(content[:123_456])
    assert pull().read_bytes() == content
    assert hub.requests[-1] == "GET bytes=123456-"
