"""Fetching single pages from the web: politely, within limits, kept on disk for a day."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import version
from types import TracebackType
from typing import Self

import httpx
from protego import Protego

from assay.context.addresses import AddressPolicy
from assay.context.body import ACCEPTED, read_body
from assay.context.cache import Cache
from assay.context.skipped import Unreadable
from assay.context.transport import CheckedTransport
from assay.domain.data import Data
from assay.domain.limits import MIB

USER_AGENT = f"assay/{version('assay')} (reads documentation for its user)"
FRESH_SECONDS = 24 * 3600
"""A page that was fetched within this time is not asked for again."""
REDIRECTS = 10
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


@dataclass(frozen=True)
class FetchLimits:
    """What fetching may use."""

    page_bytes: int = 10 * MIB
    """Of one page, decompressed."""
    page_seconds: float = 30
    """From the first request of a page, redirects included, to its last byte."""
    total_bytes: int = 100 * MIB
    """Of all pages together; no page is begun after that."""
    connections: int = 4
    """Pages that are fetched at the same time."""


class Fetched(Data):
    """A page as it came, or the knowledge that there is none; what the cache keeps."""

    url: str
    """Where redirects ended."""
    status: int
    media_type: str
    """In lower case, without parameters."""
    charset: str | None
    content: bytes
    etag: str | None
    last_modified: str | None
    fetched_at: float
    """Seconds since the epoch."""


class _Answered(Unreadable):
    """A server's answer that is no page."""

    def __init__(self, status: int) -> None:
        known = status in {code.value for code in HTTPStatus}
        super().__init__(f"answers {status} {HTTPStatus(status).phrase if known else ''}".rstrip())
        self.status = status


def _is_fresh(page: Fetched) -> bool:
    """Whether it need not be asked for again; from the future it comes where a clock was wrong."""
    return 0 <= time.time() - page.fetched_at <= FRESH_SECONDS


class Fetcher:
    """Fetches pages. Use it as an async context manager; it may be used from several tasks."""

    def __init__(
        self, cache: Cache, policy: AddressPolicy, limits: FetchLimits | None = None
    ) -> None:
        self._cache = cache
        self._policy = policy
        self._limits = limits or FetchLimits()
        self._slots = asyncio.Semaphore(self._limits.connections)
        self._total = 0
        self._robots: dict[str, asyncio.Task[Protego]] = {}
        self._client = httpx.AsyncClient(
            transport=CheckedTransport(policy),
            timeout=10,
            headers={
                "User-Agent": USER_AGENT,
                "Accept": "text/markdown, text/html;q=0.9, */*;q=0.5",
                "Accept-Encoding": ACCEPTED,
            },
            # No cookie is ever taken.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._robots.values():
            task.cancel()
        await asyncio.gather(*self._robots.values(), return_exceptions=True)
        await self._client.aclose()

    async def get(self, url: str) -> Fetched:
        """Fetch a page, from disk where it is fresh.

        Raises:
            Unreadable: it cannot be had, with the reason.
        """
        return await self._get(url, is_robots=False)

    async def sitemaps(self, url: str) -> list[str]:
        """The sitemaps that the robots.txt of a page's site names."""
        return list((await self._robots_of(httpx.URL(url))).sitemaps)

    async def _get(self, url: str, *, is_robots: bool) -> Fetched:
        key = f"{self._policy}\0{url}"
        known = self._cache.get(Fetched, key)
        if known is None or not _is_fresh(known):
            # A robots.txt is waited for by pages that hold a slot: it needs none.
            slot = contextlib.nullcontext() if is_robots else self._slots
            try:
                async with slot, asyncio.timeout(self._limits.page_seconds):
                    known = await self._follow(url, known, is_robots=is_robots)
            except TimeoutError:
                seconds = self._limits.page_seconds
                raise Unreadable(f"took longer than {seconds:g} s") from None
            self._cache.put(key, known)
        if known.status in _GONE:
            raise _Answered(known.status)
        return known

    async def _follow(self, url: str, known: Fetched | None, *, is_robots: bool) -> Fetched:
        for _ in range(REDIRECTS + 1):
            target = _require_fetchable(url)
            if not is_robots and not (await self._robots_of(target)).can_fetch(url, "assay"):
                raise Unreadable("may not be read by programs (the site's robots.txt says so)")
            answer = await self._request(url, known)
            if isinstance(answer, Fetched):
                return answer
            url = answer
        raise Unreadable(f"redirects more than {REDIRECTS} times")

    async def _request(self, url: str, known: Fetched | None) -> Fetched | str:
        """One request: a page, or where it redirects to."""
        headers = {}
        if known is not None and known.url == url and known.status == HTTPStatus.OK:
            headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
        sent = {name: value for name, value in headers.items() if value}
        try:
            async with self._client.stream("GET", url, headers=sent) as response:
                if response.has_redirect_location:
                    return str(httpx.URL(url).join(response.headers["Location"]))
                if known is not None and response.status_code == HTTPStatus.NOT_MODIFIED:
                    return known.model_copy(update={"fetched_at": time.time()})
                return await self._read(url, response)
        except httpx.TimeoutException:
            raise Unreadable("does not answer") from None
        except httpx.RemoteProtocolError:
            raise Unreadable("ended before it was whole, or is not HTTP") from None
        except (httpx.TransportError, httpx.InvalidURL, UnicodeError) as error:
            raise Unreadable(f"cannot be reached ({str(error) or type(error).__name__})") from None

    async def _read(self, url: str, response: httpx.Response) -> Fetched:
        status = response.status_code
        content = b""
        if status == HTTPStatus.OK:
            if self._total >= self._limits.total_bytes:
                total = self._limits.total_bytes / MIB
                raise Unreadable(f"comes after {total:g} MiB, which is the most that is read")
            encoding = response.headers.get("Content-Encoding", "").strip().lower()
            content = await read_body(response.aiter_raw(), encoding, self._limits.page_bytes)
            self._total += len(content)
        elif status not in _GONE:
            raise _Answered(status)
        media_type, _, _ = response.headers.get("Content-Type", "").partition(";")
        return Fetched(
            url=url,
            status=status,
            media_type=media_type.strip().lower(),
            charset=response.charset_encoding,
            content=content,
            etag=response.headers.get("ETag"),
            last_modified=response.headers.get("Last-Modified"),
            fetched_at=time.time(),
        )

    async def _robots_of(self, url: httpx.URL) -> Protego:
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        if origin not in self._robots:
            self._robots[origin] = asyncio.create_task(self._read_robots(origin))
        # Shielded: one page that runs out of time must not take the others' robots.txt away.
        return await asyncio.shield(self._robots[origin])

    async def _read_robots(self, origin: str) -> Protego:
        try:
            robots = await self._get(f"{origin}/robots.txt", is_robots=True)
        except _Answered as error:
            if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                return Protego.parse("")
            reason = f"may not be read as long as the site's robots.txt {error}"
            raise Unreadable(reason) from None
        return Protego.parse(robots.content[: 512 * 1024].decode("utf-8", "replace"))


def _require_fetchable(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        raise Unreadable("is not a valid URL") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise Unreadable("is no http or https address")
    if parsed.userinfo:
        raise Unreadable("has a name or password in its address, which is not sent on")
    return parsed
