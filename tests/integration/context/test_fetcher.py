from __future__ import annotations

import asyncio
import gzip
import time
from typing import TYPE_CHECKING

import pytest

from assay.context.addresses import PUBLIC_ONLY
from assay.context.fetcher import FRESH_SECONDS, USER_AGENT, Fetched, FetchLimits
from assay.context.skipped import Unreadable
from assay.domain.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.context.conftest import Browser, Request, Response, Web


async def reason(web: Web, browser: Browser, limits: FetchLimits | None = None) -> str:
    """Why /page cannot be had."""
    with pytest.raises(Unreadable) as caught:
        await (await browser.fetcher(limits)).get(f"{web.url}/page")
    return str(caught.value)


async def test_a_page_comes_as_it_is(web: Web, browser: Browser) -> None:
    web.text("/page", "Größe", "Text/HTML; charset=ISO-8859-1").headers["ETag"] = '"1"'
    page = await (await browser.fetcher()).get(f"{web.url}/page")
    assert (page.content, page.media_type, page.charset) == (
        "Größe".encode(),
        "text/html",
        "iso-8859-1",
    )
    assert web.requests[-1].headers["user-agent"] == USER_AGENT


async def test_redirects_are_followed(web: Web, browser: Browser) -> None:
    web.redirect("/page", "next?x=1", 301)
    web.redirect("/next?x=1", f"{web.url}/last", 307)
    web.text("/last", "here")
    page = await (await browser.fetcher()).get(f"{web.url}/page")
    assert (page.url, page.content) == (f"{web.url}/last", b"here")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/page", "redirects more than 10 times"),
        ("file:///etc/passwd", "is no http or https address"),
        ("http://user:password@127.0.0.1/", "has a name or password"),
        ("http://[", "cannot be reached"),
        ("http://127.0.0.2:{port}/page", "leads to 127.0.0.2, which is no public address"),
        ("http://[::ffff:127.0.0.2]:{port}/page", "leads to ::ffff:127.0.0.2"),
        ("http://2130706434:{port}/page", "leads to 127.0.0.2"),
        ("http://0x7f.2:{port}/page", "leads to 127.0.0.2"),
        ("http://169.254.169.254/latest/meta-data", "leads to 169.254.169.254"),
        ("http://[::1]:{port}/page", "leads to ::1"),
        ("http://0.0.0.0:{port}/page", "leads to 0.0.0.0"),
    ],
)
async def test_redirects_that_lead_nowhere_good(
    web: Web, browser: Browser, target: str, expected: str
) -> None:
    web.redirect("/page", target.format(port=web.port))
    assert expected in await reason(web, browser)


async def test_a_redirect_loop_over_many_pages_ends(web: Web, browser: Browser) -> None:
    web.redirect("/page", "/other")
    web.redirect("/other", "/page")
    assert await reason(web, browser) == "redirects more than 10 times"
    assert len(web.requests) == 1 + 11


def megabytes(count: int, sent: list[int]) -> Iterator[bytes]:
    for number in range(count):
        sent.append(number)
        yield bytes(MIB)


@pytest.mark.parametrize("headers", [{}, {"Content-Length": str(20 * MIB)}])
async def test_a_large_page_is_given_up_before_it_is_read(
    web: Web, browser: Browser, headers: dict[str, str]
) -> None:
    sent: list[int] = []
    page = web.text("/page", "")
    page.body, page.headers = megabytes(200, sent), headers
    assert await reason(web, browser) == "is larger than 10 MiB"
    assert len(sent) < 40


async def test_a_small_page_that_swells_is_given_up(web: Web, browser: Browser) -> None:
    page = web.text("/page", "")
    page.body = gzip.compress(bytes(200 * MIB), 9)
    page.headers["Content-Encoding"] = "gzip"
    assert len(page.body) < MIB
    assert await reason(web, browser) == "is larger than 10 MiB"


async def test_compressed_pages_are_read(web: Web, browser: Browser) -> None:
    page = web.text("/page", "")
    page.body = gzip.compress(b"text" * 1000)
    page.headers["Content-Encoding"] = "GZIP"
    fetched = await (await browser.fetcher()).get(f"{web.url}/page")
    assert fetched.content == b"text" * 1000


@pytest.mark.parametrize(
    ("body", "encoding", "expected"),
    [
        (gzip.compress(b"text" * 1000)[:-9], "gzip", "ended before it was whole"),
        (b"no gzip at all", "gzip", "is compressed in a way that cannot be undone"),
        (b"text", "br", "comes in an encoding that was not asked for (br)"),
    ],
)
async def test_badly_compressed_pages_are_named(
    web: Web, browser: Browser, body: bytes, encoding: str, expected: str
) -> None:
    page = web.text("/page", "")
    page.body, page.headers = body, {"Content-Encoding": encoding}
    assert await reason(web, browser) == expected


