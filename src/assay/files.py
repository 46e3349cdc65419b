"""Reading regular files only: nothing here waits for a FIFO or reads a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from assay.context.skipped import Unreadable
from assay.domain.limits import MIB


def read_regular_file(path: Path, limit: int) -> bytes:
    """Read a file whole.

    Args:
        path: Followed where it is a symbolic link.
        limit: The most bytes that the file may have.

    Raises:
        Unreadable: it is missing, not a regular file, too large, or may not be read.
    """
    try:
        # Asked first, since opening some devices already does something.
        _require_regular(path.stat(), limit)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - takes over the descriptor
            _require_regular(os.fstat(file.fileno()), limit)
            content = file.read(limit + 1)
    except FileNotFoundError:
        raise Unreadable("does not exist") from None
    except PermissionError:
        raise Unreadable("may not be read by this user") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is not a usable path"
        raise Unreadable(f"cannot be read ({reason})") from None
    if len(content) > limit:
        raise Unreadable(_too_large(limit))
    return content


def _require_regular(status: os.stat_result, limit: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise Unreadable("is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("is not a regular file")
    if status.st_size > limit:
        raise Unreadable(_too_large(limit))


def _too_large(limit: int) -> str:
    return f"is larger than {limit / MIB:g} MiB"
