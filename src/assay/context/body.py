"""Bodies of HTTP responses, read no further than their limit, also when they are compressed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from assay.context.skipped import Unreadable

ACCEPTED = "gzip, deflate"
"""What a request may ask for: what zlib undoes piece by piece."""
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


async def read_body(chunks: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """Put a body together.

    Args:
        chunks: The bytes as they come from the network.
        encoding: The Content-Encoding, in lower case; empty for none.
        limit: The most bytes that it may have once decompressed: a small body that swells to
            gigabytes is given up as soon as it passes this.

    Raises:
        Unreadable: it is too large, damaged or cut, or its encoding is not known.
    """
    if encoding in ("", "identity"):
        body = bytearray()
        async for chunk in chunks:
            body += chunk
            _require_within(body, limit)
        return bytes(body)
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise Unreadable(f"comes in an encoding that was not asked for ({encoding[:40]})")
    return await _decompressed(chunks, limit)


def decompress(content: bytes, limit: int) -> bytes:
    """Decompress a gzip or zlib file of at most `limit` bytes.

    Raises:
        Unreadable: it is too large, damaged or cut.
    """
    decompressor = zlib.decompressobj(_GZIP_OR_ZLIB)
    body = bytearray()
    _feed(decompressor, content, body, limit)
    if not decompressor.eof:
        raise Unreadable("ended before it was whole")
    return bytes(body)


async def _decompressed(chunks: AsyncIterator[bytes], limit: int) -> bytes:
    decompressor = zlib.decompressobj(_GZIP_OR_ZLIB)
    body = bytearray()
    async for chunk in chunks:
        _feed(decompressor, chunk, body, limit)
    if not decompressor.eof:
        raise Unreadable("ended before it was whole")
    return bytes(body)


def _feed(decompressor: zlib._Decompress, chunk: bytes, body: bytearray, limit: int) -> None:
    try:
        body += decompressor.decompress(chunk, limit + 1 - len(body))
    except zlib.error:
        raise Unreadable("is compressed in a way that cannot be undone") from None
    _require_within(body, limit)


def _require_within(body: bytearray, limit: int) -> None:
    if len(body) > limit:
        raise Unreadable(f"is larger than {limit / 1024 / 1024:g} MiB")
