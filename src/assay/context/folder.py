"""Documentation from this machine's files."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from assay.context.conversion import Document
from assay.context.kinds import Kind, kind_of_name, language_of_name
from assay.context.reader import Reader
from assay.context.skipped import Emit, Skipped, Unreadable, printable
from assay.domain.limits import MIB
from assay.domain.task import DocumentPage
from assay.errors import DocumentationError
from assay.files import UnreadableFile, read_regular_file

FILE_LIMIT = 10 * MIB
FOLDER_FILES = 2000
_NOT_DOCUMENTATION = frozenset({"__pycache__", "node_modules"})


async def read_path(source: str, reader: Reader, emit: Emit) -> None:
    """Read a file, or the documents and source files of a folder and all folders in it, sorted.

    In a folder, hidden files, links that lead out of it, and files whose suffix is none of a
    document or of source code are passed over.

    Args:
        source: A path.
        reader: Converts the files.
        emit: Gets each page, or why a file is none.

    Raises:
        DocumentationError: the source does not exist or cannot be looked into.
    """
    try:
        files = await asyncio.to_thread(_files, source)
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a usable path"
        raise DocumentationError(
            f"{printable(source)} cannot be read ({reason}): give a folder, file or URL that can."
        ) from error
    for file in files[:FOLDER_FILES]:
        try:
            emit(await _read_file(file, reader))
        except (Unreadable, UnreadableFile) as error:
            emit(Skipped(printable(str(file)), str(error)))
    if len(files) > FOLDER_FILES:
        reason = f"has {len(files):,} files; only the first {FOLDER_FILES:,} are read"
        emit(Skipped(printable(source), reason))


async def _read_file(path: Path, reader: Reader) -> DocumentPage:
    content = await asyncio.to_thread(read_regular_file, path, FILE_LIMIT)
    # A single file without a known suffix is taken for text.
    kind = kind_of_name(path.name) or Kind.TEXT
    language = language_of_name(path.name)
    read = await reader.read(Document(kind=kind, content=content, language=language))
    return DocumentPage(
        source=printable(str(path)),
        title=read.converted.title or printable(path.name),
        text=read.converted.text,
        tokens=read.tokens,
    )


def _files(source: str) -> list[Path]:
    folder = Path(source).expanduser()
    if not folder.is_dir():
        return [folder]
    root = folder.resolve(strict=True)
    os.listdir(root)  # noqa: PTH208 - an unreadable folder is an error; os.walk passes it over
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if _is_wanted(name)]
        found += [Path(parent, name) for name in names if _is_wanted(name) and kind_of_name(name)]
    return sorted(
        (path for path in found if path.resolve().is_relative_to(root)),
        key=lambda path: path.relative_to(folder).parts,
    )


def _is_wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _NOT_DOCUMENTATION
