"""The objects that one side knows of the other, and its own that the other knows.

An object that is no data crosses as `["o", number, class]`, with what its class adds: the data that
a subclass of a built-in class is worth, an error's arguments, an enum member's name. Its owner
keeps it until the other side says that the last proxy has died. It comes home as `["p", number]`.
"""

from __future__ import annotations

import collections.abc
import enum
import numbers
import types
import weakref
from typing import TYPE_CHECKING, Any

from . import arrays, errors_across, functions
from .bases import CONTENTS, is_base
from .common import find_class, name_of_class
from .decoding import BadWire, Decoder
from .describing import base_of, describe, text_or_none
from .encoding import Encoder, Wire
from .mirrors import FILLED, make_mirror
from .proxies import Mirror, Ref, keep_weakly, ref_of

if TYPE_CHECKING:
    from .link import Link

MAX_CLASSES = 10_000
_new: Any = object.__new__
_SHORT = 10_000
_LARGE = {*CONTENTS, bytearray, str, bytes}
_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_NEVER = (types.FrameType, types.CodeType, types.TracebackType)
_ABSTRACT = (collections.abc.__name__, numbers.__name__)


class Objects:
    """The tables of one side, and the readers and writers of what is in them."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.shares = link.shares
        self.encoder: Encoder
        self.decoder: Decoder
        self._next = 1
        self._own: dict[int, Any] = {}
        self._numbers: dict[Any, int] = {}
        self._described: dict[tuple[type, bool], int] = {}
        self._descriptions: list[Wire] = []
        self._mirrors: dict[int, Mirror] = {}
        self._refs: weakref.WeakValueDictionary[int, Ref] = weakref.WeakValueDictionary()
        self.last_number = 0
        """The highest number that the other side has given to an object."""
        self.dead: dict[int, None] = {}
        self.readers = {
            "o": self._read_object,
            "p": self._read_own,
            "k": lambda wire: self._mirrors[wire[1]],
            "g": self._read_known,
            "x": lambda wire: errors_across.read_known(self, wire),
            **arrays.readers(self),
        }

    # Writing

    def write(self, value: Any) -> Wire:
        """An object that is no plain data."""
        ref = ref_of(value)
        if ref is not None:
            return ["p", ref.hid]
        if isinstance(value, type):
            return self._write_class(value)
        kind: type = type(value)
        if isinstance(value, BaseException):
            return errors_across.write(self, value)
        if kind is types.CoroutineType:
            ref = self._link.coroutines.ref_of(value)
            if ref is not None:
                return ["p", ref.hid]
        if kind in _FUNCTIONS:
            return self._link.write_function(value)
        if isinstance(value, (_NEVER, types.ModuleType)):
            return self._link.write_place(value)
        if kind.__module__.startswith(("numpy", "pandas")):
            wire = arrays.write(self, value)
            if wire is not None:
                return wire
        base = base_of(kind)
        write = CONTENTS.get(base)
        content = None if write is None else write(self.encoder, value)
        wire = ["o", self.export(value), self.class_number(kind, False), content]
        if isinstance(value, enum.Enum):
            wire.append(text_or_none(value.name))
        elif content is None:
            wire.pop()
        own_hash: Any = kind.__hash__
        if content is None and own_hash not in (None, object.__hash__):
            self._add_hash(wire, value)
        return wire

    def write_opaque(self, value: Any) -> Wire:
        """Data that is too large, or nested too deeply, to cross as such."""
        return ["o", self.export(value), self.class_number(type(value), True)]

    def write_large(self, value: Any) -> Wire:
        """The value of a message that was too long with its data in it."""
        kind = type(value)
        if value is None or kind in (bool, int, float) or (kind is str and len(value) < _SHORT):
            return self.encoder.encode(value)
        return self.write_opaque(value) if kind in _LARGE else self.encoder.encode(value)

    def export(self, value: Any) -> int:
        """The number by which the other side knows `value`."""
        number = self._numbers.get(_key(value))
        if number is None:
            number = self._next
            self._next += 1
            self._own[number] = value
            self._numbers[_key(value)] = number
        return number

    def class_number(self, kind: type, opaque: bool) -> int:
        """The number of a class, which is described to the other side with this message."""
        number = self._described.get((kind, opaque))
        if number is None:
            bases = [wire for wire in map(self._write_base, kind.__bases__) if wire is not None]
            base = base_of(kind)
            if base is not object and not opaque:
                bases.append(["g", base.__module__, base.__qualname__])
            number = self.export((kind,) if opaque else kind)
            self._described[kind, opaque] = number
            self._descriptions.append([number, describe(kind, bases, opaque)])
        return number

    def take_descriptions(self) -> list[Wire]:
        """Descriptions of the classes that are new to the other side."""
        taken, self._descriptions = self._descriptions, []
        return taken

    def _write_class(self, kind: type) -> Wire:
        names = name_of_class(kind)
        if names is None or not self._link.gives(kind):
            return ["k", self.class_number(kind, False)]
        return ["g", *names]

    def _write_base(self, kind: type) -> Wire | None:
        names = name_of_class(kind)
        if names is None:
            ref = ref_of(kind)
            return None if ref is not None else ["k", self.class_number(kind, False)]
        return ["g", *names] if is_base(kind) or names[0] in _ABSTRACT else None

    def _add_hash(self, wire: list[Wire], value: Any) -> None:
        try:
            number = hash(value)
        except Exception:  # noqa: BLE001 (whatever its class raises: it cannot be hashed)
            return
        wire.extend([None] * (5 - len(wire)))
        wire.append(number)

    # Reading

    def learn(self, described: Any) -> None:
        """Make the classes that a message describes."""
        for number, description in described:
            if type(number) is not int or number in self._mirrors or type(description) is not dict:
                raise BadWire("a class is described twice, or not at all")
            if len(self._mirrors) >= MAX_CLASSES:
                raise BadWire("there are too many classes")
            bases = [self.decoder.decode(wire) for wire in description["b"]]
            if not all(isinstance(base, type) for base in bases):
                raise BadWire("a base is no class")
            known = find_class(*description["r"]) if description["r"] else None
            ref = self._new_ref(number)
            mirror = make_mirror(ref, description, bases, known)
            ref.proxy = weakref.ref(mirror)
            self._mirrors[number] = mirror

    def release(self, numbers: Any) -> None:
        """Let go of objects of which the other side holds no proxy any more."""
        for number in numbers:
            value = self._own.pop(number, None)
            self._numbers.pop(_key(value), None)

    def put_back(self, news: dict[str, Any]) -> None:
        """Take back what a message that was not sent had taken."""
        self._descriptions = news.get("c", []) + self._descriptions
        self.dead.update(dict.fromkeys(news.get("r", ())))

    def take_dead(self) -> list[int]:
        """Numbers of the other side's objects whose last proxy has died."""
        taken = list(self.dead)
        for number in taken:
            del self.dead[number]
        return taken

    def ref(self, number: Any) -> Ref:
        """The Ref of the other side's object of that number."""
        found = self._refs.get(number)
        return self._new_ref(number) if found is None else found

    def live(self) -> list[Any]:
        """All proxies of the other side's instances that are alive."""
        proxies = (ref.proxy() for ref in list(self._refs.values()) if ref.proxy is not None)
        return [one for one in proxies if one is not None and type(type(one)) is Mirror]

    def attach(self, ref: Ref, proxy: Any) -> None:
        """Make `proxy` the one that stands for an object."""
        object.__setattr__(proxy, "_ref_", ref)
        keep_weakly(ref, proxy)

    def _new_ref(self, number: Any) -> Ref:
        if type(number) is not int:
            raise BadWire("an object has no number")
        ref = Ref(number, self._link, self.dead)
        self.last_number = max(self.last_number, number)
        self._refs[number] = ref
        self.dead.pop(number, None)
        return ref

    def _read_own(self, wire: list[Wire]) -> Any:
        value = self._own[wire[1]]
        if len(wire) > 2 and type(value) is types.FunctionType:
            functions.read_attributes(self, value, wire[2])
        return value

    def _read_known(self, wire: list[Wire]) -> type:
        found = find_class(wire[1], wire[2])
        if found is None or not self._link.takes(found):
            raise BadWire("a class is not known")
        return found

    def _read_object(self, wire: list[Wire]) -> Any:
        mirror = self._mirrors[wire[2]]
        ref = self.ref(wire[1])
        proxy = ref.proxy() if ref.proxy is not None else None
        if proxy is not None and (len(wire) < 4 or mirror._about_.base not in FILLED):
            return proxy
        if len(wire) > 5 and wire[5] is not None:
            ref.hash = int(wire[5])
        about = mirror._about_
        if about.known is types.CoroutineType:
            bare = _new(mirror)
            object.__setattr__(bare, "_ref_", ref)
            return self._link.coroutines.make(ref, bare)
        if proxy is None:
            if about.variety == "function":
                proxy = self._link.read_function(mirror, ref, wire[3])
            elif about.variety == "error":
                proxy = errors_across.make(self, mirror, ref, wire)
            elif about.base is object:
                proxy = _new(mirror)
            else:
                proxy = self._with_data(mirror, wire[3])
            self.attach(ref, proxy)
        if about.base in FILLED and wire[3][0] != "m":
            tag = wire[3]
            start = 3 if tag[0] in ("dd", "dq") else 2
            self.decoder.container(tag, proxy, FILLED[about.base], start)
        if about.variety == "enum" and len(wire) > 4 and type(wire[4]) is str and ref.claim is None:
            ref.claim = wire[4]
            ref.proxy = lambda: proxy  # members live as long as their class
        return proxy

    def _with_data(self, mirror: Any, content: Wire) -> Any:
        base: Any = mirror._about_.base
        if base in FILLED:
            if content[0] == "m":
                return self.decoder.decode(content)
            proxy = base.__new__(mirror)
            if content[0] == "dd":
                base.__init__(proxy, self.decoder.decode(content[2]))
            elif content[0] == "dq":
                base.__init__(proxy, (), content[2])
            return proxy
        value = self.decoder.decode(content)
        if type(value) is not base:
            raise BadWire("the data are not of the class that is claimed")
        if base.__module__ == "datetime":
            return base.__new__(mirror, value.days, value.seconds, value.microseconds)
        if base is complex:
            return base.__new__(mirror, value.real, value.imag)
        return base.__new__(mirror, value)


def _key(value: Any) -> Any:
    """What tells an object from all others; each look at a method makes a new object of it."""
    if type(value) is types.MethodType:
        return id(value.__self__), id(value.__func__)
    if type(value) is types.BuiltinFunctionType and not isinstance(
        value.__self__, (type(None), types.ModuleType)
    ):
        return id(value.__self__), value.__name__
    return id(value)
