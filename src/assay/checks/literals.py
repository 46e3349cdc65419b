"""Values that a person writes in a test, read without running anything.

`ast.literal_eval` reads no `set()`, no `float("nan")` and no dates; this does, and sums and
products of literals, within bounds that keep a `9 ** 9 ** 9` from filling the machine.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.checks.syntax import dotted_name

_MAX_BITS = 20_000
_MAX_LENGTH = 100_000


class NotLiteral(Exception):
    """The expression's value cannot be known without running code."""


_CONSTRUCTORS: dict[str, Callable[..., object]] = {
    "set": set,
    "frozenset": frozenset,
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "float": float,
    "complex": complex,
    "range": range,
    "bytes": bytes,
    "bytearray": bytearray,
    "Decimal": Decimal,
    "decimal.Decimal": Decimal,
    "Fraction": Fraction,
    "fractions.Fraction": Fraction,
    "date": date,
    "datetime": datetime,
    "timedelta": timedelta,
    "datetime.date": date,
    "datetime.datetime": datetime,
    "datetime.time": time,
    "datetime.timedelta": timedelta,
}
_CONSTANTS: dict[str, object] = {
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
    "math.tau": math.tau,
    "timezone.utc": UTC,
    "datetime.timezone.utc": UTC,
}
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def evaluate_literal(node: ast.expr, names: Mapping[str, object] | None = None) -> object:
    """The value of `node`; `names` are values that were read before.

    Raises:
        NotLiteral: something would have to run, or the value would be too large.
    """
    try:
        return _evaluate(node, names or {})
    except NotLiteral:
        raise
    except (TypeError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise NotLiteral(str(error)) from error


def _evaluate(node: ast.expr, names: Mapping[str, object]) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.List(elts=items):
            return [_evaluate(item, names) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_evaluate(item, names) for item in items)
        case ast.Set(elts=items):
            return {_evaluate(item, names) for item in items}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {_evaluate(key, names): _evaluate(value, names) for key, value in pairs if key}
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(_evaluate(operand, names))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return +_number(_evaluate(operand, names))
        case ast.BinOp(left=left, op=op, right=right):
            return _calculate(op, _evaluate(left, names), _evaluate(right, names))
        case ast.Attribute() if (dotted := dotted_name(node) or "") in _CONSTANTS:
            return _CONSTANTS[dotted]
        case ast.Call(func=func, args=args, keywords=keywords):
            return _construct(func, args, keywords, names)
    raise NotLiteral(f"{type(node).__name__} is not a literal")


def _number(value: object) -> Any:
    if isinstance(value, int | float | complex | Decimal | Fraction | timedelta):
        return value
    raise NotLiteral("a sign stands before something that is not a number")


def _calculate(op: ast.operator, left: Any, right: Any) -> object:
    sequences = [side for side in (left, right) if isinstance(side, list | tuple | str | bytes)]
    if isinstance(op, ast.Mult) and sequences:
        repeats = [side for side in (left, right) if isinstance(side, int)]
        if len(repeats) != 1 or len(sequences[0]) * repeats[0] > _MAX_LENGTH:
            raise NotLiteral("the repetition is too long")
    elif sequences and not isinstance(op, ast.Add):
        raise NotLiteral("formatting is not a literal")
    elif isinstance(op, ast.Pow) and not _is_small_power(left, right):
        raise NotLiteral("the power is too large")
    elif any(isinstance(side, int) and side.bit_length() > _MAX_BITS for side in (left, right)):
        raise NotLiteral("the number is too large")
    if type(op) not in _OPERATORS:
        raise NotLiteral(f"{type(op).__name__} is not a literal")
    return _OPERATORS[type(op)](left, right)


def _is_small_power(base: object, exponent: object) -> bool:
    if isinstance(base, float) or isinstance(exponent, float):
        return True
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False
    return abs(exponent) * max(base.bit_length(), 1) <= _MAX_BITS


def _construct(
    func: ast.expr,
    args: list[ast.expr],
    keywords: list[ast.keyword],
    names: Mapping[str, object],
) -> object:
    name = dotted_name(func)
    if name not in _CONSTRUCTORS or name in names:
        raise NotLiteral(f"{name or 'something'} would have to be called")
    values = [_evaluate(arg, names) for arg in args]
    named = {word.arg: _evaluate(word.value, names) for word in keywords if word.arg is not None}
    if len(named) != len(keywords):
        raise NotLiteral("arguments are unpacked")
    if name in {"bytes", "bytearray"} and any(isinstance(value, int) for value in values):
        raise NotLiteral("a buffer of some length is made")
    if any(isinstance(value, range) and len(value) > _MAX_LENGTH for value in values):
        raise NotLiteral("the range is too long")
    return _CONSTRUCTORS[name](*values, **named)
