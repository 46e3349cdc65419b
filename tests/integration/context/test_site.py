from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.context.documentation import read_documentation
from assay.context.site import SiteLimits
from assay.errors import DocumentationError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.context.conftest import Browser, Web


async def test_the_pages_under_a_page_are_found_by_links(web: Web, browser: Browser) -> None:
    web.page("/docs/", "Start", "b", "/docs/a#part", "/other", "https://elsewhere.invalid/docs/x")
    web.page("/docs/a", "A", "/docs/", "b", "sub/c", "/docs/?sort=1", "mailto:x@y", "http://[bad")
    web.page("/docs/b", "B", "a", "logo.png", "program.zip")
    web.page("/docs/sub/c", "C", "../a", "../../other")
    web.page("/other", "Other")
    pages, skipped = await browser.read(f"{web.url}/docs/")
    assert [(p.title, p.source) for p in pages] == [
        ("Start", f"{web.url}/docs/"),
        ("B", f"{web.url}/docs/b"),
        ("A", f"{web.url}/docs/a"),
        ("C", f"{web.url}/docs/sub/c"),
    ]
    assert pages[0].text.startswith("# Start\n\nAbout Start.")
    assert skipped == []
    assert "/other" not in web.paths
    assert len(web.paths) == len(set(web.paths))


async def test_llms_txt_says_which_pages_there_are(web: Web, browser: Browser) -> None:
    web.page("/docs/", "Start", "unlisted")
    web.page("/docs/unlisted", "Unlisted")
    text = "# Site\n- [One](/docs/one.md): first\n- [Two](two.md)\n- [Away](/away.md)"
    web.text("/docs/llms.txt", text, "text/plain")
    web.text("/docs/one.md", "# One", "text/markdown")
    web.text("/docs/two.md", "# Two", "text/plain")
    pages, skipped = await browser.read(f"{web.url}/docs/")
    assert ([p.text.split("\n")[0] for p in pages], skipped) == (["# Start", "# One", "# Two"], [])
    direct, _ = await browser.read(f"{web.url}/docs/llms.txt")
    assert [p.title for p in direct] == ["One", "Two"]


async def test_the_sitemap_says_which_pages_there_are(web: Web, browser: Browser) -> None:
    web.page("/", "Start")
    index = f"<sitemapindex><sitemap><loc>{web.url}/map-1.xml</loc></sitemap></sitemapindex>"
    web.text("/robots.txt", f"Sitemap: {web.url}/map.xml")
    web.text("/map.xml", index, "application/xml")
    locations = "".join(
        f"<url><loc> {web.url}{path} </loc></url>" for path in ("/a", "/b?x=1&amp;y=2", "/c")
    )
    web.text("/map-1.xml", f"<urlset>{locations}<loc>{index}</urlset>", "application/xml")
    web.page("/a", "A")
    web.page("/c", "C")
    pages, _ = await browser.read(web.url)
    assert [p.title for p in pages] == ["Start", "A", "C"]


async def test_markdown_is_read_instead_of_html(web: Web, browser: Browser) -> None:
    web.page("/docs", "Start", "/docs/a", "/docs/b")
    web.text("/docs.md", "# Start as Markdown", "text/markdown")
    web.page("/docs/a", "A")
    web.text("/docs/a.md", "# A as Markdown", "text/markdown")
    web.page("/docs/b", "B")
    web.page("/docs/b.md", "Sorry, nothing here")
    pages, _ = await browser.read(f"{web.url}/docs")
    assert [p.title for p in pages] == ["Start as Markdown", "A as Markdown", "B"]
    assert [p.source for p in pages] == [f"{web.url}/docs{name}" for name in ("", "/a", "/b")]
    assert "/docs/a" not in web.paths


async def test_a_site_may_send_markdown_under_the_same_address(web: Web, browser: Browser) -> None:
    web.text("/docs/", "# Start\n\n[a](a)", "text/markdown")
    web.text("/docs/llms.txt", "[listed](listed)")
    web.text("/docs/listed", "# Listed", "text/markdown")
    pages, _ = await browser.read(f"{web.url}/docs/")
    assert [p.title for p in pages] == ["Start", "Listed"]
    assert "text/markdown" in web.requests[0].headers["accept"]


@pytest.mark.parametrize("media_type", ["text/html", "text/plain"])
async def test_html_instead_of_markdown_is_not_taken(
    web: Web, browser: Browser, media_type: str
) -> None:
    web.page("/docs/", "Start")
    for path in ("/docs/index.html.md", "/docs.md", "/docs/llms.txt", "/llms.txt"):
        web.text(path, "\n<!doctype html><a href='/docs/x'>[x](/docs/x)", media_type)
    pages, skipped = await browser.read(f"{web.url}/docs/")
    assert ([p.title for p in pages], skipped) == (["Start"], [])


async def test_robots_are_honoured(web: Web, browser: Browser) -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: assay\nDisallow: /docs/private\n"
    web.text("/robots.txt", rules)
    web.page("/docs/", "Start", "private/a", "open")
    web.page("/docs/private/a", "Private")
    web.page("/docs/open", "Open")
    pages, skipped = await browser.read(f"{web.url}/docs/")
    assert [p.title for p in pages] == ["Start", "Open"]
    assert [s.source for s in skipped] == [f"{web.url}/docs/private/a"]
    assert "robots.txt" in skipped[0].reason
    assert "/docs/private/a" not in web.paths


