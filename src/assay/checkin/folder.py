"""A folder: what would change in it is shown first, and then changed as it was shown."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.domain.limits import MIB
from assay.errors import BadInput, CheckInError
from assay.files import UnreadableFile, read_regular_file, write_file

FILE_LIMIT = 16 * MIB


@dataclass(frozen=True)
class FileChange:
    """One file, as it is and as it will be."""

    path: str
    before: bytes | None
    """None where there is no such file."""
    after: bytes

    @property
    def kind(self) -> Literal["new", "changed", "same"]:
        """What happens to it."""
        if self.before is None:
            return "new"
        return "same" if self.before == self.after else "changed"

    @property
    def difference(self) -> str:
        """A unified diff; a sentence where one of the two is not text."""
        try:
            old = (self.before or b"").decode().splitlines(keepends=True)
            new = self.after.decode().splitlines(keepends=True)
        except UnicodeDecodeError:
            return f"{self.path} is not text, and {self.kind}.\n"
        lines = difflib.unified_diff(
            old, new, "/dev/null" if self.before is None else f"a/{self.path}", f"b/{self.path}"
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def plan_changes(folder: Path, files: Mapping[str, bytes]) -> tuple[FileChange, ...]:
    """Find out what putting files into a folder would change. Nothing is written.

    Raises:
        BadInput: a path leads through a symbolic link, or what is there is no file.
    """
    changes = []
    for path, content in sorted(files.items()):
        place = _place(folder, path)
        before = None
        if os.path.lexists(place):
            try:
                before = read_regular_file(place, FILE_LIMIT)
            except UnreadableFile as error:
                raise BadInput(f"{place} {error}. Move it away, or name another folder.") from error
        changes.append(FileChange(path, before, content))
    return tuple(changes)


def apply_changes(folder: Path, changes: tuple[FileChange, ...]) -> int:
    """Write what was planned, each file whole or not at all; returns how many were written.

    Raises:
        CheckInError: a file is no longer what it was, or cannot be written. Those that were written
            before it stay; doing it again finds them the same.
        BadInput: see `plan_changes`.
    """
    now = plan_changes(folder, {change.path: change.after for change in changes})
    for change, found in zip(sorted(changes, key=lambda one: one.path), now, strict=True):
        if found.before not in (change.before, change.after):
            raise CheckInError(
                f"{folder / change.path} has changed since its difference was shown. Nothing was "
                "written; look at the difference anew."
            )
    written = 0
    for change in now:
        if change.kind != "same":
            place = _place(folder, change.path)
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                write_file(place, change.after)
            except OSError as error:
                raise CheckInError(
                    f"{place} cannot be written ({error.strerror}). The session keeps its code."
                ) from error
            written += 1
    return written


def _place(folder: Path, path: str) -> Path:
    """Where a file goes; never through a link, so never outside the folder."""
    parts = path.split("/")
    place = folder
    for part in parts:
        if part in {"", ".", ".."}:
            raise BadInput(f"{path!r} is no path inside a folder.")
        place /= part
        if place.is_symlink():
            raise BadInput(f"{place} is a symbolic link; Assay writes through none.")
    return place
