"""Values as plain JSON.

Texts, booleans, None, short integers and finite floats stand for themselves; all else is a list
whose first item is a tag.
"""

from __future__ import annotations

import binascii
import datetime as dt
import decimal
import fractions
import pathlib
import types
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, Callable

from .shares import BYTES, DEQUE, DICT, LIST, SET, Kind, Shares

MAX_DEPTH = 100
MAX_NODES = 1_000_000
"""Parts of one message's values. A container that has more crosses as an object."""

_SAFE = 1 << 62
_EMPTY: dict[Any, Any] = {}
_KEYS, _VALUES, _ITEMS = type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items())

Wire = Any
"""Plain JSON."""


def _flat_pairs(pairs: Any) -> list[Any]:
    return [part for pair in pairs for part in pair]


def _base64(data: Any) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


class Encoder:
    """Writes the values of one side."""

    def __init__(
        self,
        table: Shares,
        write_object: Callable[[Any], Wire],
        write_opaque: Callable[[Any], Wire],
    ) -> None:
        self._shares = table
        self._object = write_object
        self._opaque = write_opaque
        self._depth = 0
        self._left = 0
        self._writers: dict[type, Callable[[Any], Wire]] = {
            int: self.integer,
            float: self.float,
            list: self._list,
            tuple: self.tuple,
            dict: self._dict,
            set: self._set,
            frozenset: self.frozenset,
            bytes: lambda value: ["b", _base64(value)],
            bytearray: self._bytearray,
            memoryview: lambda value: ["mv", self.encode(_owner_of(value))],
            complex: lambda value: ["c", repr(value.real), repr(value.imag)],
            range: lambda value: ["r", hex(value.start), hex(value.stop), hex(value.step)],
            slice: lambda value: ["s", *self.all((value.start, value.stop, value.step))],
            OrderedDict: lambda value: self.container("O", value, DICT),
            Counter: lambda value: self.container("C", value, DICT),
            defaultdict: self._defaultdict,
            deque: self._deque,
            dt.datetime: self._datetime,
            dt.date: lambda value: ["da", value.isoformat()],
            dt.time: self._time,
            dt.timedelta: lambda value: ["td", value.days, value.seconds, value.microseconds],
            dt.timezone: lambda value: ["tz", *self.all(value.__getinitargs__())],
            decimal.Decimal: lambda value: ["de", str(value)],
            fractions.Fraction: self._fraction,
            uuid.UUID: lambda value: ["u", value.hex],
            pathlib.PosixPath: lambda value: ["pa", "PosixPath", str(value)],
            pathlib.PurePosixPath: lambda value: ["pa", "PurePosixPath", str(value)],
            pathlib.PureWindowsPath: lambda value: ["pa", "PureWindowsPath", str(value)],
            types.MappingProxyType: self._proxy,
            _KEYS: lambda value: self._flat("dk", value, value, len(value)),
            _VALUES: lambda value: self._flat("dv", value, value, len(value)),
            _ITEMS: lambda value: self._flat("di", value, _flat_pairs(value), len(value)),
            type(Ellipsis): lambda value: ["e", "..."],
            type(NotImplemented): lambda value: ["e", "NotImplemented"],
        }

    def start(self) -> None:
        """Begin a new message."""
        self._depth, self._left = 0, MAX_NODES

    def encode(self, value: Any) -> Wire:
        """`value` as plain JSON."""
        kind = type(value)
        if kind is str or value is None or kind is bool:
            return value
        writer = self._writers.get(kind)
        return self._object(value) if writer is None else writer(value)

    def all(self, values: Any) -> list[Wire]:
        """Each of them."""
        return [self.encode(value) for value in values]

    def integer(self, value: int) -> Wire:
        """An integer of any size that can be written quickly."""
        if -_SAFE < value < _SAFE:
            return int(value)
        return ["i", hex(value)]

    def float(self, value: float) -> Wire:
        """A float, those that JSON does not know included."""
        return float(value) if value - value == 0 else ["f", float.__repr__(value)]

    def tuple(self, value: Any) -> Wire:
        """A tuple's items."""
        return self._flat("t", value, tuple.__iter__(value), tuple.__len__(value))

    def frozenset(self, value: Any) -> Wire:
        """A frozen set's members."""
        return self._flat("F", value, frozenset.__iter__(value), frozenset.__len__(value))

    def container(self, tag: str, value: Any, kind: Kind, *about: Wire) -> Wire:
        """A container that can change: a reference where both sides hold it already."""
        number = self._shares.find(value)
        if number is not None:
            return ["m", number]
        if not self._fits(len(value)):
            return self._opaque(value)
        number = self._shares.add(value, kind)
        return self._fill([tag, number, *about], kind.items(value))

    def content(self, value: Any, kind: Kind) -> list[Wire]:
        """What such a container holds."""
        wires = self._fill([], kind.items(value))
        self._left -= len(wires)
        return wires

    def _list(self, value: Any) -> Wire:
        return self.container("L", value, LIST)

    def _dict(self, value: Any) -> Wire:
        return self.container("D", value, DICT)

    def _set(self, value: Any) -> Wire:
        return self.container("S", value, SET)

    def _defaultdict(self, value: Any) -> Wire:
        return self.container("dd", value, DICT, self.encode(value.default_factory))

    def _deque(self, value: Any) -> Wire:
        return self.container("dq", value, DEQUE, value.maxlen)

    def _bytearray(self, value: Any) -> Wire:
        number = self._shares.find(value)
        if number is not None:
            return ["m", number]
        return ["B", self._shares.add(value, BYTES), _base64(value)]

    def _proxy(self, value: Any) -> Wire:
        return self._flat("mp", value, _flat_pairs(value.items()), len(value))

    def _datetime(self, value: dt.datetime) -> Wire:
        return ["dt", value.replace(tzinfo=None).isoformat(), value.fold, self._zone(value)]

    def _time(self, value: dt.time) -> Wire:
        return ["ti", value.replace(tzinfo=None).isoformat(), value.fold, self._zone(value)]

    def _zone(self, value: Any) -> Wire:
        zone = value.tzinfo
        key = getattr(zone, "key", None)
        if type(zone).__module__ == "zoneinfo" and type(key) is str:
            return ["zi", key]
        return self.encode(zone)

    def _fraction(self, value: Any) -> Wire:
        return ["fr", hex(value.numerator), hex(value.denominator)]

    def _flat(self, tag: str, value: Any, items: Any, size: int) -> Wire:
        return self._fill([tag], items) if self._fits(size) else self._opaque(value)

    def _fits(self, size: int) -> bool:
        if self._depth >= MAX_DEPTH or size > self._left:
            return False
        self._left -= size
        return True

    def _fill(self, wire: list[Wire], items: Any) -> list[Wire]:
        encode, add = self.encode, wire.append
        self._depth += 1
        try:
            for item in items:
                add(encode(item))
        finally:
            self._depth -= 1
        return wire


def _owner_of(view: memoryview) -> Any:
    """What the whole of it shows, so that writing to it works; else its bytes."""
    owner = view.obj
    is_whole = type(owner) in (bytes, bytearray) and view.nbytes == len(owner)  # type: ignore[arg-type]
    return owner if is_whole else view.tobytes()
