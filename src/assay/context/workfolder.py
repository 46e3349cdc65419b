"""A folder of the user's that is worked on: its files, and what a prompt says of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.context.fitting import fit
from assay.context.skipped import Skipped, printable
from assay.domain.limits import MIB
from assay.domain.task import Attachment, DocumentPage
from assay.errors import BadInput
from assay.files import UnreadableFile, read_regular_file
from assay.markdown import fenced
from assay.tokens import count_tokens

MOST_FILES = 300
"""Each run gets all of them."""
FILE_LIMIT = 4 * MIB
TOTAL_LIMIT = 32 * MIB
MOST_LISTED = 200
GIT_SECONDS = 20
_PASSED_OVER = frozenset({"__pycache__", "node_modules", "target", "build", "dist"})


def read_working_folder(folder: Path) -> tuple[tuple[Attachment, ...], tuple[Skipped, ...]]:
    """Read the files of a folder, by their paths in it.

    In a git repository they are those that git knows or would add; elsewhere hidden files and what
    tools make are passed over. Links are not followed.

    Raises:
        BadInput: it is no folder, or holds more than a run can be given.
    """
    if not folder.is_dir():
        raise BadInput(f"{printable(str(folder))} is no folder; name one with --in.")
    paths = sorted(_known_to_git(folder) or _walked(folder))
    files: list[Attachment] = []
    skipped: list[Skipped] = []
    for path in paths:
        place = folder / path
        if place.is_symlink() or not place.exists():
            continue
        try:
            files.append(Attachment(name=path, content=read_regular_file(place, FILE_LIMIT)))
        except UnreadableFile as error:
            skipped.append(Skipped(printable(path), str(error)))
    size = sum(len(file.content) for file in files)
    if len(files) > MOST_FILES or size > TOTAL_LIMIT:
        raise BadInput(
            f"{printable(str(folder))} holds {len(files):,} files of {size / MIB:.0f} MiB, and at "
            f"most {MOST_FILES} of {TOTAL_LIMIT // MIB} MiB can be worked on. Name a folder in it."
        )
    return tuple(files), tuple(skipped)


def folder_text(files: Sequence[Attachment], budget_tokens: int, query: str) -> str:
    """What a prompt says of the files: all their paths, and the contents that fit.

    Where not all fit, those parts are taken that the query speaks of.
    """
    listed = [file.name for file in files[:MOST_LISTED]]
    more = len(files) - len(listed)
    names = "\n".join([*listed, *([f"… and {more} more"] if more else [])])
    pages = tuple(_page(file, text) for file in files if (text := file.text) is not None)
    fitted = fit(pages, budget_tokens, query)
    return f"{names}\n\n{fitted.text}".strip()


def _page(file: Attachment, text: str) -> DocumentPage:
    whole = fenced(text)
    return DocumentPage(source=file.name, title=file.name, text=whole, tokens=count_tokens(whole))


def _known_to_git(folder: Path) -> list[str]:
    """Paths of the files that git knows or would add; nothing where it is no repository's."""
    # A folder's own settings may name a program for git to run.
    command = ["git", "-c", "core.fsmonitor=false", "ls-files", "--cached", "--others"]
    command += ["--exclude-standard", "-z"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    names = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    return list(dict.fromkeys(name for name in names if name and name.isprintable()))


def _walked(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if _is_wanted(name)]
        for name in filter(_is_wanted, names):
            path = Path(parent, name).relative_to(folder).as_posix()
            if path.isprintable():
                yield path


def _is_wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _PASSED_OVER
