"""Asking the other side, and answering it.

One side asks, the other answers; before it answers it may ask in turn. A request is
`["?", number, action, arguments, keywords, news]`, an answer `["=", number, value, news]` or
`["!", number, error, news]`, with the request's number. The news are what both sides have to know
first: `c` new classes, `r` objects let go, `u` containers that changed, `f` containers forgotten,
`o` what was printed, `w` files that were written, `d` the current folder, `v` warnings.
"""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable

from .actions import ACTIONS
from .asking import Asking
from .coroutines import Coroutines
from .decoding import BadWire, Decoder
from .encoding import Encoder, Wire
from .errors import LinkBroken, LinkEnded
from .folders import Folders
from .frames import Frames, TooLong
from .objects import Objects
from .proxies import Mirror, Ref
from .shares import Shares

MAX_NESTED = 200
"""Requests within requests: callbacks that call back."""
_FRAMES_OF_A_REQUEST = 30

_UNREADABLE = (
    BadWire, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip


class Link(Asking):
    """One side's end. The sides differ in what they allow, and in how they compare."""

    def __init__(self, fd: int, parity: int) -> None:
        self.frames = Frames(fd)
        self.folders: Folders | None = None
        self.shares = Shares(parity)
        self.objects = Objects(self)
        self.encoder = Encoder(self.shares, self.objects.write, self.objects.write_opaque)
        self.decoder = Decoder(self.shares, {**self.objects.readers, **self.own_readers()})
        self.objects.encoder, self.objects.decoder = self.encoder, self.decoder
        self.actions: dict[str, Callable[..., Any]] = dict(ACTIONS)
        self.coroutines = Coroutines(self)
        self.ended: LinkEnded | None = None
        self._nested = 0
        self.asked = 0
        """Requests that this side has made."""
        # Threads of the solution may ask while its main thread answers; one after the other.
        self._turn = threading.Lock()
        self._busy = 0

    # What the sides do in their own way

    def own_readers(self) -> dict[str, Callable[[Any], Any]]:
        """Readers of what only the other side sends."""
        return {}

    def permit(self, action: str, args: list[Any]) -> None:
        """Raise an error where the other side may not do this."""

    def news(self) -> dict[str, Any]:
        """What this side adds to a message: `w` files that were written."""
        changed = self.folders.changes() if self.folders is not None else None
        return {"w": changed} if changed else {}

    def hear(self, news: dict[str, Any]) -> None:
        """Take in what the other side added."""
        if "w" in news:
            if self.folders is None:
                raise BadWire("files came that nobody asked for")
            self.folders.apply(news["w"])

    def write_function(self, function: Any) -> Wire:
        """A function of this side's."""
        raise NotImplementedError

    def read_function(self, mirror: Mirror, ref: Ref, content: Wire) -> Any:
        """A function of the other side's."""
        raise NotImplementedError

    def write_place(self, value: Any) -> Wire:
        """A module, frame, or piece of code."""
        raise TypeError(f"a {type(value).__name__} cannot be given away")

    @property
    def is_busy(self) -> bool:
        """Whether this thread is reading or writing a message, and can ask nothing now."""
        return self._busy == threading.get_ident()

    # Asking

    def request(
        self, action: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Ask the other side to do something, and wait for what comes of it.

        Raises:
            LinkEnded: it cannot be asked, or has not answered as our drivers do.
            BaseException: what it raised.
        """
        __tracebackhide__ = True
        if self.ended is not None:
            raise self.ended.with_traceback(None)
        if self._busy and self.is_busy:
            raise TypeError("this cannot be asked while a message is read or written")
        self._turn.acquire()
        try:
            self.asked = number = self.asked + 1
            self._write("?", number, action, args, kwargs)
            while True:
                message = self._receive()
                kind = message[0]
                if kind != "?":
                    break
                self._answer(message)
            value = self._read_answer(message, number)
        except LinkEnded as error:
            self.ended = error
            raise
        finally:
            self._turn.release()
        if kind == "!":
            raise BaseException.with_traceback(value, None)
        return value

    def ask(self, action: str, args: tuple[Any, ...], *shape: type) -> Any:
        """Ask something of which the answer has a known shape.

        Args:
            action: What to do.
            args: With what.
            *shape: The class of the answer; with more than one, it is a tuple of these.

        Raises:
            LinkEnded: the answer has another shape, or there is none.
            BaseException: what the other side raised.
        """
        value = self.request(action, args)
        is_fit = (
            isinstance(value, shape[0])
            if len(shape) == 1
            else type(value) is tuple
            and len(value) == len(shape)
            and all(map(isinstance, value, shape))
        )
        if not is_fit:
            self.ended = LinkBroken("an answer has another shape than ours have")
            raise self.ended
        return value

    def serve(self) -> None:
        """Answer until the other side is gone.

        Raises:
            LinkEnded: it is.
        """
        self._turn.acquire()
        while True:
            message = self._receive()
            if message[0] != "?":
                raise LinkBroken("an answer came that nobody asked for")
            self._answer(message)

    def _answer(self, message: list[Any]) -> None:
        """Do what a request asks; the turn is given away meanwhile."""
        self._busy = threading.get_ident()
        try:
            _, number, action, wires, keywords, news = message
            if type(number) is not int or type(action) is not str or type(wires) is not list:
                raise BadWire("a request is none")
            self._take_news(news)
            args = self.decoder.all(wires)
            kwargs = {name: self.decoder.decode(wire) for name, wire in (keywords or {}).items()}
        except _UNREADABLE as error:
            raise LinkBroken(f"a request cannot be read: {error}") from error
        finally:
            self._busy = 0
            self.shares.settle()
        self._nested += 1
        self._turn.release()
        try:
            value, failed = self._perform(action, args, kwargs), False
        except LinkEnded:
            raise
        except BaseException as error:  # noqa: BLE001 (the other side gets it)
            value, failed = error, True
        finally:
            self._turn.acquire()
            self._nested -= 1
        del args, kwargs, message  # what nobody holds is forgotten with this message
        self._reply(number, value, failed)

    def _perform(self, action: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if self._nested > 1:
            if self._nested > MAX_NESTED:
                raise RecursionError("callbacks call back too deeply")
            wanted = 1000 + self._nested * _FRAMES_OF_A_REQUEST
            if sys.getrecursionlimit() < wanted:
                sys.setrecursionlimit(wanted)
        do = self.actions.get(action)
        if do is None:
            raise LinkBroken("an action is unknown")
        self.permit(action, args)
        return do(*args, **kwargs)

    def _reply(self, number: int, value: Any, failed: bool) -> None:
        try:
            self._write("!" if failed else "=", number, value)
        except LinkEnded:
            raise
        except BaseException as error:  # noqa: BLE001 (a hostile value may raise SystemExit)
            self._write("!", number, TypeError(f"the result cannot cross: {type(error).__name__}"))

    # Messages

    def _write(self, kind: str, number: int, *body: Any) -> None:
        self._busy = threading.get_ident()
        own_news = self.news()
        try:
            try:
                self._write_once([kind, number], body, dict(own_news), self.encoder.encode)
            except TooLong:
                self._write_once([kind, number], body, dict(own_news), self.objects.write_large)
        finally:
            self._busy = 0

    def _write_once(
        self,
        message: list[Any],
        body: tuple[Any, ...],
        news: dict[str, Any],
        encode: Callable[[Any], Wire],
    ) -> None:
        self.encoder.start()
        try:
            if self.shares:
                self._write_changes(news)
            if message[0] == "?":
                action, args, kwargs = body
                named = {name: encode(value) for name, value in kwargs.items()} if kwargs else None
                message += [action, [encode(value) for value in args], named]
            else:
                message.append(encode(body[0]))
            described = self.objects.take_descriptions()
            if described:
                news["c"] = described
            if self.objects.dead:
                news["r"] = self.objects.take_dead()
            message.append(news or None)
            self.frames.send(message)
        except BaseException:
            self.objects.put_back(news)
            self.shares.forget_fresh()
            raise
        self.shares.settle()

    def _write_changes(self, news: dict[str, Any]) -> None:
        changed, unheld = self.shares.changes()
        if changed:
            news["u"] = [
                [number, self.encoder.content(value, kind)] for number, value, kind in changed
            ]
        if unheld:
            news["f"] = unheld
            for number in unheld:
                self.shares.forget(number)

    def _receive(self) -> list[Any]:
        message = self.frames.receive()
        self.decoder.start()
        if type(message) is not list or len(message) not in (4, 6):
            raise LinkBroken("a message is none")
        if (message[0] == "?") != (len(message) == 6) or message[0] not in ("?", "=", "!"):
            raise LinkBroken("a message is none")
        return message

    def _read_answer(self, message: list[Any], number: int) -> Any:
        self._busy = threading.get_ident()
        try:
            if message[1] != number:
                raise BadWire("it answers something else")
            self._take_news(message[3])
            value = self.decoder.decode(message[2])
            if message[0] == "!" and not isinstance(value, BaseException):
                raise BadWire("what was raised is no error")
        except _UNREADABLE as error:
            raise LinkBroken(f"an answer cannot be read: {error}") from error
        finally:
            self._busy = 0
            self.shares.settle()
        return value

    def _take_news(self, news: Any) -> None:
        if news is None:
            return
        if "r" in news:
            self.objects.release(news["r"])
        if "c" in news:
            self.objects.learn(news["c"])
        for number, content in news.get("u", ()):
            kind = self.shares.kind(number)
            kind.fill(self.shares.get(number), self.decoder.content(content, kind))
            self.shares.touch(number)
        for number in news.get("f", ()):
            self.shares.forget(number)
        self.hear(news)