async def test_a_site_whose_robots_txt_is_broken_is_left_alone(web: Web, browser: Browser) -> None:
    web.page("/", "Start")
    robots = web.text("/robots.txt", "")
    robots.status = 503
    pages, skipped = await browser.read(web.url)
    assert pages == []
    assert skipped[0].reason.endswith("robots.txt answers 503 Service Unavailable")
    robots.status = 403
    assert len((await browser.read(web.url))[0]) == 1


async def test_endless_sites_end(web: Web, browser: Browser) -> None:
    class Endless(dict[str, object]):
        def get(self, path: str, default: object = None) -> object:
            if not path.startswith("/docs/") or path.endswith((".md", ".txt")):
                return default
            web.page(path, f"Page {path}", f"{path}x", f"{path}y")
            return self[path]

    web.pages = Endless()  # type: ignore[assignment]
    pages, skipped = await browser.read(f"{web.url}/docs/", SiteLimits(pages=10))
    assert len(pages) == 10
    assert [s.reason for s in skipped] == ["leads to more pages; only the first 10 are read"]
    pages, skipped = await browser.read(f"{web.url}/docs/", SiteLimits(depth=2))
    assert len(pages) == 1 + 2 + 4
    assert [s.reason for s in skipped] == ["leads to more pages; only 2 links are followed"]


async def test_what_fails_is_named_and_the_rest_is_read(web: Web, browser: Browser) -> None:
    web.page("/docs/", "Start", "gone", "broken", "image", "away", "empty", "good")
    web.page("/docs/broken", "").status = 500
    web.text("/docs/image", "x", "image/png")
    web.redirect("/docs/away", "/elsewhere")
    web.page("/elsewhere", "Elsewhere")
    web.text("/docs/empty", "<html></html>", "text/html")
    web.page("/docs/good", "Good")
    pages, skipped = await browser.read(f"{web.url}/docs/")
    assert [p.title for p in pages] == ["Start", "Good"]
    assert {s.source.removeprefix(f"{web.url}/docs/"): s.reason for s in skipped} == {
        "gone": "answers 404 Not Found",
        "broken": "answers 500 Internal Server Error",
        "image": "is not text (image/png)",
        "away": f"redirects to {web.url}/elsewhere, which is not under the page",
        "empty": "has no text",
    }


async def test_one_page_under_many_addresses_comes_once(web: Web, browser: Browser) -> None:
    web.page("/docs/", "Start", "index.html", "a", "a#x", "b", "./a")
    web.page("/docs/index.html", "Start", "index.html")
    web.page("/docs/a", "Same")
    web.page("/docs/b", "Same")
    pages, _ = await browser.read(f"{web.url}/docs/")
    assert [p.title for p in pages] == ["Start", "Same"]
    assert "/docs/index.html" not in web.paths


async def test_a_page_with_nothing_under_it(web: Web, browser: Browser) -> None:
    web.page("/docs/guide.html", "Guide", "other.html")
    web.page("/docs/other.html", "Other")
    pages, _ = await browser.read(f"{web.url}/docs/guide.html#part")
    assert [p.title for p in pages] == ["Guide"]
    assert "/docs/other.html" not in web.paths


async def test_the_time_of_a_site_is_limited(web: Web, browser: Browser) -> None:
    web.page("/docs/", "Start", "good", "hangs")
    web.page("/docs/good", "Good")
    hanging = web.page("/docs/hangs", "")
    hanging.hangs, hanging.length = True, 1000
    # The converter has started by then.
    await browser.read(f"{web.url}/docs/good")
    pages, skipped = await browser.read(f"{web.url}/docs/", SiteLimits(seconds=6))
    assert [p.title for p in pages] == ["Start", "Good"]
    assert [s.reason for s in skipped] == ["took longer than 6 s; what came until then is used"]


async def test_urls_are_sources_like_others(web: Web, tmp_path: Path) -> None:
    web.page("/docs/", "Start", "a")
    web.page("/docs/a", "A")
    reports: list[tuple[str, int]] = []
    source = f"{web.url}/docs/"
    documentation = await read_documentation(
        [source],
        cache_folder=tmp_path,
        allow_private=True,
        on_page=lambda source, pages: reports.append((source, pages)),
    )
    assert [p.title for p in documentation.pages] == ["Start", "A"]
    assert reports == [(source, 1), (source, 2)]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("{url}/gone", "answers 404 Not Found"),
        ("ftp://example.org/docs", "is no http or https address"),
        ("http://user:secret@example.org/", "has a name or password in its address"),
        ("http://", "is no http or https address"),
        ("http://[::1/", "is not a valid URL"),
        ("http://nowhere.invalid/", "cannot be reached"),
    ],
)
async def test_a_url_that_gives_nothing_says_so(
    web: Web, tmp_path: Path, source: str, sentence: str
) -> None:
    with pytest.raises(DocumentationError, match=sentence):
        await read_documentation(
            [source.format(url=web.url)], cache_folder=tmp_path, allow_private=True
        )


@pytest.mark.parametrize(
    ("encoding", "media_type"),
    [
        ("utf-8", "text/html; charset=iso-8859-1"),
        ("cp1252", "text/html; charset=utf-8"),
        ("cp1252", "text/html; charset=x-unknown"),
        ("utf-16", "text/html"),
        ("koi8-r", "text/html; charset=koi8-r"),
    ],
)
async def test_wrong_encodings_do_no_harm(
    web: Web, browser: Browser, encoding: str, media_type: str
) -> None:
    words = "Проверка золота и серебра" if encoding == "koi8-r" else "Größe, Übung, Maß, Münze"
    html = f"<title>x</title><main><h1>{words}</h1><p>{words * 20}</main>"
    web.text("/", "", media_type).body = html.encode(encoding)
    pages, _ = await browser.read(web.url)
    assert [p.title for p in pages] == [words]
