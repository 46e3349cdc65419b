"""The folder of weights: a file is believed after its hash was checked, and while it is unchanged.

Beside `x.gguf` lies `x.gguf.checked.json`, with the size, time and hash that were seen.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assay.errors import DiskFull, WeightsCut, WeightsDamaged, WeightsError
from assay.models.failures import shortened
from assay.models.weights.pinned import PINNED, Weights

_CHUNK_BYTES = 4 * 1024 * 1024


class State(StrEnum):
    """How far the weights of a model are here."""

    READY = "ready"
    UNCHECKED = "unchecked"
    """The file is there, and was changed since its hash was checked."""
    PARTIAL = "partial"
    """A download was broken off; it can go on where it stopped."""
    MISSING = "missing"


@dataclass(frozen=True)
class WeightsStatus:
    """One embedded model, and whether its weights are here."""

    weights: Weights
    state: State
    path: Path
    """Where the file is, or would be."""


def weights_folder(cache_folder: Path) -> Path:
    """Where weights are kept."""
    return cache_folder / "models"


def partial_path(path: Path) -> Path:
    """Where a file is gathered before it is whole."""
    return path.with_name(path.name + ".partial")


def weights_status(
    cache_folder: Path, catalog: Mapping[str, Weights] = PINNED
) -> list[WeightsStatus]:
    """All embedded models, without reading their files."""
    return [_status(weights, cache_folder) for weights in catalog.values()]


def find_weights(weights: Weights, cache_folder: Path) -> Path:
    """The checked file of a model. A file that was changed since is hashed again (a second or two).

    Raises:
        WeightsError: It is not here.
        WeightsDamaged: Its hash is not the pinned one.
    """
    path = weights_folder(cache_folder) / weights.file
    if not path.is_file():
        megabytes = weights.size / 1e6
        raise WeightsError(
            f"The weights of {weights.name} are not here. "
            f"Run: assay models pull {weights.name} ({megabytes:.0f} MB)."
        )
    if not is_known_whole(path, weights):
        check_file(path, weights)
    return path


def is_known_whole(path: Path, weights: Weights) -> bool:
    """Whether the file's hash was checked, and the file is unchanged since."""
    try:
        seen = json.loads(_record_path(path).read_text("utf-8"))
        return bool(seen == _look(path, weights))
    except (OSError, ValueError):
        return False


def check_file(path: Path, weights: Weights) -> None:
    """Hash the whole file and remember that it is right.

    Raises:
        WeightsDamaged: Its hash is not the pinned one.
    """
    if path.stat().st_size != weights.size or sha256_of(path) != weights.sha256:
        raise WeightsDamaged(
            f"The file {path} is damaged: it is not the one that its maker published. "
            f"Run: assay models pull {weights.name}, which fetches it again."
        )
    remember_whole(path, weights)


def remember_whole(path: Path, weights: Weights) -> None:
    """Note that the file as it is now has the pinned hash."""
    record = _record_path(path)
    fresh = record.with_name(f"{record.name}.{os.getpid()}")
    # Where nothing can be written, the file is hashed again the next time.
    with suppress(OSError):
        fresh.write_text(json.dumps(_look(path, weights)), "utf-8")
        fresh.replace(record)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def broke_off(weights: Weights, why: str) -> WeightsCut:
    """The error for a download that ended early; what is whole of it is kept."""
    return WeightsCut(
        f"The download of {weights.name} broke off ({shortened(why, 120)}). "
        f"Run: assay models pull {weights.name}, which goes on where it stopped."
    )


def not_the_pinned(weights: Weights) -> WeightsDamaged:
    """The error for something fetched that is another file than the pinned one."""
    return WeightsDamaged(
        f"What was offered for {weights.name} is not the file that its maker published, and is not "
        f"kept. Check HF_ENDPOINT and the proxy, then run: assay models pull {weights.name}."
    )


def no_room(weights: Weights, folder: Path) -> DiskFull:
    """The error for a disk that is full."""
    return DiskFull(
        f"There is no room for {weights.name} in {folder} ({weights.size / 1e6:.0f} MB). "
        "Make room there, or set ASSAY_CACHE_FOLDER to a folder on another disk."
    )


def _status(weights: Weights, cache_folder: Path) -> WeightsStatus:
    path = weights_folder(cache_folder) / weights.file
    if path.is_file():
        state = State.READY if is_known_whole(path, weights) else State.UNCHECKED
        return WeightsStatus(weights, state, path)
    state = State.PARTIAL if partial_path(path).is_file() else State.MISSING
    return WeightsStatus(weights, state, path)


def _record_path(path: Path) -> Path:
    return path.with_name(path.name + ".checked.json")


def _look(path: Path, weights: Weights) -> dict[str, int | str]:
    status = path.stat()
    return {"size": status.st_size, "mtime": status.st_mtime_ns, "sha256": weights.sha256}
