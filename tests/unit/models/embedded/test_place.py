"""Where a server and its clients meet, and how long a context the memory allows."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import ModelFailed
from assay.models.embedded.memory import FULL_CONTEXT_TOKENS, context_that_fits
from assay.models.embedded.place import Place, ServerRecord, model_identity

RECORD = ServerRecord(
    pid=1, address="http://127.0.0.1:1", key="secret", model="/m/x.gguf:10:20", context_tokens=4096
)
GIB = 1024**3


def test_a_record_is_written_for_its_user_alone_and_read_again(tmp_path: Path) -> None:
    place = Place.within(tmp_path)
    assert place.read() is None
    place.write(RECORD)
    assert place.read() == RECORD
    assert RECORD.name == "x.gguf"
    assert stat.S_IMODE((place.folder / "server.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
    place.remove()
    place.remove()
    assert place.read() is None


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "server").write_text("a file is in the way", "utf-8")
    with pytest.raises(ModelFailed, match="Set ASSAY_CACHE_FOLDER"):
        Place.within(tmp_path)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"pid": "x"}'])
def test_a_damaged_record_is_none(tmp_path: Path, content: str) -> None:
    place = Place.within(tmp_path)
    (place.folder / "server.json").write_text(content, "utf-8")
    assert place.read() is None


def test_shared_and_exclusive_locks(tmp_path: Path) -> None:
    place = Place.within(tmp_path)
    assert not place.is_used
    one, other = place.users(shared=True), place.users(shared=True)
    assert one.try_acquire()
    assert other.try_acquire()
    one.release()
    assert place.is_used
    other.release()
    other.release()
    assert not place.is_used


def test_a_lock_ends_with_its_process_even_when_it_is_killed(tmp_path: Path) -> None:
    place = Place.within(tmp_path)
    code = (
        "import sys, time; from pathlib import Path; "
        "from assay.models.embedded.place import Place; "
        "lock = Place(Path(sys.argv[1])).alive(); "
        "print(lock.try_acquire(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(place.folder)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert place.is_alive
        holder.kill()
    assert not place.is_alive


async def test_waiting_for_a_lock_ends_when_it_is_free(tmp_path: Path) -> None:
    place = Place.within(tmp_path)
    async with place.turn():
        assert not place.turn().try_acquire()
    async with place.turn():
        pass


def test_a_changed_file_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"1")
    before = model_identity(path)
    path.write_bytes(b"22")
    assert model_identity(path) != before


@pytest.mark.parametrize(
    ("weights", "available", "tokens"),
    [
        (GIB, None, FULL_CONTEXT_TOKENS),
        (GIB, 8 * GIB, FULL_CONTEXT_TOKENS),
        (GIB, int(1.9 * GIB), 16_384),
        (GIB, int(1.5 * GIB), 4_096),
        (GIB, GIB // 2, 4_096),
    ],
)
def test_the_context_is_as_long_as_memory_allows(
    weights: int, available: int | None, tokens: int
) -> None:
    assert context_that_fits(weights, available) == tokens