async def test_a_body_that_is_cut_is_no_page(web: Web, browser: Browser) -> None:
    web.text("/page", "half of").length = 100
    assert (await reason(web, browser)).startswith("ended before it was whole")


async def test_slow_bytes_are_given_up(web: Web, browser: Browser) -> None:
    page = web.text("/page", "a")
    page.length, page.hangs = 100, True
    started = time.monotonic()
    assert await reason(web, browser, FetchLimits(page_seconds=1)) == "took longer than 1 s"
    assert time.monotonic() - started < 10


async def test_waiting_for_a_connection_costs_a_page_no_time(web: Web, browser: Browser) -> None:
    page = web.text("/page", "a")
    page.length, page.hangs = 100, True
    web.text("/other", "b")
    fetcher = await browser.fetcher(FetchLimits(page_seconds=3, connections=1))
    answers = await asyncio.gather(
        fetcher.get(f"{web.url}/page"),
        fetcher.get(f"{web.url}/other"),
        return_exceptions=True,
    )
    assert isinstance(answers[0], Unreadable)
    assert isinstance(answers[1], Fetched)


async def test_all_pages_together_have_a_limit(web: Web, browser: Browser) -> None:
    for name in ("a", "b", "c"):
        web.text(f"/{name}", "x" * MIB)
    fetcher = await browser.fetcher(FetchLimits(total_bytes=2 * MIB))
    await fetcher.get(f"{web.url}/a")
    await fetcher.get(f"{web.url}/b")
    with pytest.raises(Unreadable, match="comes after 2 MiB"):
        await fetcher.get(f"{web.url}/c")


async def test_cookies_are_not_taken(web: Web, browser: Browser) -> None:
    web.text("/page", "a").headers["Set-Cookie"] = "id=1; Path=/"
    web.text("/other", "b")
    fetcher = await browser.fetcher()
    await fetcher.get(f"{web.url}/page")
    await fetcher.get(f"{web.url}/other")
    assert "cookie" not in web.requests[-1].headers


async def test_no_http_at_all(web: Web, browser: Browser) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    web.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    assert (await reason(web, browser)).startswith("ended before it was whole, or is not HTTP")
    server.close()
    await server.wait_closed()
    assert (await reason(web, browser)).startswith("cannot be reached")


async def test_a_second_read_within_a_day_needs_no_network(web: Web, browser: Browser) -> None:
    web.page("/docs/", "Start", "a", "gone")
    web.page("/docs/a", "A")
    first = await browser.read(f"{web.url}/docs/")
    web.requests.clear()
    web.pages.clear()
    assert await browser.read(f"{web.url}/docs/") == first
    assert web.requests == []


async def test_after_a_day_only_what_changed_is_sent(web: Web, browser: Browser) -> None:
    text = "old"

    def page(request: Request) -> Response:
        answer = web.text("/answer", text)
        answer.headers = {"ETag": f'"{text}"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
        if request.headers.get("if-none-match") == f'"{text}"':
            answer.status, answer.body = 304, b""
        return answer

    web.pages["/page"] = page
    url = f"{web.url}/page"

    async def read_a_day_later() -> bytes:
        key = f"{browser.policy}\0{url}"
        known = browser.cache.get(Fetched, key)
        if known is not None:
            age = {"fetched_at": time.time() - FRESH_SECONDS - 1}
            browser.cache.put(key, known.model_copy(update=age))
        return (await (await browser.fetcher()).get(url)).content

    assert await read_a_day_later() == b"old"
    assert await read_a_day_later() == b"old"
    assert web.requests[-1].headers["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"
    text = "new"
    assert await read_a_day_later() == b"new"
    assert web.paths.count("/page") == 3


async def test_a_page_from_the_future_is_asked_for_again(web: Web, browser: Browser) -> None:
    web.text("/page", "old")
    url = f"{web.url}/page"
    page = await (await browser.fetcher()).get(url)
    web.text("/page", "new")
    browser.cache.put(
        f"{browser.policy}\0{url}", page.model_copy(update={"fetched_at": time.time() + 1e9})
    )
    assert (await (await browser.fetcher()).get(url)).content == b"new"


async def test_what_a_wider_policy_let_in_is_not_shown_under_a_narrower_one(
    web: Web, browser: Browser
) -> None:
    web.text("/page", "private")
    fetcher = await browser.fetcher()
    await fetcher.get(f"{web.url}/page")
    fetcher = await browser.fetcher(policy=PUBLIC_ONLY)
    with pytest.raises(Unreadable, match="no public address"):
        await fetcher.get(f"{web.url}/page")
