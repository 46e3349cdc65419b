"""What a document is, by its name or by what a server says it is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath

from assay.domain.languages import language_of_path


class Kind(StrEnum):
    """How a document is turned into Markdown."""

    MARKDOWN = "markdown"
    TEXT = "text"
    """Plain text and reStructuredText: used as it is."""
    CODE = "code"
    """Source code: one fence."""
    HTML = "html"
    NOTEBOOK = "notebook"
    PDF = "pdf"


_SUFFIXES = {
    ".md": Kind.MARKDOWN,
    ".mdx": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".rst": Kind.TEXT,
    ".txt": Kind.TEXT,
    ".adoc": Kind.TEXT,
    ".htm": Kind.HTML,
    ".html": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".ipynb": Kind.NOTEBOOK,
    ".pdf": Kind.PDF,
}

_SOURCE_CODE = {
    ".bash", ".c", ".cc", ".cpp", ".cs", ".css", ".go", ".h", ".hpp", ".java", ".js",
    ".json", ".jsx", ".kt", ".lua", ".mjs", ".php", ".pl", ".py", ".pyi", ".r", ".rb",
    ".rs", ".scala", ".sh", ".sql", ".swift", ".toml", ".ts", ".tsx", ".yaml", ".yml",
}  # fmt: skip

_MEDIA_TYPES = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/markdown": Kind.MARKDOWN,
    "text/x-markdown": Kind.MARKDOWN,
    "application/pdf": Kind.PDF,
    "application/x-ipynb+json": Kind.NOTEBOOK,
}


def kind_of_name(name: str) -> Kind | None:
    """The kind of a file, None where its suffix is none of a document or source file."""
    suffix = PurePosixPath(name).suffix.lower()
    return _SUFFIXES.get(suffix) or (Kind.CODE if suffix in _SOURCE_CODE else None)


def language_of_name(name: str) -> str:
    """What a fence around this source file is marked with."""
    language = language_of_path(name) if kind_of_name(name) is Kind.CODE else None
    return language.name if language else ""


def kind_of_response(media_type: str, name: str) -> Kind | None:
    """The kind of a page by its Content-Type, by its name where that says little.

    Args:
        media_type: In lower case and without parameters; empty where the server gave none.
        name: The last part of the path.

    Returns:
        None for what is no text: images, archives, programs.
    """
    by_name = kind_of_name(name)
    if kind := _MEDIA_TYPES.get(media_type):
        return kind
    if media_type.startswith("text/") or media_type in ("", "application/json"):
        return by_name or Kind.TEXT
    if media_type in ("application/octet-stream", "application/javascript"):
        return by_name
    return None
