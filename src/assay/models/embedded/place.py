"""The folder in which servers and their clients meet.

- `server.json`: address, key and model of the server that runs, readable by its user alone;
- `alive.lock`: held by the server as long as it lives;
- `users.lock`: shared by all who use the server, so that it knows when nobody does;
- `start.lock`: held while a server is looked for, started or stopped; users come only under it;
- `turn.lock`: held during a request: on a processor, two at once gain nothing;
- `server.log`: what llama.cpp says.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.domain.data import Data
from assay.errors import ModelFailed
from assay.models.embedded.locks import FileLock

_ASKING_TIMES = 3
_ASKING_PAUSE_SECONDS = 0.005


class ServerRecord(Data):
    """What a client must know of a server that runs."""

    pid: int
    address: str
    key: str
    model: str
    """Absolute path of the GGUF file, with its size and time: a changed file is another model."""
    context_tokens: int

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return Path(self.model.rsplit(":", 2)[0]).name


@dataclass(frozen=True)
class Place:
    """The folder, by the names of what lies in it."""

    folder: Path

    @classmethod
    def within(cls, cache_folder: Path) -> Place:
        """The place in a cache folder; the folder is made, for its user alone.

        Raises:
            ModelFailed: The folder cannot be made, or belongs to another user.
        """
        folder = cache_folder / "server"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _not_writable(folder, error.strerror or str(error)) from error
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise _not_writable(folder, "it belongs to another user, or is read-only")
        return cls(folder)

    @property
    def log(self) -> Path:
        """What llama.cpp says."""
        return self.folder / "server.log"

    def alive(self) -> FileLock:
        """The lock that the server holds."""
        return FileLock(self.folder / "alive.lock")

    def users(self, *, shared: bool) -> FileLock:
        """The lock that clients share; exclusive only for who asks whether there are any."""
        return FileLock(self.folder / "users.lock", shared=shared)

    def start(self) -> FileLock:
        """The lock for looking, starting and stopping."""
        return FileLock(self.folder / "start.lock")

    def turn(self) -> FileLock:
        """The lock for one request."""
        return FileLock(self.folder / "turn.lock")

    @property
    def is_alive(self) -> bool:
        """Whether a server lives, ready or not."""
        alive = self.alive()
        if alive.try_acquire():
            alive.release()
            return False
        return True

    @property
    def is_used(self) -> bool:
        """Whether any process uses the server."""
        users = self.users(shared=False)
        for _ in range(_ASKING_TIMES):
            if users.try_acquire():
                users.release()
                return False
            # Another process may ask the same at this moment, and hold the lock for it.
            time.sleep(_ASKING_PAUSE_SECONDS)
        return True

    def read(self) -> ServerRecord | None:
        """The record of the server, if there is one that can be read."""
        try:
            return ServerRecord.model_validate_json(self._record.read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, record: ServerRecord) -> None:
        """Publish a server; the key is readable by its user alone."""
        fresh = self.folder / f"server.json.{record.pid}"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(record.model_dump_json().encode())
        fresh.replace(self._record)

    def remove(self) -> None:
        """Take the record away."""
        self._record.unlink(missing_ok=True)

    @property
    def _record(self) -> Path:
        return self.folder / "server.json"


def _not_writable(folder: Path, why: str) -> ModelFailed:
    return ModelFailed(
        f"The embedded model's server needs the folder {folder}, which cannot be written ({why}). "
        "Set ASSAY_CACHE_FOLDER to a folder of yours."
    )


def model_identity(path: Path) -> str:
    """Path, size and time of a model's file: what a running server must have been started with."""
    path = path.resolve()
    status = path.stat()
    return f"{path}:{status.st_size}:{status.st_mtime_ns}"
