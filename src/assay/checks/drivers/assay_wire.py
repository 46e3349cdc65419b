"""Inside the sandbox: turns values into data, and sends messages over the channel.

Runs on Python 3.8 and newer, with the standard library alone. The other side is
`assay.checks.values`, which trusts nothing of what arrives.
"""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import json
import math
import os
import types
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 100
MAX_NODES = 200_000
MAX_TEXT = 1_000_000
MAX_MESSAGE = 1_000_000
MAX_SHOWN = 2_000
_SAFE_INTEGER = 1 << 53

# Taken before any code of the solution runs, which may replace them later.
_dumps = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
_write = os.write


class TooMuch(Exception):
    """The value has too many parts, is nested too deeply, or contains itself."""


def open_channel() -> Callable[[dict[str, Any]], None]:
    """A function that sends one message, an object of plain JSON."""
    number = int(os.environ.pop("ASSAY_CHANNEL"))
    os.set_inheritable(number, False)

    def send(message: dict[str, Any]) -> None:
        data = (_dumps(message) + "\n").encode("ascii")
        while data:
            data = data[_write(number, data) :]

    return send


def encode(value: object) -> object:
    """`value` as plain JSON; what is not data crosses as an opaque object."""
    try:
        encoded = _encode(value, [MAX_NODES], ())
        if len(_dumps(encoded)) > MAX_MESSAGE:
            raise TooMuch
    except BaseException:  # noqa: BLE001 (a hostile value may raise SystemExit)
        return _opaque(value)
    return encoded


def shown(value: object) -> str:
    """The value's repr, cut to a bearable length."""
    try:
        text = repr(value)
    except BaseException as error:  # noqa: BLE001 (a hostile value may raise SystemExit)
        text = f"<repr raised {type(error).__name__}>"
    return clip(text)


def message_of(error: BaseException) -> str:
    """What an error says, as far as it can be had."""
    try:
        return clip(str(error))
    except BaseException:  # noqa: BLE001 (a hostile error may raise SystemExit)
        return ""


def missing_name(error: BaseException) -> str:
    """The module for whose lack an import failed; empty for any other error."""
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        return clip(error.name)
    return ""


def clip(text: str) -> str:
    """`text` as a real string of bearable length."""
    return str.__getitem__(str.__str__(text), slice(MAX_SHOWN))


def _opaque(value: object) -> dict[str, Any]:
    kind = type(value)
    plain = not hasattr(kind, "__bool__") and not hasattr(kind, "__len__")
    return {"object": {"type": clip(kind.__name__), "repr": shown(value), "truth": plain}}


def _encode(value: Any, left: list[int], above: tuple[int, ...]) -> object:
    left[0] -= 1
    if left[0] < 0 or len(above) > MAX_DEPTH:
        raise TooMuch
    if value is None or value is True or value is False:
        return value
    for scalar, encoder in _SCALARS:
        if isinstance(value, scalar):
            return encoder(value)
    if id(value) in above:
        raise TooMuch
    above = (*above, id(value))
    for kind, name in _SEQUENCES:
        if isinstance(value, kind):
            items = [_encode(item, left, above) for item in kind.__iter__(value)]
            return items if name == "list" else {name: items}
    if isinstance(value, types.MappingProxyType):
        value = value.copy()
    if isinstance(value, dict):
        pairs = dict.items(value)
        return {"dict": [[_encode(k, left, above), _encode(v, left, above)] for k, v in pairs]}
    if type(value).__module__.split(".")[0] == "numpy" and hasattr(value, "tolist"):
        return _encode(value.tolist(), left, above)
    return _opaque(value)


def _integer(value: int) -> object:
    number = int.__index__(value)
    return number if -_SAFE_INTEGER < number < _SAFE_INTEGER else {"int": hex(number)}


def _text(value: str) -> str:
    if str.__len__(value) > MAX_TEXT:
        raise TooMuch
    return str.__str__(value)


def _bytes(value: bytes) -> dict[str, Any]:
    data = bytes(memoryview(value))
    if len(data) > MAX_TEXT // 2:
        raise TooMuch
    return {"bytes": data.hex()}


def _float(value: float) -> object:
    number = float.__float__(value)
    return number if math.isfinite(number) else {"float": repr(number)}


def _complex(value: complex) -> dict[str, Any]:
    number = complex.__add__(value, 0j)
    return {"complex": [repr(number.real), repr(number.imag)]}


def _fraction(value: fractions.Fraction) -> dict[str, Any]:
    return {"fraction": [hex(value.numerator), hex(value.denominator)]}


_SCALARS: tuple[tuple[Any, Callable[[Any], object]], ...] = (
    (int, _integer),
    (float, _float),
    (complex, _complex),
    (str, _text),
    ((bytes, bytearray, memoryview), _bytes),
    (range, lambda value: {"range": [hex(value.start), hex(value.stop), hex(value.step)]}),
    (dt.datetime, lambda value: {"datetime": dt.datetime.isoformat(value)}),
    (dt.date, lambda value: {"date": dt.date.isoformat(value)}),
    (dt.time, lambda value: {"time": dt.time.isoformat(value)}),
    (
        dt.timedelta,
        lambda value: {"timedelta": [value.days, value.seconds, value.microseconds]},
    ),
    (decimal.Decimal, lambda value: {"decimal": decimal.Decimal.__str__(value)}),
    (fractions.Fraction, _fraction),
)
_SEQUENCES: tuple[tuple[Any, str], ...] = (
    (list, "list"),
    (tuple, "tuple"),
    (set, "set"),
    (frozenset, "frozenset"),
    (type({}.keys()), "set"),
    (type({}.items()), "set"),
)
