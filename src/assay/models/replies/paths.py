"""Which file names of a model's are used: relative ones that stay inside the working folder."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from assay.errors import ReplyError, UnsafePath

MOST_FILES = 200
_LONGEST_PART = 200
_LONGEST_PATH = 1000
_VERSION_CONTROL = {".git", "git~1", ".hg", ".svn", ".jj", ".bzr"}
"""What is written there is run by the next command of the version control."""
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def safe_path(path: str) -> str:
    """`path` with forward slashes and no `.` parts.

    Raises:
        UnsafePath: it is absolute, climbs, or names something that is no ordinary file.
    """
    parts = path.strip().replace("\\", "/").split("/")
    reason = _why_unsafe(path, parts)
    if reason:
        shown = ascii(path[:80])
        raise UnsafePath(
            f"The file name {shown} cannot be used: {reason}. Name files by a relative path"
            " inside the project, such as src/main.py."
        )
    return unicodedata.normalize("NFC", "/".join(part for part in parts if part not in {"", "."}))


def check_count(files: int) -> None:
    """See that a reply has no more files than anyone would read.

    Raises:
        ReplyError: there are too many.
    """
    if files > MOST_FILES:
        raise ReplyError(
            f"The reply holds {files} files; send at most {MOST_FILES}, the needed ones only."
        )


def check_together(paths: Sequence[str]) -> None:
    """See that files can lie side by side on any file system.

    Raises:
        UnsafePath: two names differ by case alone, or one is both a file and a folder.
        ReplyError: there are too many.
    """
    check_count(len(paths))
    seen: dict[str, str] = {}
    for path in paths:
        folded = path.casefold()
        if folded in seen:
            raise UnsafePath(
                f"The files {seen[folded]!r} and {path!r} differ by case alone."
                " Give them names that differ by more."
            )
        seen[folded] = path
    for path in paths:
        folder = path.casefold()
        while "/" in folder:
            folder = folder.rpartition("/")[0]
            if folder in seen:
                raise UnsafePath(
                    f"{seen[folder]!r} is a file and also the folder of {path!r}."
                    " Rename one of them."
                )


def _why_unsafe(path: str, parts: list[str]) -> str:
    """What is wrong with a path, in words; nothing where it is safe."""
    named = [part for part in parts if part not in {"", "."}]
    if not named or parts[-1] in {"", "."}:
        return "it names no file"
    if parts[0] == "":
        return "it is absolute"
    if parts[0].startswith("~"):
        return "it starts in a home folder"
    if ".." in named:
        return "it climbs out of its folder"
    if any(unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"} for char in path):
        return "it has invisible characters"
    if any(char in ':<>"|?*' for char in path):
        return 'it has one of the characters : < > " | ? *'
    if any(part.lower() in _VERSION_CONTROL for part in named):
        return "it lies in the version control's own folder"
    if any(_DEVICE.fullmatch(part) for part in named):
        return "it is the name of a device on some systems"
    if any(part.endswith((" ", ".")) or part.startswith((" ", "-")) for part in named):
        return "a part of it starts with a space or hyphen, or ends with a space or dot"
    if len(path) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in named):
        return "it is too long"
    return ""
