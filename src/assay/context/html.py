"""From HTML to Markdown: the page's main content, without what surrounds it."""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import urljoin

import trafilatura
from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

from assay.context.markdown import fenced

# Tags are found by functions, not by CSS selectors: the selectors' library does not work with
# the regular expressions of Python 3.11.2, which is Debian 12's own.

_AROUND = (
    *("script", "style", "noscript", "template", "svg", "nav", "header", "footer", "aside"),
    *("form", "button", "iframe"),
)
_AROUND_CLASSES = frozenset({"headerlink", "anchor", "sphinxsidebar"})
_LANGUAGE = re.compile(r"(?:language|lang|highlight(?:-source)?)-([a-z0-9+#]{1,20})\b")
_NOT_A_LANGUAGE = frozenset({"default", "none", "text", "plaintext"})


class _Converter(MarkdownConverter):
    """Fences as long as they have to be, marked with the language that the page's classes name."""

    def convert_pre(self, el: Tag, text: str, parent_tags: object) -> str:
        code = el.get_text()
        return f"\n\n{fenced(code, _language(el))}\n\n" if code.strip() else ""


def html_to_markdown(html: str) -> tuple[str, str, tuple[str, ...]]:
    """Take title, main content as Markdown, and the targets of all links out of a page."""
    soup = BeautifulSoup(html, "lxml")
    links = _links(soup)
    page_title = soup.title.get_text() if soup.title else ""
    main = soup.find("main") or soup.find(True, role="main") or soup.find("article")
    if main is None:
        # No page of a documentation generator: what is content has to be guessed.
        guessed = trafilatura.extract(
            html, output_format="markdown", include_formatting=True, include_tables=True
        )
        if guessed:
            return page_title, guessed, links
    main = main or soup.body or soup
    for tag in main.find_all(_is_around):
        tag.decompose()
    heading = main.find("h1")
    title = heading.get_text() if heading else page_title
    converter = _Converter(
        heading_style="ATX",
        bullets="-",
        # Links and pictures cost tokens and cannot be followed.
        strip=["a", "img"],
        escape_asterisks=False,
        escape_underscores=False,
    )
    return title, re.sub(r"\n{3,}", "\n\n", converter.convert_soup(main)), links


def _links(soup: BeautifulSoup) -> tuple[str, ...]:
    base = soup.find("base", href=True)
    targets = [str(link["href"]).strip() for link in soup.find_all("a", href=True)]
    if base is not None:
        targets = [_joined(str(base["href"]), target) for target in targets]
    return tuple(dict.fromkeys(target for target in targets if len(target) <= 2000))


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:  # one of them is no valid address
        return target


def _is_around(tag: Tag) -> bool:
    return (
        tag.name in _AROUND
        or tag.get("role") == "navigation"
        or tag.get("aria-hidden") == "true"
        or not _AROUND_CLASSES.isdisjoint(_classes(tag))
    )


def _classes(tag: Tag) -> list[str]:
    return [name for name in tag.get_attribute_list("class") if name]


def _language(pre: Tag) -> str:
    """The language of a code block, from the classes of it, its child or what surrounds it."""
    near = [pre, *pre.find_all("code"), *islice(pre.parents, 2)]
    classes = " ".join(name for tag in near for name in _classes(tag))
    match = _LANGUAGE.search(classes)
    return match.group(1) if match and match.group(1) not in _NOT_A_LANGUAGE else ""
