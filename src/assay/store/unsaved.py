"""Replies that the database did not take, each in a file until it does."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from assay import files
from assay.store.json_text import to_json
from assay.store.records import StoredReply

_STORED = TypeAdapter(StoredReply)


class Unsaved:
    """A folder beside the database. What has been paid for is not lost with a full database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, session: str, stored: StoredReply) -> Path:
        """Write a reply into a file that only its owner can read, and give its path.

        Raises:
            OSError: it cannot be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{session}-{stored.step}-{stored.attempt}-{stored.role}.json"
        files.replace_file(path, to_json(_STORED, stored).encode())
        return path

    def replies(self, session: str) -> Iterator[tuple[Path, StoredReply]]:
        """Give the session's replies with their files.

        Raises:
            OSError: one cannot be read.
            pydantic.ValidationError: one is not as Assay wrote it.
        """
        for path in self._files(session):
            yield path, _STORED.validate_json(path.read_bytes())

    def forget(self, session: str) -> None:
        """Remove the session's replies.

        Raises:
            OSError: they cannot be removed.
        """
        for path in self._files(session):
            path.unlink(missing_ok=True)

    def _files(self, session: str) -> list[Path]:
        return sorted(self._folder.glob(f"{glob.escape(session)}-*.json"))
