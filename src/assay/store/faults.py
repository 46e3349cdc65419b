"""What SQLite and the file system complain about, as a sentence that says what to do."""

from __future__ import annotations

import errno
from pathlib import Path

from pydantic import ValidationError

from assay.errors import StoreBusy, StoreError

BUSY_SECONDS = 10.0
"""How long a write waits for other processes."""


def store_error(path: Path, error: BaseException | None) -> StoreError:
    """Say what `error` means for the database at `path`, and what to do about it."""
    if isinstance(error, OSError):
        return _system_error(path, error)
    if isinstance(error, ValidationError):
        return StoreError(
            f"The database {path} holds something that this Assay does not know. Update Assay; if "
            "it is the newest, delete the session with `assay delete`."
        )
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith("SQLITE_FULL"):
        return _full(path)
    if name.startswith("SQLITE_IOERR"):
        return StoreError(
            f"The database {path} could not be read or written ({error}). Make room on its disk, "
            "or see whether the disk is failing."
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return _forbidden(path)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(
            f"Another program has held the database {path} for more than {BUSY_SECONDS:g} s. "
            "Close it and try again."
        )
    if name.startswith("SQLITE_TOOBIG"):
        return StoreError("This is more than the database can hold. Attach less.")
    return StoreError(
        f"The database {path} is damaged, or not Assay's ({error}). Move it away, and Assay "
        "starts a new one; receipts are files of their own and stay."
    )


def _system_error(path: Path, error: OSError) -> StoreError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return _full(path)
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return _forbidden(path)
    return StoreError(
        f"{path} cannot be used ({error.strerror or error}). Set ASSAY_DATA_FOLDER to a folder "
        "where you may write."
    )


def _full(path: Path) -> StoreError:
    return StoreError(
        f"There is no room left to write {path}. Make room on its disk, or set "
        "ASSAY_DATA_FOLDER to a folder on another one."
    )


def _forbidden(path: Path) -> StoreError:
    return StoreError(
        f"{path} may not be written. Set ASSAY_DATA_FOLDER to a folder where you may write, or "
        f"change the permissions of {path.parent}."
    )
