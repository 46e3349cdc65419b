"""From a document's bytes to a page that is counted, with everything known from before."""

from __future__ import annotations

import asyncio
import hashlib

from pydantic import Field

from assay.context.cache import Cache
from assay.context.conversion import Converted, Document
from assay.context.converter import Converter
from assay.domain.data import Data
from assay.tokens import count_tokens

_VERSION = 1
"""To be raised when conversion or counting gives other results."""


class ReadDocument(Data):
    """A converted document with its count; what the cache keeps."""

    converted: Converted
    tokens: int = Field(ge=0)


class Reader:
    """Converts and counts documents; the same bytes only once, also across processes."""

    def __init__(self, cache: Cache, converter: Converter) -> None:
        self._cache = cache
        self._converter = converter

    async def read(self, document: Document) -> ReadDocument:
        """Convert and count a document.

        Raises:
            Unreadable: it cannot be converted.
        """
        settings = f"{_VERSION}\0{document.kind}\0{document.charset}\0{document.language}\0"
        key = hashlib.sha256(settings.encode() + document.content).hexdigest()
        read = self._cache.get(ReadDocument, key)
        if read is None:
            converted = await self._converter.convert(document)
            tokens = await asyncio.to_thread(count_tokens, converted.text)
            read = ReadDocument(converted=converted, tokens=tokens)
            self._cache.put(key, read)
        return read
