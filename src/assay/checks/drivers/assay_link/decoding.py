"""Plain JSON as values. The bytes may come from hostile code: every shape is looked at."""

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

from .encoding import MAX_NODES, Wire
from .shares import BYTES, DEQUE, DICT, LIST, SET, Kind, Shares

_MAX_ALIKE = 100
"""Members of a set that may have one hash. Numbers that are made to collide cost the square of
their count; others hardly ever do."""
_MAX_FRACTION = 10_000
"""Digits; making a fraction takes the square of their number."""
_PATHS = {
    "PosixPath": pathlib.PosixPath,
    "PurePosixPath": pathlib.PurePosixPath,
    "PureWindowsPath": pathlib.PureWindowsPath,
}


class BadWire(Exception):
    """What arrived is no encoded value."""


class Decoder:
    """Reads the other side's values."""

    def __init__(self, table: Shares, readers: dict[str, Callable[[Any], Any]]) -> None:
        self._shares = table
        self._left = MAX_NODES
        self._readers: dict[str, Callable[[Any], Any]] = {
            "m": lambda wire: table.get(wire[1]),
            "t": lambda wire: tuple(self.all(wire, 1)),
            "F": lambda wire: frozenset(self.hashable(wire, 1)),
            "L": lambda wire: self.container(wire, [], LIST, 2),
            "D": lambda wire: self.container(wire, {}, DICT, 2),
            "S": lambda wire: self.container(wire, set(), SET, 2),
            "O": lambda wire: self.container(wire, OrderedDict(), DICT, 2),
            "C": lambda wire: self.container(wire, Counter(), DICT, 2),
            "dd": lambda wire: self.container(wire, self._defaultdict(wire[2]), DICT, 3),
            "dq": lambda wire: self.container(wire, deque(maxlen=wire[2]), DEQUE, 3),
            "B": self._bytearray,
            "b": lambda wire: binascii.a2b_base64(wire[1]),
            "mv": lambda wire: memoryview(self.decode(wire[1])),
            "i": lambda wire: int(wire[1], 16),
            "f": lambda wire: {"nan": float("nan"), "inf": float("inf"), "-inf": -float("inf")}[
                wire[1]
            ],
            "c": lambda wire: complex(float(wire[1]), float(wire[2])),
            "r": lambda wire: range(int(wire[1], 16), int(wire[2], 16), int(wire[3], 16)),
            "s": lambda wire: slice(*self.all(wire, 1)),
            "dt": lambda wire: dt.datetime.fromisoformat(wire[1]).replace(
                fold=wire[2], tzinfo=self._zone(wire[3])
            ),
            "ti": lambda wire: dt.time.fromisoformat(wire[1]).replace(
                fold=wire[2], tzinfo=self._zone(wire[3])
            ),
            "da": lambda wire: dt.date.fromisoformat(wire[1]),
            "td": lambda wire: dt.timedelta(*map(int, wire[1:])),
            "tz": lambda wire: dt.timezone(*self.all(wire, 1)),
            "zi": _named_zone,
            "de": lambda wire: decimal.Decimal(wire[1]),
            "fr": _fraction,
            "u": lambda wire: uuid.UUID(hex=wire[1]),
            "pa": lambda wire: _PATHS[wire[1]](wire[2]),
            "e": lambda wire: {"...": Ellipsis, "NotImplemented": NotImplemented}[wire[1]],
            "mp": lambda wire: types.MappingProxyType(self._pairs(wire)),
            "di": lambda wire: self._pairs(wire).items(),
            "dk": lambda wire: dict.fromkeys(self.hashable(wire, 1)).keys(),
            "dv": lambda wire: dict(enumerate(self.all(wire, 1))).values(),
            **readers,
        }

    def start(self) -> None:
        """Begin a new message."""
        self._left = MAX_NODES

    def decode(self, wire: Wire) -> Any:
        """The value that `wire` stands for.

        Raises:
            BadWire: it stands for none, or the message has too many parts.
        """
        if type(wire) is not list:
            if type(wire) is dict:
                raise BadWire("an object of JSON stands for no value")
            return wire
        reader = self._readers.get(wire[0])
        if reader is None:
            raise BadWire("a tag is unknown")
        return reader(wire)

    def all(self, wires: list[Wire], start: int = 0) -> list[Any]:
        """Each of them, from `start` on."""
        self._left -= len(wires)
        if self._left < 0:
            raise BadWire("there are too many parts")
        decode = self.decode
        return [decode(wire) for wire in (wires[start:] if start else wires)]

    def hashable(self, wires: list[Wire], start: int = 0) -> list[Any]:
        """Each of them, once it is sure that a set of them is quickly made."""
        return _quick_to_hash(self.all(wires, start))

    def container(self, wire: list[Wire], value: Any, kind: Kind, start: int) -> Any:
        """Take in a container that can change, and fill `value` with what it holds."""
        # First known, then filled: it may hold itself.
        self._shares.adopt(wire[1], value, kind)
        kind.fill(value, self.content(wire[start:], kind))
        return value

    def content(self, wires: list[Wire], kind: Kind) -> list[Any]:
        """What such a container holds."""
        items = self.all(wires)
        if kind is DICT:
            if len(items) % 2:
                raise BadWire("a key has no value")
            _quick_to_hash(items[::2])
        elif kind is SET:
            _quick_to_hash(items)
        return items

    def _pairs(self, wire: list[Wire]) -> dict[Any, Any]:
        items = self.content(wire[1:], DICT)
        return dict(zip(items[::2], items[1::2]))

    def _bytearray(self, wire: list[Wire]) -> bytearray:
        value = bytearray(binascii.a2b_base64(wire[2]))
        self._shares.adopt(wire[1], value, BYTES)
        return value

    def _defaultdict(self, wire: Wire) -> Any:
        return defaultdict(self.decode(wire))

    def _zone(self, wire: Wire) -> Any:
        zone = self.decode(wire)
        if zone is not None and not isinstance(zone, dt.tzinfo):
            raise BadWire("this is no time zone")
        return zone


def _named_zone(wire: list[Wire]) -> Any:
    import zoneinfo  # type: ignore[import-not-found,unused-ignore]  # new in Python 3.9

    return zoneinfo.ZoneInfo(wire[1])


def _fraction(wire: list[Wire]) -> Any:
    if len(wire[1]) + len(wire[2]) > _MAX_FRACTION:
        raise BadWire("a fraction has too many digits")
    return fractions.Fraction(int(wire[1], 16), int(wire[2], 16))


def _quick_to_hash(items: list[Any]) -> list[Any]:
    if len(items) > _MAX_ALIKE and max(Counter(map(hash, items)).values()) > _MAX_ALIKE:
        raise BadWire("a set's members are made to collide")
    return items
