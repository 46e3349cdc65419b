"""The end of the link that the tests hold."""

from __future__ import annotations

import types
from typing import Any, Callable, Mapping

from . import comparing, functions, guard, swallowing, warned
from .common import is_acting, name_of_function
from .decoding import BadWire
from .encoding import Wire
from .enums import Members
from .errors import LinkBroken, LinkEnded, PeerEnded
from .folders import Folders
from .link import Link
from .proxies import Mirror, Ref, RemoteFunction, ref_of
from .seeds import Seeds

_OF_PYTEST = frozenset(("_mock_name", "__wrapped__", "__bases__", "__test__"))
_OF_DRIVERS = frozenset(
    ("load", "import", "public_names", "seed", "share_files", "ping", "__dir__")
)


class Tester(Link):
    """Asks the solution, and answers it only what the tests gave it."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd, parity=0)
        self._sent: dict[tuple[str, str], Any] = {}
        self._members = Members(lambda kind: self.ask("members", (kind,), tuple))
        self._seeds = Seeds(lambda *args: self.ended or self.request("seed", args))
        self.handles_compared = 0
        """Comparisons that the solution's own objects decided."""
        self.on_output: Callable[[str, str], None] = lambda stdout, stderr: None
        self.noted = 0
        """How often dataclass instances were asked what they hold, before another was made."""
        self.told = 0
        """Answers that were more than functions and classes, on which tests can decide."""
        self.namespace: Mapping[str, Any] = {}
        """Where the tests may import all names of the solution."""
        self._warnings: list[Any] = []
        self._pending: BaseException | None = None

    # What it allows and believes

    def takes(self, kind: type) -> bool:
        """Take no class by name that would do something here; see `is_acting`."""
        return not is_acting(kind)

    def accepts(self, action: str, wires: list[Any]) -> bool:
        """Accept only what is asked of an object that the tests gave."""
        if action in guard.ALWAYS:
            return True
        target = wires[0] if wires else None
        return type(target) is list and target[:1] == ["p"]

    def permit(self, action: str, args: list[Any]) -> None:
        """Refuse what an object of the tests' does not have to answer."""
        reason = guard.refusal(action, args)
        if reason:
            raise AttributeError(reason)
        if action == "setattr" and ref_of(args[2]) is not None and guard.replaces(args):
            self.handles_compared += 1

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

    def write_place(self, value: Any) -> Wire:
        """A module: the tests may wait for an error, and this one is not the solution's."""
        self.handles_compared += 1
        return super().write_place(value)

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
        if isinstance(target, Mirror):
            return self.get_named(target, name)
        value = self.request("getattr", (target, name))
        if ref_of(value) is not None and comparing.asks(target, name):
            self.handles_compared += 1
        return value

    def get_named(self, target: Any, name: str) -> Any:
        """What a class or module of the solution's calls by a name."""
        return self._look_up("getattr", target, name)

    def call_method(self, target: Any, name: str, args: Any, kwargs: Any) -> Any:
        """Call a method of the solution's object."""
        if comparing.asks(target, name):
            self.handles_compared += 1
        return self.request("method", (target, name, *args), kwargs)

    def get_item(self, kind: Any, item: Any) -> Any:
        """A member of an enum, or a class with parameters."""
        return self._look_up("__getitem__", kind, item)

    def has_member(self, kind: Any, item: Any) -> bool:
        """Whether a class has something in it; count it where only its metaclass can say so."""
        if self._members.has(kind, item):
            return True
        self.handles_compared += 1
        return super().has_member(kind, item)

    def _look_up(self, action: str, owner: Any, name: Any) -> Any:
        known = self.objects.last_number
        value = self._members.find(owner, name)
        if value is None:
            value = self.request(action, (owner, name))
        ref = ref_of(value)
        if ref is None or isinstance(value, (Mirror, RemoteFunction)):
            return value
        if ref.claim is not None:
            if ref.claim != name and (action == "__getitem__" or type(value) is owner):
                self.handles_compared += 1  # one member under two names equals both
            ref.names = [(owner, name)]
        elif ref.hid > known:
            ref.names.append((owner, name))
        elif not any(where is owner and what == name for where, what in ref.names):
            self.handles_compared += 1  # it may be what any name gives
        return value

    def construct(self, kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make an object of one of the solution's classes."""
        if kind._about_.variety == "dataclass":
            comparing.note_fields(self)
        known = self.objects.last_number
        value = self.request("__call__", (kind, *args), kwargs)
        ref = ref_of(value)
        is_new = ref is not None and ref.hid > known
        if not (is_new or comparing.is_known(value)) or kind not in type(value).__mro__:
            self.handles_compared += not comparing.is_typed(kind, value, args, kwargs)
        if ref is not None and is_new:
            ref.made = True
            if type(value) is kind and kind._about_.variety == "dataclass":
                ref.anchor = comparing.anchor_of(kind._about_, args, kwargs)
            elif kind._about_.base is not object:
                ref.anchor = comparing.holds(value, args, kwargs)
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

    def compare_data(self, name: str, base: type, left: Any, right: Any) -> Any:
        """Compare on data; count where one side may have been made to be like the other."""
        if comparing.may_be_alike(left, right):
            self.handles_compared += 1
        return super().compare_data(name, base, left, right)

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
        if swallowing.is_of_test_tools(error):
            self.request(name, (target, AssertionError, AssertionError(), None))
            return False
        swallowed = self.request(name, (target, type(error), error, None))
        if swallowed and not swallowing.is_raised_on_purpose(traceback):
            self.handles_compared += 1  # what came after it in the block was not tried
        return swallowed

    # Callbacks

    def _perform(self, action: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            return super()._perform(action, args, kwargs)
        except BaseException as error:
            if swallowing.is_of_test_tools(error):
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
            self.told += not _is_asked_of_all(action, args, error)
            swallowed = self._pending is not None and error is not self._pending
            if swallowed or swallowing.ends_an_iteration(action, args, error):
                self.handles_compared += 1
            raise
        else:
            self.told += action not in _OF_DRIVERS and not _is_code(value)
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
        self.coroutines.close()
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


def _is_asked_of_all(action: str, args: tuple[Any, ...], error: BaseException) -> bool:
    """Whether an object has not got what pytest asks of everything that it finds in a module."""
    return action == "getattr" and isinstance(error, AttributeError) and args[1] in _OF_PYTEST


def _is_code(value: Any) -> bool:
    """Whether it is a function, class or module: nothing that a test could decide on."""
    kind: Any = type(value)
    is_module = isinstance(kind, Mirror) and kind._about_.known is types.ModuleType
    return isinstance(value, (Mirror, RemoteFunction)) or is_module
