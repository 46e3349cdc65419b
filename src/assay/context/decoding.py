"""From bytes to text, whatever encoding was declared."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes
from charset_normalizer.constant import IANA_SUPPORTED

from assay.context.skipped import Unreadable

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DETECTION_BYTES = 256 * 1024
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset=[\"']?([\w-]{1,40})", re.IGNORECASE)


def decode(content: bytes, declared: str | None = None) -> str:
    r"""Turn bytes into text with `\n` as line break.

    A byte order mark decides; then UTF-8 where the bytes are valid UTF-8, which hardly happens by
    chance; then what was declared; then what the bytes look like.

    Args:
        content: A whole document.
        declared: The name of an encoding, which may be wrong or unknown.

    Raises:
        Unreadable: it is not text.
    """
    return re.sub(r"\r\n?", "\n", _decode(content, declared))


def declared_in_html(content: bytes) -> str | None:
    """The encoding that a page names in a `<meta>` near its beginning."""
    match = _META_CHARSET.search(content[:2048])
    return match.group(1).decode("ascii", "replace") if match else None


def _decode(content: bytes, declared: str | None) -> str:
    candidates = [name for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)][:1]
    if not candidates and b"\0" not in content:
        candidates.append("utf-8")
    if declared and (name := _known(declared)):
        candidates.append(name)
    for name in candidates:
        try:
            text = content.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    if b"\0" not in content and (best := from_bytes(content[:_DETECTION_BYTES]).best()):
        return content.decode(best.encoding, "replace")
    raise Unreadable("is not text")


def _known(name: str) -> str | None:
    """Python's name of an encoding for documents (it has others too, `punycode` say)."""
    try:
        known = codecs.lookup(name).name.replace("-", "_")
    except (LookupError, ValueError):
        return None
    # What calls itself ISO 8859-1 on the web is Windows-1252, as browsers have it.
    if known in ("iso8859_1", "ascii"):
        return "cp1252"
    return known if known in IANA_SUPPORTED else None
