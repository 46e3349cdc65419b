"""A web server that can do everything wrong that a server can do wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path

import pytest

from assay.context.addresses import AddressPolicy
from assay.context.cache import Cache
from assay.context.converter import Converter
from assay.context.fetcher import Fetcher, FetchLimits
from assay.context.reader import Reader
from assay.context.site import Site, SiteLimits
from assay.context.skipped import Skipped
from assay.domain.task import DocumentPage


@dataclass
class Request:
    path: str
    headers: dict[str, str]


@dataclass
class Response:
    body: bytes | Iterable[bytes] = b""
    """In pieces: sent one by one, as slowly as the client reads."""
    type: str = "text/html"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    """Of Content-Length, where it is not that of the body."""
    hangs: bool = False
    """Whether the connection stays open, with nothing more sent, until the client goes."""


Handler = Callable[[Request], Response]


class Web:
    """Serves `pages` (by path) and remembers what was asked for. Unknown paths are 404."""

    def __init__(self) -> None:
        self.pages: dict[str, Response | Handler] = {}
        self.requests: list[Request] = []
        self.url = ""
        self.port = 0

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def page(self, path: str, text: str, *links: str) -> Response:
        anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
        html = f"<html><title>Site</title><main><h1>{text}</h1><p>About {text}.</p>{anchors}</main>"
        return self.text(path, html, "text/html; charset=utf-8")

    def text(self, path: str, text: str, media_type: str = "text/plain") -> Response:
        response = Response(text.encode(), media_type)
        self.pages[path] = response
        return response

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        self.pages[path] = Response(status=status, headers={"Location": target})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            names = (line.partition(": ") for line in lines)
            request = Request(first.split()[1], {n.lower(): value for n, _, value in names})
            self.requests.append(request)
            page = self.pages.get(request.path, Response(b"<h1>Not found</h1>", status=404))
            response = page if isinstance(page, Response) else page(request)
            await self._answer(response, writer)
            if response.hangs:
                await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def _answer(self, response: Response, writer: asyncio.StreamWriter) -> None:
        headers = {"Content-Type": response.type, "Connection": "close", **response.headers}
        body = response.body
        if isinstance(body, bytes):
            length = len(body) if response.length is None else response.length
            headers["Content-Length"] = str(length)
        lines = [f"HTTP/1.1 {response.status} Status", *(f"{n}: {v}" for n, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        for piece in [body] if isinstance(body, bytes) else body:
            writer.write(piece)
            await writer.drain()


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    web = Web()
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0)
    web.port = server.sockets[0].getsockname()[1]
    web.url = f"http://127.0.0.1:{web.port}"
    yield web
    server.close()


LOOPBACK_ONE = AddressPolicy(also=(ip_network("127.0.0.1"),))


class Browser:
    """Reads sites with one cache; 127.0.0.1 is allowed, 127.0.0.2 is not."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.cache = Cache(folder)
        self.policy = LOOPBACK_ONE
        self._converter: Converter | None = None
        self._stack = stack

    async def fetcher(
        self, limits: FetchLimits | None = None, policy: AddressPolicy = LOOPBACK_ONE
    ) -> Fetcher:
        return await self._stack.enter_async_context(Fetcher(self.cache, policy, limits))

    async def read(
        self, url: str, limits: SiteLimits | None = None
    ) -> tuple[list[DocumentPage], list[Skipped]]:
        found: list[DocumentPage | Skipped] = []
        if self._converter is None:
            self._converter = await self._stack.enter_async_context(Converter())
        reader = Reader(self.cache, self._converter)
        await Site(url, await self.fetcher(), reader, limits).read(found.append)
        return (
            [item for item in found if isinstance(item, DocumentPage)],
            [item for item in found if isinstance(item, Skipped)],
        )


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Browser]:
    async with AsyncExitStack() as stack:
        yield Browser(tmp_path / "cache", stack)


def _pdf(words: str) -> bytes:
    """A PDF of one page, as small as they come."""
    stream = f"BT /F1 12 Tf 72 720 Td ({words}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    pdf = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(pdf)
    pdf += b"xref\n0 6\n0000000000 65535 f \n" + table
    return pdf + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start


@pytest.fixture
def make_pdf() -> Callable[[str], bytes]:
    return _pdf
