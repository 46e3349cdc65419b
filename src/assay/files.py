"""Files that are read with suspicion, and files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from assay.domain.limits import MIB


class UnreadableFile(Exception):
    """A file cannot be read. Its text is the end of a sentence that begins with the path."""


def read_regular_file(path: Path, limit: int) -> bytes:
    """Read a regular file whole; nothing here waits for a FIFO or reads a device.

    Args:
        path: Followed where it is a symbolic link.
        limit: The most bytes that the file may have.

    Raises:
        UnreadableFile: it is missing, not a regular file, too large, or may not be read.
    """
    try:
        # Asked first, since opening some devices already does something.
        _require_regular(path.stat(), limit)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - takes over the descriptor
            _require_regular(os.fstat(file.fileno()), limit)
            content = file.read(limit + 1)
    except FileNotFoundError:
        raise UnreadableFile("does not exist") from None
    except PermissionError:
        raise UnreadableFile("may not be read by this user") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is not a usable path"
        raise UnreadableFile(f"cannot be read ({reason})") from None
    if len(content) > limit:
        raise UnreadableFile(_too_large(limit))
    return content


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read; once it is there, it is on the disk whole.

    Raises:
        OSError: it cannot be written; nothing is left, and an earlier one is as it was.
    """
    _replace(path, content, 0o600)


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole, with the permissions of the one before it, else the usual ones.

    Raises:
        OSError: it cannot be written; nothing is left, and an earlier one is as it was.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    _replace(path, content, mode)


def _replace(path: Path, content: bytes, mode: int) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _require_regular(status: os.stat_result, limit: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFile("is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile("is not a regular file")
    if status.st_size > limit:
        raise UnreadableFile(_too_large(limit))


def _too_large(limit: int) -> str:
    return f"is larger than {limit / MIB:g} MiB"
