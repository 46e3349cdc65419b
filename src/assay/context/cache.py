"""What was read and converted before, on disk. It may be deleted at any time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from assay.domain.data import Data

KEPT_SECONDS = 30 * 24 * 3600
"""Entries that were not written for this long are deleted."""

Entry = TypeVar("Entry", bound=Data)


class Cache:
    """One JSON file an entry. A damaged entry counts as none; what cannot be written is not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._delete_old()

    def get(self, kind: type[Entry], key: str) -> Entry | None:
        """The entry that was put under `key`, if it is there and whole."""
        try:
            return kind.model_validate_json(self._path(kind, key).read_bytes())
        except (OSError, ValidationError):
            return None

    def put(self, key: str, entry: Data) -> None:
        """Keep an entry; a full or read-only disk is no error."""
        path = self._path(type(entry), key)
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Renamed into place: a reader sees a whole entry or none.
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                try:
                    file.write(entry.model_dump_json().encode())
                    file.close()
                    Path(file.name).replace(path)
                except OSError:
                    os.unlink(file.name)  # noqa: PTH108 - as the file was made
                    raise

    def _path(self, kind: type[Data], key: str) -> Path:
        name = hashlib.sha256(f"{kind.__name__}\0{key}".encode()).hexdigest()
        return self._folder / f"{name}.json"

    def _delete_old(self) -> None:
        oldest = time.time() - KEPT_SECONDS
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if path.stat().st_mtime < oldest:
                    path.unlink()
