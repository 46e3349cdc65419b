"""What a value from inside the sandbox is, read outside as plain data.

The bytes come from hostile code: nothing is believed of them but that they are data. A value of
ours never meets an object of the solution's, so an `__eq__` that is true for everything is
nothing but an opaque name here, equal to nothing.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

MAX_SHOWN_NODES = 2_000
MAX_SHOWN = 500
_MAX_ALIKE = 100
"""Members of a set that may have one hash. Numbers that are made to collide cost the square of
their count; others hardly ever do."""
_MAX_FRACTION = 10_000
"""Digits; making a fraction takes the square of their number."""


class BadWire(ValueError):
    """What arrived is not an encoded value, or has more parts than are wanted."""


@dataclass(frozen=True)
class Opaque:
    """A value that is not data. It equals nothing."""

    type: str
    text: str
    """Its repr, as the solution says."""
    is_truthy: bool
    """Whether Python's default makes it true; False where its class decides."""

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return hash((self.type, self.text))

    def __repr__(self) -> str:
        return self.text or f"<{self.type}>"


def decode(wire: object, max_nodes: int) -> object:
    """The plain value that `wire`, parsed JSON, stands for.

    Who compares for equality gives the number of parts of the expected value, as more cannot be
    equal to it.

    Raises:
        BadWire: it is no encoded value, or has more than `max_nodes` parts.
    """
    try:
        return _Decoder(max_nodes).decode(wire)
    except BadWire:
        raise
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise BadWire(f"not an encoded value: {error}") from error


def count_nodes(value: object) -> int:
    """How many parts `value` has, itself included."""
    match value:
        case list() | tuple() | set() | frozenset():
            return 1 + sum(map(count_nodes, value))
        case dict():
            return 1 + sum(count_nodes(key) + count_nodes(item) for key, item in value.items())
    return 1


def equal(left: object, right: object) -> bool:
    """Whether plain values are equal as in Python, but that NaN equals NaN here.

    Somebody who expects `float("nan")` wants a NaN, and could not say so otherwise.
    """
    match left, right:
        case list(), list():
            return len(left) == len(right) and all(map(equal, left, right))
        case tuple(), tuple():
            return len(left) == len(right) and all(map(equal, left, right))
        case dict(), dict():
            return left.keys() == right.keys() and all(
                equal(item, right[key]) for key, item in left.items()
            )
        case float(), float() if math.isnan(left):
            return math.isnan(right)
    try:
        return bool(left == right)
    except ArithmeticError:  # a signalling NaN refuses every comparison
        return False


def show(wire: object) -> str:
    """A value from inside as a person would write it, cut to a bearable length."""
    try:
        return cut(repr(decode(wire, MAX_SHOWN_NODES)))
    except (ValueError, RecursionError):  # too many parts, or a number of too many digits
        return cut(json.dumps(wire))


def cut(text: str, length: int = MAX_SHOWN) -> str:
    """`text`, with a mark where it was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


class _Decoder:
    def __init__(self, max_nodes: int) -> None:
        self._left = max_nodes

    def decode(self, wire: object) -> object:
        self._left -= 1
        if self._left < 0:
            raise BadWire("more parts than are wanted")
        match wire:
            case None | bool() | int() | float() | str():
                return wire
            case list():
                return [self.decode(item) for item in wire]
            case dict() if len(wire) == 1:
                ((tag, content),) = wire.items()
                return self._tagged(tag, content)
        raise BadWire("not an encoded value")

    def _tagged(self, tag: str, content: object) -> object:
        match tag, content:
            case "tuple", list():
                return tuple(self.decode(item) for item in content)
            case "set", list():
                return set(self._hashable(content))
            case "frozenset", list():
                return frozenset(self._hashable(content))
            case "dict", list():
                keys = self._hashable([key for key, _ in content])
                return dict(zip(keys, (self.decode(item) for _, item in content), strict=True))
            case "object", {"type": str(kind), "repr": str(text), "truth": bool(truth)}:
                return Opaque(type=kind, text=text, is_truthy=truth)
            case "complex", [str(real), str(imaginary)]:
                return complex(float(real), float(imaginary))
            case "fraction", [str(top), str(bottom)] if len(top) + len(bottom) < _MAX_FRACTION:
                return Fraction(int(top, 16), int(bottom, 16))
            case "range", [str(start), str(stop), str(step)]:
                return range(int(start, 16), int(stop, 16), int(step, 16))
            case "timedelta", [int(days), int(seconds), int(microseconds)]:
                return timedelta(days, seconds, microseconds)
            case _, str():
                return _scalar(tag, content)
        raise BadWire(f"unknown tag {tag!r}")

    def _hashable(self, wires: list[object]) -> list[object]:
        """What `wires` stand for, once it is sure that a set of them is quickly made."""
        items = [self.decode(wire) for wire in wires]
        alike = Counter(map(hash, items))
        if max(alike.values(), default=0) > _MAX_ALIKE:
            raise BadWire("a set's members are made to collide")
        return items


def _scalar(tag: str, text: str) -> object:
    match tag:
        case "int":
            return int(text, 16)
        case "float":
            return float(text)
        case "bytes":
            return bytes.fromhex(text)
        case "datetime":
            return datetime.fromisoformat(text)
        case "date":
            return date.fromisoformat(text)
        case "time":
            return time.fromisoformat(text)
        case "decimal":
            return Decimal(text)
    raise BadWire(f"unknown tag {tag!r}")
