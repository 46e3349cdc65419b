"""Documentation from the web: a page, and the pages under it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.context.body import decompress
from assay.context.conversion import Document
from assay.context.decoding import decode
from assay.context.fetcher import Fetched, Fetcher
from assay.context.kinds import Kind, kind_of_response, language_of_name
from assay.context.markdown import links_of
from assay.context.reader import ReadDocument, Reader
from assay.context.scope import Scope, clean, is_file, markdown_variants, sitemap_locations
from assay.context.skipped import Emit, Skipped, Unreadable, printable
from assay.domain.limits import MIB
from assay.domain.task import DocumentPage

_SITEMAP_BYTES = 10 * MIB
_SITEMAPS = 10
"""How many sitemaps are read of those that an index lists."""


@dataclass(frozen=True)
class SiteLimits:
    """How far the pages under a page are followed."""

    pages: int = 200
    depth: int = 5
    """Links from the first page, where neither `llms.txt` nor a sitemap lists the pages."""
    seconds: float = 180
    """For everything that one URL leads to."""


@dataclass(frozen=True)
class _Loaded:
    """A page with what it links to."""

    page: DocumentPage
    found: tuple[str, ...]
    """Pages in scope that it links to."""


class Site:
    """Reads one URL: the page, and the pages under it.

    Which these are, `llms.txt` says, else the sitemap, else the links from page to page. Where
    the site keeps pages as Markdown too, that is read instead of HTML.
    """

    def __init__(
        self, url: str, fetcher: Fetcher, reader: Reader, limits: SiteLimits | None = None
    ) -> None:
        self._url = url
        self._fetcher = fetcher
        self._reader = reader
        self._limits = limits or SiteLimits()
        self._scope = Scope(url)
        self._variant: int | None = None
        """Which of `markdown_variants` this site has."""

    async def read(self, emit: Emit) -> None:
        """Read the pages, four at a time; what cannot be read is named.

        Args:
            emit: Gets each page, or what is known about a page that cannot be read, in an order
                that does not depend on how fast the answers come.
        """
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._read(emit)
        except Unreadable as error:
            emit(Skipped(printable(self._url), str(error)))
        except TimeoutError:
            reason = f"took longer than {self._limits.seconds:g} s; what came until then is used"
            emit(Skipped(printable(self._url), reason))

    async def _read(self, emit: Emit) -> None:
        first, listed = await self._start()
        seen: set[str] = set()
        texts: set[str] = set()
        if first is not None:
            seen.add(clean(self._scope.url))
            texts.add(first.page.text)
            emit(first.page)
        wave = listed or list(first.found if first is not None else ())
        wave = [url for url in dict.fromkeys(wave) if url not in seen]
        for _ in range(1 if listed else self._limits.depth):
            room = max(self._limits.pages - len(seen), 0)
            now, later = wave[:room], wave[room:]
            seen.update(now)
            following: list[str] = []
            async with aclosing(self._load_all(now)) as all_loaded:
                async for loaded in all_loaded:
                    if isinstance(loaded, Skipped):
                        emit(loaded)
                        continue
                    following += loaded.found
                    # A site may show one page under many addresses, its "not found" say.
                    if loaded.page.text not in texts:
                        texts.add(loaded.page.text)
                        emit(loaded.page)
            if later:
                self._limit_reached(f"only the first {self._limits.pages} are read", emit)
                return
            wave = [url for url in dict.fromkeys(following) if url not in seen]
        if wave and not listed:
            self._limit_reached(f"only {self._limits.depth} links are followed", emit)

    def _limit_reached(self, limit: str, emit: Emit) -> None:
        emit(Skipped(printable(self._url), f"leads to more pages; {limit}"))

    async def _load_all(self, urls: Sequence[str]) -> AsyncGenerator[_Loaded | Skipped]:
        tasks = [asyncio.create_task(self._load(url)) for url in urls]
        try:
            for url, task in zip(urls, tasks, strict=True):
                try:
                    yield await task
                except Unreadable as error:
                    yield Skipped(printable(url), str(error))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _start(self) -> tuple[_Loaded | None, list[str]]:
        """The first page, and the addresses of the others where they are listed somewhere."""
        answer = await self._fetcher.get(self._url)
        self._scope = Scope(answer.url)
        if urlsplit(answer.url).path.endswith("/llms.txt"):
            self._scope = Scope(self._scope.at_root(""))
            return None, self._of_text(answer)
        first = await self._convert(self._url, answer)
        if is_file(answer.url):
            return _Loaded(first.page, ()), []
        # Some sites send Markdown under the page's own address to who prefers it.
        is_html = _kind(answer) is Kind.HTML
        markdown = await self._find_variant(answer.url) if is_html else None
        if markdown is not None:
            first = _Loaded(markdown.page, (*first.found, *markdown.found))
        if self._scope.is_single:
            return _Loaded(first.page, ()), []
        return first, await self._listed()

    async def _listed(self) -> list[str]:
        """What `llms.txt`, or else the sitemap, lists under the first page."""
        for url in dict.fromkeys(
            [self._scope.at_prefix("llms.txt"), self._scope.at_root("llms.txt")]
        ):
            try:
                answer = await self._fetcher.get(url)
                found = self._of_text(answer) if _is_text(answer) else []
            except Unreadable:
                continue
            if found:
                return found
        return await self._of_sitemaps()

    def _of_text(self, answer: Fetched) -> list[str]:
        text = decode(answer.content, answer.charset)
        return self._scope.of_links(answer.url, links_of(text))

    async def _of_sitemaps(self) -> list[str]:
        named = await self._fetcher.sitemaps(self._scope.url)
        waiting = named or [self._scope.at_root("sitemap.xml")]
        found: list[str] = []
        for is_index in (True, False):
            following: list[str] = []
            for url in waiting[:_SITEMAPS]:
                try:
                    text = await self._sitemap(url)
                except Unreadable:
                    continue
                locations = sitemap_locations(text)
                if is_index and "<sitemapindex" in text:
                    following += locations
                else:
                    found += self._scope.of_links(url, locations)
            waiting = following
        return found

    async def _sitemap(self, url: str) -> str:
        answer = await self._fetcher.get(url)
        content = answer.content
        if content.startswith(b"\x1f\x8b"):
            content = await asyncio.to_thread(decompress, content, _SITEMAP_BYTES)
        return decode(content, answer.charset)

    async def _find_variant(self, url: str) -> _Loaded | None:
        """The first page as Markdown, if the site has it so; then the others may be had so too."""
        for number, variant in enumerate(markdown_variants(url)):
            try:
                loaded = await self._as_markdown(url, variant)
            except Unreadable:
                continue
            self._variant = number
            return loaded
        return None

    async def _load(self, url: str) -> _Loaded:
        variants = markdown_variants(url)
        if self._variant is not None and self._variant < len(variants):
            with suppress(Unreadable):  # then as HTML
                return await self._as_markdown(url, variants[self._variant])
        answer = await self._fetcher.get(url)
        if not self._scope.contains(answer.url):
            raise Unreadable(f"redirects to {printable(answer.url)}, which is not under the page")
        return await self._convert(url, answer)

    async def _as_markdown(self, url: str, variant: str) -> _Loaded:
        answer = await self._fetcher.get(variant)
        if answer.url != variant or not _is_text(answer):
            raise Unreadable("is not there as Markdown")
        return await self._convert(url, answer)

    async def _convert(self, source: str, answer: Fetched) -> _Loaded:
        name = urlsplit(answer.url).path.rpartition("/")[2]
        kind = _kind(answer)
        if kind is None:
            raise Unreadable(f"is not text ({printable(answer.media_type)})")
        read = await self._reader.read(
            Document(
                kind=kind,
                content=answer.content,
                charset=answer.charset,
                language=language_of_name(name),
            )
        )
        found = self._scope.of_links(answer.url, read.converted.links)
        return _Loaded(_page(source, read), tuple(found))


def _page(source: str, read: ReadDocument) -> DocumentPage:
    return DocumentPage(
        source=printable(source),
        title=read.converted.title or printable(source),
        text=read.converted.text,
        tokens=read.tokens,
    )


def _kind(answer: Fetched) -> Kind | None:
    return kind_of_response(answer.media_type, urlsplit(answer.url).path.rpartition("/")[2])


def _is_text(answer: Fetched) -> bool:
    """Whether an answer is the Markdown that was asked for, not a page that says "not found"."""
    looks_like_html = answer.content[:1000].lstrip().startswith(b"<")
    return _kind(answer) in (Kind.MARKDOWN, Kind.TEXT) and not looks_like_html
