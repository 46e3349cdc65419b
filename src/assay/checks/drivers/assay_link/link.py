"""Asking the other side, and answering it.

One side asks, the other answers; before it answers it may ask in turn.
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
from .errors import LinkBroken, LinkEnded, TooManyFiles
from .folders import TOO_MANY, Folders
from .frames import Frames
from .messages import Messages
from .objects import Objects
from .proxies import Mirror, Ref
from .shares import Shares

MAX_NESTED = 200
"""Requests within requests: callbacks that call back."""
_FRAMES_OF_A_REQUEST = 30


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
        self.messages = Messages(self, self.frames, self.shares, self.objects)
        self.actions: dict[str, Callable[..., Any]] = dict(ACTIONS)
        self.coroutines = Coroutines(self)
        self.ended: LinkEnded | None = None
        self._nested = 0
        self.asked = 0
        """Requests that this side has made."""
        # Threads of the solution may ask while its main thread answers; one after the other.
        self._turn = threading.Lock()

    # What the sides do in their own way

    def own_readers(self) -> dict[str, Callable[[Any], Any]]:
        """Readers of what only the other side sends."""
        return {}

    def gives(self, kind: type) -> bool:
        """Whether this side gives a class of the library's by its name alone."""
        return True

    def takes(self, kind: type) -> bool:
        """Whether this side takes one."""
        return True

    def accepts(self, action: str, wires: list[Any]) -> bool:
        """Whether a request may be what our drivers send."""
        return True

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
            if news["w"] == TOO_MANY:
                raise TooManyFiles(TOO_MANY)
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
        return self.messages.is_busy

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
        if self.is_busy:
            raise TypeError("this cannot be asked while a message is read or written")
        self._turn.acquire()
        try:
            self.asked = number = self.asked + 1
            self.messages.write("?", number, action, args, kwargs)
            while True:
                message = self.messages.receive()
                kind = message[0]
                if kind != "?":
                    break
                self._answer(message)
            value = self.messages.read_answer(message, number)
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
            message = self.messages.receive()
            if message[0] != "?":
                raise LinkBroken("an answer came that nobody asked for")
            self._answer(message)

    def _answer(self, message: list[Any]) -> None:
        """Do what a request asks; the turn is given away meanwhile."""
        number, action, args, kwargs = self.messages.read_request(message)
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
            self.messages.write("!" if failed else "=", number, value)
        except LinkEnded:
            raise
        except BaseException as error:  # noqa: BLE001 (a hostile value may raise SystemExit)
            self.messages.write(
                "!", number, TypeError(f"the result cannot cross: {type(error).__name__}")
            )
