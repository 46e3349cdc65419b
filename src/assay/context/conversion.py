"""From documents to Markdown, each by the library for its kind.

HTML, notebooks and PDF are parsed in a process of their own (see `converter`), since what they
hold is a stranger's; `python -m assay.context.conversion` is that process.
"""

from __future__ import annotations

import io
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable
from typing import Any

from assay.context.decoding import declared_in_html, decode
from assay.context.kinds import Kind
from assay.context.markdown import fenced, fenced_pieces, links_of, split_front_matter, title_of
from assay.context.skipped import Unreadable
from assay.domain.data import Data
from assay.domain.limits import MIB

OUTPUT_CHARACTERS = 1000
"""Outputs of notebook cells that are longer than this are left out."""
CODE_CHARACTERS = 1500
"""A source file that is longer becomes several fences, so that parts of it can be chosen."""
TEXT_CHARACTERS = 10_000_000
"""The most that may come out of one document."""
MEMORY_BYTES = 2048 * MIB
"""Address space of the process that parses."""


class Document(Data):
    """What is to be converted."""

    kind: Kind
    content: bytes
    charset: str | None = None
    """The encoding that was declared for it."""
    language: str = ""
    """Of source code."""


class Converted(Data):
    """A document as Markdown."""

    title: str
    """Empty where the document has none."""
    text: str
    links: tuple[str, ...] = ()
    """What it links to, as written there; `<base>` is applied."""


class Failure(Data):
    """Why a document could not be converted."""

    reason: str


def convert(document: Document) -> Converted:
    """Convert a document.

    Raises:
        Unreadable: it is not what its kind says, or has no text.
    """
    convert_kind: Callable[[Document], Converted] = {
        Kind.MARKDOWN: _markdown,
        Kind.TEXT: _text,
        Kind.CODE: _code,
        Kind.HTML: _html,
        Kind.NOTEBOOK: _notebook,
        Kind.PDF: _pdf,
    }[document.kind]
    converted = convert_kind(document)
    text = converted.text.strip()
    if not text:
        raise Unreadable("has no text")
    if len(text) > TEXT_CHARACTERS:
        raise Unreadable(f"holds more than {TEXT_CHARACTERS:,} characters")
    # Parsers let lone surrogates through, which cannot be written as UTF-8 later.
    text = text.encode("utf-8", "replace").decode()
    title = " ".join(converted.title.encode("utf-8", "replace").decode().split())[:200]
    return Converted(title=title, text=text, links=converted.links)


def _markdown(document: Document) -> Converted:
    title, text = split_front_matter(decode(document.content, document.charset))
    return Converted(title=title or title_of(text), text=text, links=links_of(text))


def _text(document: Document) -> Converted:
    text = decode(document.content, document.charset)
    return Converted(title=title_of(text), text=text)


def _code(document: Document) -> Converted:
    code = decode(document.content, document.charset)
    text = fenced_pieces(code, document.language, CODE_CHARACTERS) if code.strip() else ""
    return Converted(title="", text=text)


def _html(document: Document) -> Converted:
    from assay.context.html import html_to_markdown  # takes 0.2 s

    content = document.content
    html = decode(content, document.charset or declared_in_html(content))
    title, text, links = html_to_markdown(html)
    return Converted(title=title, text=text, links=links)


def _notebook(document: Document) -> Converted:
    import nbformat  # takes 0.2 s

    try:
        reads: Callable[..., Any] = nbformat.reads
        notebook = reads(decode(document.content), as_version=4)
        language = str(notebook.metadata.get("language_info", {}).get("name", "python"))
        text = "\n\n".join(_cell(cell, language) for cell in notebook.cells)
    # nbformat's readers of old versions raise whatever a wrong structure leads to.
    except (nbformat.ValidationError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise Unreadable("is not a notebook") from error
    return Converted(title=title_of(text), text=text)


def _cell(cell: Any, language: str) -> str:
    source = str(cell.source)
    if cell.cell_type != "code":
        return source
    outputs = [
        output.get("text") or output.get("data", {}).get("text/plain") or ""
        for output in cell.outputs
        if output.get("name") != "stderr"
    ]
    shown = [fenced(text) for text in outputs if 0 < len(text) <= OUTPUT_CHARACTERS]
    return "\n\n".join([fenced(source, language), *shown] if source.strip() else shown)


def _pdf(document: Document) -> Converted:
    from pypdf import PdfReader  # takes 0.1 s
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(document.content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("is protected by a password")
        title = str((reader.metadata and reader.metadata.title) or "")
        text = "\n\n".join(page.extract_text() for page in reader.pages)
    # A damaged file makes pypdf fail in ways that have no common type.
    except (PyPdfError, ValueError, LookupError, AttributeError, TypeError, OSError) as error:
        raise Unreadable("is a damaged PDF") from error
    if not text.strip():
        raise Unreadable("is a PDF with no text (a scan, perhaps)")
    return Converted(title=title, text=text)


def _answer(line: bytes) -> Data:
    try:
        return convert(Document.model_validate_json(line))
    except Unreadable as error:
        return Failure(reason=str(error))
    except RecursionError:
        return Failure(reason="is nested too deeply")
    except MemoryError:
        return Failure(reason="needs too much memory to be read")
    # The last line of defence against parsers fed by strangers: a reason, never a crash.
    except Exception as error:  # noqa: BLE001
        return Failure(reason=f"cannot be parsed ({type(error).__name__})")


def main() -> None:
    """Convert the documents that come on stdin, one JSON line each, until it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        answer = _answer(line)
        answers.write(json.dumps([type(answer).__name__, answer.model_dump()]).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
