"""Built-in classes of data: what a value of a subclass is worth on the other side."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, Callable

from .common import name_of_class
from .encoding import Encoder, Wire
from .shares import DEQUE, DICT, LIST, SET

Content = Callable[[Encoder, Any], Wire]

CONTENTS: dict[type, Content] = {
    int: lambda encoder, value: encoder.integer(int.__pos__(value)),
    float: lambda encoder, value: encoder.float(float.__pos__(value)),
    complex: lambda encoder, value: encoder.encode(complex.__pos__(value)),
    str: lambda encoder, value: str.__str__(value),
    bytes: lambda encoder, value: encoder.encode(bytes(memoryview(value))),
    tuple: lambda encoder, value: encoder.tuple(value),
    frozenset: lambda encoder, value: encoder.frozenset(value),
    OrderedDict: lambda encoder, value: encoder.container("O", value, DICT),
    Counter: lambda encoder, value: encoder.container("C", value, DICT),
    defaultdict: lambda encoder, value: encoder.container(
        "dd", value, DICT, encoder.encode(value.default_factory)
    ),
    list: lambda encoder, value: encoder.container("L", value, LIST),
    dict: lambda encoder, value: encoder.container("D", value, DICT),
    set: lambda encoder, value: encoder.container("S", value, SET),
    deque: lambda encoder, value: encoder.container("dq", value, DEQUE, value.maxlen),
    dt.timedelta: lambda encoder, value: ["td", value.days, value.seconds, value.microseconds],
    decimal.Decimal: lambda encoder, value: ["de", decimal.Decimal.__str__(value)],
}
"""How to write a value of a subclass as one of the class itself, past what the subclass defines."""

_ERRORS: set[type] = set()


def is_base(kind: type) -> bool:
    """Whether both sides have this class, and an instance is data."""
    return kind in CONTENTS or _is_error(kind)


def _is_error(kind: type) -> bool:
    if kind in _ERRORS:
        return True
    if issubclass(kind, BaseException) and name_of_class(kind) is not None:
        _ERRORS.add(kind)
        return True
    return False
