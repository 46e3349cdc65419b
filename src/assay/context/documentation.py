"""Documentation from folders, files and URLs, as counted Markdown.

What it says is data: nothing in it grants anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.context.addresses import ANY_ADDRESS, PUBLIC_ONLY
from assay.context.cache import Cache
from assay.context.converter import Converter
from assay.context.fetcher import Fetcher
from assay.context.folder import read_path
from assay.context.reader import Reader
from assay.context.site import Site
from assay.context.skipped import Skipped, printable
from assay.domain.task import DocumentPage
from assay.errors import DocumentationError


@dataclass(frozen=True)
class Documentation:
    """All pages in the order of the sources, each page once."""

    pages: tuple[DocumentPage, ...]
    skipped: tuple[Skipped, ...]

    @property
    def tokens(self) -> int:
        """Of all pages together."""
        return sum(page.tokens for page in self.pages)


async def read_documentation(
    sources: Sequence[str],
    *,
    cache_folder: Path,
    allow_private: bool = False,
    on_page: Callable[[str, int], None] | None = None,
) -> Documentation:
    """Read documentation; single pages that cannot be read are named and left out.

    Args:
        sources: Folders, files and http(s) URLs.
        cache_folder: Where fetched and converted pages are kept; made where it is missing.
        allow_private: Whether URLs may lead to private, loopback and link-local addresses.
        on_page: Called after each page with its source and how many pages the source gave so far.

    Raises:
        DocumentationError: a source gives no page at all.
    """
    cache = Cache(cache_folder / "documentation")
    policy = ANY_ADDRESS if allow_private else PUBLIC_ONLY
    pages: dict[str, DocumentPage] = {}
    skipped: list[Skipped] = []
    async with Converter() as converter, Fetcher(cache, policy) as fetcher:
        reader = Reader(cache, converter)
        for source in sources:
            found = _Found(source, on_page)
            if "://" in source:
                await Site(source, fetcher, reader).read(found.add)
            else:
                await read_path(source, reader, found.add)
            if not found.pages:
                raise DocumentationError(_nothing(source, found.skipped))
            for page in found.pages:
                pages.setdefault(page.source, page)
            skipped += found.skipped
    return Documentation(tuple(pages.values()), tuple(skipped))


class _Found:
    """What one source gave so far."""

    def __init__(self, source: str, on_page: Callable[[str, int], None] | None) -> None:
        self.pages: list[DocumentPage] = []
        self.skipped: list[Skipped] = []
        self._source = source
        self._on_page = on_page

    def add(self, found: DocumentPage | Skipped) -> None:
        if isinstance(found, Skipped):
            self.skipped.append(found)
            return
        self.pages.append(found)
        if self._on_page is not None:
            self._on_page(self._source, len(self.pages))


def _nothing(source: str, skipped: Sequence[Skipped]) -> str:
    """The sentence about a source that gave no page."""
    shown = printable(source)
    if not skipped:
        return f"{shown} holds no documentation: give a folder, file or URL with text in it."
    first, others = skipped[0], len(skipped) - 1
    if first.source == shown and not others:
        return f"{shown} {first.reason}. Give a folder, file or URL with text in it."
    more = f" ({others} more could not be read either)" if others else ""
    return (
        f"No documentation could be read from {shown}: {first.source} {first.reason}{more}. "
        "Give a folder, file or URL with text in it."
    )
