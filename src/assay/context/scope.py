"""Which pages lie under a page, and by what other names they are known."""

from __future__ import annotations

import html
import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin, urlsplit, urlunsplit

from assay.context.kinds import Kind, kind_of_name, kind_of_response

_INDEX = re.compile(r"/index\.html?$")
# The one element of a sitemap that counts. No XML parser: the file is a stranger's.
_LOCATION = re.compile(r"<loc>([^<]{1,4000})</loc>")


@dataclass(frozen=True)
class Scope:
    """A page, and the pages of its site whose path begins with its path."""

    url: str

    @property
    def is_single(self) -> bool:
        """Whether nothing can lie under the page, as with `guide.html`."""
        return bool(re.search(r"\.x?html?$", urlsplit(clean(self.url)).path))

    def contains(self, url: str) -> bool:
        """Whether a page is this page or lies under it."""
        here, there = urlsplit(clean(self.url)), urlsplit(clean(url))
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            return False
        folder = here.path.rstrip("/")
        return there.path == folder or there.path.startswith(f"{folder}/")

    def at_root(self, name: str) -> str:
        """The address of a file in the site's root."""
        return urljoin(self.url, f"/{name}")

    def at_prefix(self, name: str) -> str:
        """The address of a file in the folder that the page stands for."""
        return urljoin(clean(self.url).rstrip("/") + "/", name)

    def of_links(self, base: str, links: Iterable[str]) -> list[str]:
        """Those of a page's links that lie under the scope and may be text, each once, in order.

        Addresses with a query are left out: calendars and sort orders have no end.
        """
        found: dict[str, None] = {}
        for link in links:
            try:
                url = clean(urljoin(base, link))
                parts = urlsplit(url)
                wanted = not parts.query and self.contains(url) and _may_be_text(parts.path)
            except ValueError:  # no valid address
                continue
            if wanted:
                found[url] = None
        return list(found)


def clean(url: str) -> str:
    """`url` without fragment and `index.html`, host in lower case: one name for a page."""
    parts = urlsplit(urldefrag(url).url)
    path = _INDEX.sub("/", parts.path) or "/"
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, parts.query, ""))


def is_file(url: str) -> bool:
    """Whether an address names a document or source file, not a page: `notes.md`, `paper.pdf`."""
    return kind_of_name(urlsplit(url).path) not in (None, Kind.HTML)


def markdown_variants(url: str) -> list[str]:
    """Where a site may keep a page as Markdown: `page.md`, `page.html.md`, `page/index.md`.

    None for what is a file of another kind already.
    """
    parts = urlsplit(url)
    path = parts.path or "/"
    if is_file(url):
        return []
    if path.endswith("/"):
        paths = [f"{path}index.html.md", f"{path}index.md"]
        if path != "/":
            paths.append(f"{path.rstrip('/')}.md")
    elif path.endswith((".html", ".htm")):
        paths = [f"{path}.md", f"{path.rpartition('.')[0]}.md"]
    else:
        paths = [f"{path}.md"]
    return [urlunsplit((parts.scheme, parts.netloc, path, "", "")) for path in paths]


def sitemap_locations(text: str) -> list[str]:
    """The addresses that a sitemap lists."""
    return [html.unescape(location).strip() for location in _LOCATION.findall(text)]


def _may_be_text(path: str) -> bool:
    """Whether a path's suffix is not that of a picture, an archive or a program."""
    name = path.rpartition("/")[2]
    guessed, compression = mimetypes.guess_type(name)
    return compression is None and (guessed is None or kind_of_response(guessed, name) is not None)
