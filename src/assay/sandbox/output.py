"""What a program prints: everything is read, head and tail are kept."""

from __future__ import annotations

from assay.sandbox.protocol import Output


class Collector:
    """Keeps the first and the last part of a stream in bounded memory."""

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` bytes: half of them from the head, half from the tail."""
        self._head_limit = limit // 2
        self._tail_limit = limit - self._head_limit
        self._head = bytearray()
        self._tail = bytearray()
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        self.size += len(chunk)
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        # Trimmed only when it has doubled, so that each byte is moved once on average.
        if len(self._tail) > 2 * self._tail_limit:
            del self._tail[: -self._tail_limit]

    def output(self) -> Output:
        """What has been collected, as text with a mark where something was left out."""
        left_out = self.size - len(self._head) - min(len(self._tail), self._tail_limit)
        if not left_out:
            return Output(_decode(self._head + self._tail), self.size, cut=False)
        head = _decode(_without_cut_end(bytes(self._head)))
        tail = _decode(_without_cut_start(bytes(self._tail[-self._tail_limit :])))
        mark = f"\n[... {left_out:,} bytes left out ...]\n"
        return Output(head + mark + tail, self.size, cut=True)


class Channel:
    """Keeps the first bytes of a stream, for results that are worth nothing when cut."""

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` bytes."""
        self._limit = limit
        self._data = bytearray()
        self.cut = False

    def add(self, chunk: bytes) -> None:
        """Take the next bytes of the stream."""
        room = self._limit - len(self._data)
        self.cut = self.cut or len(chunk) > room
        self._data += chunk[:room]

    @property
    def data(self) -> bytes:
        """What has been kept."""
        return bytes(self._data)


def _decode(data: bytes | bytearray) -> str:
    return data.decode("utf-8", "backslashreplace")


def _without_cut_end(data: bytes) -> bytes:
    """Leave out a character of UTF-8 whose last bytes are missing."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        width = (
            2 if byte >> 5 == 0b110 else 3 if byte >> 4 == 0b1110 else 4 if byte >> 3 == 30 else 1
        )
        return data[:-back] if width > back else data
    return data


def _without_cut_start(data: bytes) -> bytes:
    """Leave out a character of UTF-8 whose first bytes are missing."""
    for start in range(min(4, len(data))):
        if data[start] & 0xC0 != 0x80:
            return data[start:]
    return data
