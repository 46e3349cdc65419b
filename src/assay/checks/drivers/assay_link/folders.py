"""Files that one side wrote, for the other to read.

Each side has a working folder and `/tmp` of its own, by the same names. Before a message, what
changed there since the last one is sent ahead: regular files and folders, no links.
"""

from __future__ import annotations

import binascii
import os
import stat
import sys
import tempfile
from typing import Any, Iterator

from .decoding import BadWire
from .errors import TooManyFiles

MAX_FILES = 1_000
MAX_BYTES = 8 * 1024 * 1024
TOO_MANY = (
    f"more than {MAX_FILES:,} files or {MAX_BYTES // 1024**2} MiB were written at once, and tests "
    "and solution cannot be given each other's; write fewer or smaller files"
)
_CODE = (".py", ".pyc", ".pyd", ".so", ".pth", ".zip")


class Folders:
    """What lies in the folders that both sides have."""

    def __init__(self) -> None:
        roots = (os.getcwd(), tempfile.gettempdir())
        self._roots = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
        self._seen = dict(self._scan())
        self._folder = os.getcwd()

    def changes(self) -> list[Any]:
        """Files that were written or deleted since the last time.

        Raises:
            TooManyFiles: there are more than can be sent.
        """
        now = dict(self._scan())
        changed: list[Any] = []
        size = 0
        for path, state in now.items():
            if self._seen.get(path, _GONE) == state:
                continue  # the state of a folder is None
            content = None if state is None else _read(path)
            size += len(content or b"")
            changed.append([path, None if content is None else _to_text(content)])
        changed += [[path] for path in self._seen if path not in now]
        if len(changed) > MAX_FILES or size > MAX_BYTES:
            raise TooManyFiles(TOO_MANY)
        self._seen = now
        return changed

    def moved(self) -> str | None:
        """The current folder, if it is another than the last time."""
        folder = os.getcwd()
        if folder == self._folder:
            return None
        self._folder = folder
        return folder

    def apply(self, changed: Any) -> None:
        """Write what the other side wrote.

        Raises:
            BadWire: a path leads elsewhere, or there is too much.
        """
        if type(changed) is not list or len(changed) > MAX_FILES:
            raise BadWire("files are sent as none are")
        for entry in changed:
            self._apply_one(*entry)

    def _apply_one(self, path: Any, *content: Any) -> None:
        is_whole = type(path) is str and os.path.isabs(path) and os.path.normpath(path) == path
        if not is_whole or not self._is_inside(path):
            raise BadWire("a file lies elsewhere")
        if _is_code(path):
            return  # nothing that a side imports may come from the other
        try:
            if not content:
                _delete(path)
            elif content[0] is None:
                os.makedirs(path, exist_ok=True)
            else:
                data = binascii.a2b_base64(content[0])
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
                with open(os.open(path, flags, 0o644), "wb") as file:
                    file.write(data)
        except OSError:
            return
        state = _state(path)
        if state is not _GONE:
            self._seen[path] = state
        else:
            self._seen.pop(path, None)

    def _is_inside(self, path: str) -> bool:
        parent = os.path.realpath(os.path.dirname(path))
        return any(parent == root or parent.startswith(root + "/") for root in self._roots)

    def _scan(self) -> Iterator[tuple[str, Any]]:
        waiting = list(self._roots)
        found = 0
        while waiting:
            try:
                entries = list(os.scandir(waiting.pop()))
            except OSError:
                continue
            for entry in entries:
                state = _state(entry.path)
                if state is _GONE or entry.name in _PASSED_OVER:
                    continue
                found += 1
                if found > 10 * MAX_FILES:
                    return
                yield entry.path, state
                if state is None:
                    waiting.append(entry.path)


_GONE = object()
_PASSED_OVER = frozenset(("__pycache__", ".lock"))


def _state(path: str) -> Any:
    """What tells a file from what it was before; None for a folder."""
    try:
        status = os.lstat(path)
    except OSError:
        return _GONE
    if stat.S_ISDIR(status.st_mode):
        return None
    if not stat.S_ISREG(status.st_mode):
        return _GONE
    return status.st_mtime_ns, status.st_size, status.st_ino


def _read(path: str) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError:
        return b""


def _delete(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    else:
        os.unlink(path)


def _is_code(path: str) -> bool:
    """Whether this side could import it."""
    if not path.endswith(_CODE):
        return False
    places = {os.path.realpath(place or os.getcwd()) for place in sys.path}
    return any(path.startswith(place.rstrip("/") + "/") for place in places)


def _to_text(content: bytes) -> str:
    return binascii.b2a_base64(content, newline=False).decode("ascii")
