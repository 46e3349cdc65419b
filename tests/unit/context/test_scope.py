from __future__ import annotations

import pytest

from assay.context.scope import Scope, clean, markdown_variants, sitemap_locations

SITE = "https://example.org"


@pytest.mark.parametrize(
    ("url", "inside", "outside"),
    [
        (
            "/docs/",
            ["/docs", "/docs/", "/docs/a", "/docs/a/b.html", "/docs/index.html", "/docs/#x"],
            ["/", "/documents", "/docs.html", "/blog/docs/a"],
        ),
        ("/docs", ["/docs", "/docs/", "/docs/a"], ["/docs2", "/"]),
        ("/docs/index.html", ["/docs/a", "/docs/"], ["/other"]),
        ("/docs/guide.html", ["/docs/guide.html"], ["/docs/other.html", "/docs/"]),
        ("/", ["/", "/a", "/index.html", ""], []),
        ("", ["/", "/a"], []),
    ],
)
def test_what_lies_under_a_page(url: str, inside: list[str], outside: list[str]) -> None:
    scope = Scope(SITE + url)
    assert [path for path in inside if not scope.contains(SITE + path)] == []
    assert [path for path in outside if scope.contains(SITE + path)] == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/docs/a",
        "https://example.org:8443/docs/a",
        "https://www.example.org/docs/a",
        "https://example.org.evil.test/docs/a",
        "https://example.org@evil.test/docs/a",
    ],
)
def test_other_sites_do_not(url: str) -> None:
    assert not Scope(f"{SITE}/docs/").contains(url)


def test_links_are_cleaned_and_filtered() -> None:
    links = [
        "a",
        "a#part",
        "./a",
        "../docs/b",
        "../../../../docs/../etc",
        "HTTPS://EXAMPLE.ORG/docs/c",
        "d?page=2",
        "picture.png",
        "archive.tar.gz",
        "library.py",
        "v1.2",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://[::1",
        "https://example.org:port/docs/x",
        "//elsewhere.test/docs/x",
    ]
    found = Scope(f"{SITE}/docs/").of_links(f"{SITE}/docs/", links)
    expected = ["a", "b", "c", "library.py", "v1.2"]
    assert found == [f"{SITE}/docs/{name}" for name in expected]


def test_one_name_for_a_page() -> None:
    assert clean("HTTPS://Example.org/docs/index.html#top") == "https://example.org/docs/"
    assert clean("https://example.org") == "https://example.org/"


def test_where_markdown_may_lie() -> None:
    assert markdown_variants(f"{SITE}/docs/") == [
        f"{SITE}/docs/index.html.md",
        f"{SITE}/docs/index.md",
        f"{SITE}/docs.md",
    ]
    assert markdown_variants(f"{SITE}/a.html") == [f"{SITE}/a.html.md", f"{SITE}/a.md"]
    assert markdown_variants(f"{SITE}/a?x=1") == [f"{SITE}/a.md"]
    assert markdown_variants(f"{SITE}/a.md") == []
    assert markdown_variants(f"{SITE}/v1.2") == [f"{SITE}/v1.2.md"]
    assert markdown_variants(SITE) == [f"{SITE}/index.html.md", f"{SITE}/index.md"]


def test_sitemaps() -> None:
    text = "<url><loc> https://a.test/?x=1&amp;y </loc><image:loc>no</image:loc></url><loc></loc>"
    assert sitemap_locations(text) == ["https://a.test/?x=1&y"]
    assert sitemap_locations("<loc>" * 100_000) == []
