"""Messages between the sides: requests and answers, with what both sides have to know first.

A request is `["?", number, action, arguments, keywords, news]`, an answer
`["=", number, value, news]` or `["!", number, error, news]`, with the request's number. The news
are `c` new classes, `r` objects let go, `u` containers that changed, `f` containers forgotten, and
what the sides add themselves: `o` what was printed, `w` files that were written, `d` the current
folder, `v` warnings.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Protocol

from .decoding import BadWire
from .encoding import Wire
from .errors import LinkBroken
from .frames import Frames, TooLong
from .objects import Objects
from .shares import Shares

News = Dict[str, Any]

_UNREADABLE = (
    BadWire, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip


class Side(Protocol):
    """What the sides do in their own way."""

    def news(self) -> News:
        """What this side adds to a message."""
        ...

    def hear(self, news: News) -> None:
        """Take in what the other side added."""
        ...

    def accepts(self, action: str, wires: list[Any]) -> bool:
        """Whether a request may be what our drivers send."""
        ...


class Messages:
    """Writes and reads one side's messages."""

    def __init__(
        self,
        side: Side,
        frames: Frames,
        shares: Shares,
        objects: Objects,
    ) -> None:
        """Take what they are made of.

        Args:
            side: What this side adds to a message, and believes of one.
            frames: What carries them.
            shares: The containers that both sides have.
            objects: The objects that they know of each other.
        """
        self._side = side
        self._frames = frames
        self._shares = shares
        self._objects = objects
        self._busy = 0

    @property
    def is_busy(self) -> bool:
        """Whether this thread is reading or writing a message, and can ask nothing now."""
        return self._busy == threading.get_ident()

    def write(self, kind: str, number: int, *body: Any) -> None:
        """Write a request with action, arguments and keywords, or an answer with its value."""
        encode = self._objects.encoder.encode
        self._busy = threading.get_ident()
        try:
            own_news = self._side.news()
            try:
                self._write_once([kind, number], body, dict(own_news), encode)
            except TooLong:
                self._write_once([kind, number], body, dict(own_news), self._objects.write_large)
        finally:
            self._busy = 0

    def receive(self) -> list[Any]:
        """The next message, a list of 4 or, for a request, of 6.

        Raises:
            LinkBroken: what came is no message.
        """
        message = self._frames.receive()
        self._objects.decoder.start()
        if type(message) is not list or len(message) not in (4, 6):
            raise LinkBroken("a message is none")
        if (message[0] == "?") != (len(message) == 6) or message[0] not in ("?", "=", "!"):
            raise LinkBroken("a message is none")
        return message

    def read_request(self, message: list[Any]) -> tuple[int, str, list[Any], dict[str, Any]]:
        """Number, action, arguments and keywords of a request.

        Raises:
            LinkBroken: it is none that ours would write.
        """
        decoder = self._objects.decoder
        self._busy = threading.get_ident()
        try:
            _, number, action, wires, keywords, news = message
            if type(number) is not int or type(action) is not str or type(wires) is not list:
                raise BadWire("a request is none")
            if not self._side.accepts(action, wires):
                raise BadWire("a request is for nothing that was given")
            self._take(news)
            args = decoder.all(wires)
            kwargs = {name: decoder.decode(wire) for name, wire in (keywords or {}).items()}
        except _UNREADABLE as error:
            raise LinkBroken(f"a request cannot be read: {error}") from error
        finally:
            self._busy = 0
            self._shares.settle()
        return number, action, args, kwargs

    def read_answer(self, message: list[Any], number: int) -> Any:
        """What the request of this number is answered.

        Raises:
            LinkBroken: it is no answer to it.
        """
        self._busy = threading.get_ident()
        try:
            if message[1] != number:
                raise BadWire("it answers something else")
            self._take(message[3])
            value = self._objects.decoder.decode(message[2])
            if message[0] == "!" and not isinstance(value, BaseException):
                raise BadWire("what was raised is no error")
        except _UNREADABLE as error:
            raise LinkBroken(f"an answer cannot be read: {error}") from error
        finally:
            self._busy = 0
            self._shares.settle()
        return value

    def _write_once(
        self,
        message: list[Any],
        body: tuple[Any, ...],
        news: dict[str, Any],
        encode: Callable[[Any], Wire],
    ) -> None:
        self._objects.encoder.start()
        try:
            if self._shares:
                self._write_changes(news)
            if message[0] == "?":
                action, args, kwargs = body
                named = {name: encode(value) for name, value in kwargs.items()} if kwargs else None
                message += [action, [encode(value) for value in args], named]
            else:
                message.append(encode(body[0]))
            described = self._objects.take_descriptions()
            if described:
                news["c"] = described
            if self._objects.dead:
                news["r"] = self._objects.take_dead()
            message.append(news or None)
            self._frames.send(message)
        except BaseException:
            self._objects.put_back(news)
            self._shares.forget_fresh()
            raise
        self._shares.settle()

    def _write_changes(self, news: dict[str, Any]) -> None:
        changed, unheld = self._shares.changes()
        if changed:
            news["u"] = [
                [number, self._objects.encoder.content(value, kind)]
                for number, value, kind in changed
            ]
        if unheld:
            news["f"] = unheld
            for number in unheld:
                self._shares.forget(number)

    def _take(self, news: Any) -> None:
        if news is None:
            return
        if "r" in news:
            self._objects.release(news["r"])
        if "c" in news:
            self._objects.learn(news["c"])
        for number, content in news.get("u", ()):
            kind = self._shares.kind(number)
            kind.fill(self._shares.get(number), self._objects.decoder.content(content, kind))
            self._shares.touch(number)
        for number in news.get("f", ()):
            self._shares.forget(number)
        self._side.hear(news)
