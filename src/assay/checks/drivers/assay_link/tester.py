"""The end of the link that the tests hold."""

from __future__ import annotations

import opcode
from typing import Any, Callable

from . import comparing, functions, guard, warned
from .common import name_of_function
from .decoding import BadWire
from .encoding import Wire
from .errors import LinkBroken, LinkEnded, PeerEnded
from .folders import Folders
from .link import Link
from .proxies import Mirror, Ref, ref_of
from .seeds import Seeds

_RAISE = opcode.opmap["RAISE_VARARGS"]


class Tester(Link):
    """Asks the solution, and answers it only what the tests gave it."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd, parity=0)
        self._sent: dict[tuple[str, str], Any] = {}
        self._seeds = Seeds(lambda *args: self.ended or self.request("seed", args))
        self.handles_compared = 0
        """Comparisons that the solution's own objects decided."""
        self.on_output: Callable[[str, str], None] = lambda stdout, stderr: None
        self._warnings: list[Any] = []
        self._pending: BaseException | None = None

    # What it allows and believes

    def permit(self, action: str, args: list[Any]) -> None:
        """Refuse what an object of the tests' does not have to answer."""
        reason = guard.refusal(action, args)
        if reason:
            raise AttributeError(reason)

    def own_readers(self) -> dict[str, Callable[[Any], Any]]:
        """Functions by name: only those that the tests gave."""
        return {"gf": lambda wire: self._sent[wire[1], wire[2]]}

    def news(self) -> dict[str, Any]:
        """The current folder, beside what changed in the folders."""
        news = super().news()
        if self.folders is not None:
            moved = self.folders.moved()
            if moved is not None:
                news["d"] = moved
        return news

    def write_function(self, function: Any) -> Wire:
        """A function of the tests', with its parameters; one of the library's by its name."""
        name = name_of_function(function)
        if name is not None:
            self._sent[name] = function
            return ["gf", *name]
        return functions.write(self.objects, function, with_parameters=True)

    def read_function(self, mirror: Mirror, ref: Ref, content: Wire) -> Any:
        """What stands for a function of the solution's."""
        return functions.make_remote(mirror, content)

    def hear(self, news: dict[str, Any]) -> None:
        """Print what the solution printed."""
        super().hear(news)
        for wires in news.get("v", ()):
            warning = self.decoder.all(wires)
            warned.check(*warning)
            self._warnings.append(warning)
        printed = news.get("o")
        if printed is not None:
            stdout, stderr = printed
            if type(stdout) is not str or type(stderr) is not str:
                raise BadWire("what was printed is no text")
            self.on_output(stdout, stderr)

    # What proxies ask

    def get(self, target: Any, name: str) -> Any:
        """An attribute of the solution's object."""
        value = self.request("getattr", (target, name))
        ref = ref_of(value)
        if ref is not None and ref.claim not in (None, name) and type(value) is target:
            self.handles_compared += 1  # one member under two names equals both
        return value

    def get_item(self, kind: Any, item: Any) -> Any:
        """A member of an enum, or a class with parameters."""
        value = self.request("__getitem__", (kind, item))
        ref = ref_of(value)
        if ref is not None and ref.claim not in (None, item):
            self.handles_compared += 1
        return value

    def construct(self, kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make an object of one of the solution's classes."""
        known = self.objects.last_number
        value = self.request("__call__", (kind, *args), kwargs)
        ref = ref_of(value)
        if ref is not None and ref.hid > known:
            ref.made = True
            if type(value) is kind and kind._about_.variety == "dataclass":
                ref.anchor = comparing.anchor_of(kind._about_, args, kwargs)
        return value

    def set(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute of the solution's object."""
        super().set(target, name, value)
        ref = ref_of(target)
        if ref is not None and ref.anchor is not None and name in ref.anchor:
            ref.anchor = {**ref.anchor, name: value}

    def compare(self, name: str, left: Any, right: Any) -> Any:
        """Compare on data, or count that the solution decided."""
        return NotImplemented if self.is_busy else comparing.compare(self, name, left, right)

    def operate(self, name: str, target: Any, args: tuple[Any, ...]) -> Any:
        """Do arithmetic with the solution's object."""
        known = self.objects.last_number
        value = self.request(name, (target, *args))
        if comparing.tells(name, target, args, value):
            self.handles_compared += 1
        ref = ref_of(value)
        if ref is not None and target._ref_.made and ref.hid > known:
            ref.made = True
        return value

    def leave(self, name: str, target: Any, error: Any, traceback: Any) -> Any:
        """A failed assertion is never swallowed, and its message, with what was expected, kept."""
        if error is None:
            return self.request(name, (target, None, None, None))
        if isinstance(error, LinkEnded):
            raise error
        if _is_of_test_tools(error):
            self.request(name, (target, AssertionError, AssertionError(), None))
            return False
        swallowed = self.request(name, (target, type(error), error, None))
        if swallowed and not _is_raised_on_purpose(traceback):
            self.handles_compared += 1  # what came after it in the block was not tried
        return swallowed

    # Callbacks

    def _perform(self, action: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            return super()._perform(action, args, kwargs)
        except BaseException as error:
            if _is_of_test_tools(error):
                self._pending = error
            raise

    def request(
        self, action: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Ask the solution; count it where it swallowed a failed assertion of a callback."""
        __tracebackhide__ = True
        outer, self._pending = self._pending, None
        try:
            value = super().request(action, args, kwargs)
        except BaseException as error:
            if self._pending is not None and error is not self._pending:
                self.handles_compared += 1
            raise
        else:
            if self._pending is not None:
                self.handles_compared += 1  # a callback's failed assertion was swallowed
        finally:
            self._pending = outer
            if self._warnings:
                self._warn()
        return value

    def _warn(self) -> None:
        warnings, self._warnings = self._warnings, []
        for warning in warnings:
            warned.warn_here(*warning)

    def share_files(self) -> None:
        """Let files that one side writes appear on the other from now on."""
        self.request("share_files", ())
        self.folders = Folders()

    def close(self) -> None:
        """Leave the link, and the modules of this process as they were."""
        self.ended = self.ended or PeerEnded("the link was closed")
        self._seeds.stop()
        self.frames.close()

    def finish(self) -> None:
        """Look whether the solution wrote what nobody asked for.

        Raises:
            LinkEnded: it did, or is gone.
        """
        self.ask("ping", (), bool)
        if self.frames.has_more():
            self.ended = LinkBroken("there is more than was asked for")
            raise self.ended


def _is_of_test_tools(error: BaseException) -> bool:
    return isinstance(error, AssertionError) or type(error).__module__.startswith(
        ("_pytest", "unittest", "hypothesis")
    )


def _is_raised_on_purpose(traceback: Any) -> bool:
    """Whether a `raise` of the tests' raised it, and not what the solution gave."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    code = traceback.tb_frame.f_code
    own = not str(code.co_filename).startswith(_HERE)
    return bool(own and code.co_code[traceback.tb_lasti] == _RAISE)


_HERE = __file__.rpartition("/")[0]
