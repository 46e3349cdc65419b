"""Reading files that a program has left, which may be links to ours, pipes, or without end."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import PurePosixPath

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def collect(folder: int, paths: Iterable[str], limit: int) -> dict[str, bytes]:
    """Read files below a folder once no process can change it any more.

    Args:
        folder: descriptor of the folder.
        paths: relative ones, without `..`.
        limit: bytes that each of them may have.

    Returns:
        The content by path. A link, a file that is no plain one, one that cannot be read, and one
        that is larger than `limit` are left out.
    """
    found = {}
    for path in paths:
        content = _read(folder, PurePosixPath(path).parts, limit)
        if content is not None:
            found[path] = content
    return found


def _read(folder: int, parts: tuple[str, ...], limit: int) -> bytes | None:
    with ExitStack() as stack:
        try:
            for part in parts[:-1]:
                folder = os.open(part, _FOLDER, dir_fd=folder)
                stack.callback(os.close, folder)
            file = os.open(parts[-1], _FILE, dir_fd=folder)
            stack.callback(os.close, file)
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return None
            with open(file, "rb", closefd=False) as stream:
                content = stream.read(limit + 1)
        except OSError:
            return None
    return content if len(content) <= limit else None
