"""Whether what came out of the sandbox is what was expected; decided outside, on plain data."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from assay.checks.examples import Comparison, Relation
from assay.checks.values import BadWire, Opaque, count_nodes, decode, equal

_MAX_NODES = 200_000
"""For relations in which the result may have more parts than the expected value."""


def holds(comparison: Comparison, wire: object) -> bool:
    """Whether the encoded result `wire` stands in the wanted relation to what is expected."""
    expected = comparison.expected
    if comparison.relation is Relation.EQUAL:
        try:
            return equal(expected, decode(wire, count_nodes(expected)))
        except BadWire:
            return False
    try:
        got = decode(wire, _MAX_NODES)
        return _relates(comparison.relation, got, expected)
    except (BadWire, TypeError, ArithmeticError):
        return False


def _relates(relation: Relation, got: Any, expected: Any) -> bool:
    if isinstance(got, Opaque):
        # All that is known of an object is that it is none of the singletons.
        if relation is Relation.IS_NOT:
            return True
        return relation is Relation.TRUE and got.is_truthy
    return _TESTS[relation](got, expected) if relation in _TESTS else False


def _near(got: Any, expected: Any) -> bool:
    value, tolerance = expected
    return bool(math.isfinite(got) and abs(got - value) <= tolerance)


def _nearer(got: Any, expected: Any) -> bool:
    value, tolerance = expected
    return bool(math.isfinite(got) and abs(got - value) < tolerance)


def _contains(container: Any, value: Any) -> bool:
    if isinstance(container, range):
        # Anything but a whole number would be looked for in each of its numbers, without end.
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return whole and int(value) in container
    if isinstance(container, str | bytes):
        return value in container
    return any(equal(item, value) for item in container)


_TESTS: dict[Relation, Callable[[Any, Any], bool]] = {
    Relation.NOT_EQUAL: lambda got, expected: not equal(got, expected),
    Relation.LESS: operator.lt,
    Relation.LESS_EQUAL: operator.le,
    Relation.GREATER: operator.gt,
    Relation.GREATER_EQUAL: operator.ge,
    Relation.IS: operator.is_,
    Relation.IS_NOT: operator.is_not,
    Relation.IN: lambda got, expected: _contains(expected, got),
    Relation.NOT_IN: lambda got, expected: not _contains(expected, got),
    Relation.CONTAINS: _contains,
    Relation.LACKS: lambda got, expected: not _contains(got, expected),
    Relation.TRUE: lambda got, _: bool(got),
    Relation.FALSE: lambda got, _: not got,
    Relation.NEAR: _near,
    Relation.NEARER: _nearer,
}
