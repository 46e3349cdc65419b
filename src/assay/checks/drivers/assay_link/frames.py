"""Frames on a stream socket: four bytes of length, then that much JSON."""

from __future__ import annotations

import json
import select
import socket
import struct
import sys
import time
from typing import Any

from .errors import DeadlinePassed, LinkBroken, PeerEnded

MAX_FRAME = 16 * 1024 * 1024
MAX_PARTS = 4_000_000
"""Brackets and commas of a frame: an empty list takes two bytes there, and sixty in memory."""

_HEAD = struct.Struct("!I")


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _short_int(text: str) -> int:
    if len(text) > 40:
        raise ValueError("a number is too long")
    return int(text)


# Old versions parse numbers of any length, in the square of their length.
_LIMITED: dict[str, Any] = (
    {} if hasattr(sys, "set_int_max_str_digits") else {"parse_int": _short_int}
)

# Taken at start, before any code of a solution runs, which may replace them later.
_loads = json.JSONDecoder(parse_constant=_no_constant, **_LIMITED).decode
_dumps = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
_monotonic = time.monotonic


class TooLong(Exception):
    """What was to be sent does not fit into a frame."""


class Frames:
    """One end of the link."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(False)
        self._socket.set_inheritable(False)
        self._recv, self._send = self._socket.recv, self._socket.send
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(fd, select.POLLIN)
        self._writable.register(fd, select.POLLOUT)
        self._buffer = b""
        self.deadline: float | None = None
        """When to stop waiting, on the monotonic clock; None: never."""

    def send(self, message: object) -> None:
        """Send one message of plain JSON.

        Raises:
            TooLong: it does not fit; nothing was sent.
            PeerEnded: nobody reads it.
            DeadlinePassed: it was not read in time.
        """
        body = _dumps(message).encode("ascii")
        if len(body) > MAX_FRAME or body.count(b",") + body.count(b"[") > MAX_PARTS:
            raise TooLong
        data = memoryview(_HEAD.pack(len(body)) + body)
        while data:
            data = data[self._send_some(data) :]

    def receive(self) -> Any:
        """The next message.

        Raises:
            LinkBroken: what came is no frame of JSON, or more came than was asked for.
            PeerEnded: the other end is closed.
            DeadlinePassed: nothing came in time.
        """
        head = self._read(4)
        (length,) = _HEAD.unpack(head)
        if length > MAX_FRAME:
            raise LinkBroken("a frame is too long")
        body = self._read(length)
        if self._buffer:
            raise LinkBroken("there is more than was asked for")
        if length > MAX_PARTS and body.count(b",") + body.count(b"[") > MAX_PARTS:
            raise LinkBroken("a frame has too many parts")
        try:
            return _loads(body.decode("ascii"))
        except (ValueError, RecursionError) as error:
            raise LinkBroken("a frame is not JSON") from error

    def has_more(self) -> bool:
        """Whether something came that nobody asked for."""
        if not self._buffer and self._readable.poll(0):
            try:
                self._buffer = self._recv(1)
            except OSError:
                return False
        return bool(self._buffer)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _send_some(self, data: memoryview) -> int:
        try:
            return self._send(data)
        except BlockingIOError:
            self._wait(self._writable)
            return 0
        except OSError as error:
            raise PeerEnded("nobody reads what is sent") from error

    def _read(self, size: int) -> bytes:
        if len(self._buffer) < size:
            parts = [self._buffer]
            left = size - len(self._buffer)
            while left > 0:
                part = self._receive_some(max(left, 65_536))
                parts.append(part)
                left -= len(part)
            self._buffer = b"".join(parts)
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _receive_some(self, size: int) -> bytes:
        while True:
            self._wait(self._readable)
            try:
                part = self._recv(size)
            except BlockingIOError:
                continue
            except OSError as error:
                raise PeerEnded("the link was closed") from error
            if not part:
                raise PeerEnded("the link was closed")
            return part

    def _wait(self, poll: Any) -> None:
        if self.deadline is None:
            poll.poll()
            return
        left = self.deadline - _monotonic()
        if left <= 0 or not poll.poll(left * 1000 + 1):
            raise DeadlinePassed("it took too long")
