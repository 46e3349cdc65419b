"""Values cross as data: what the driver encodes is decoded here, and nothing is believed."""

from __future__ import annotations

import enum
import importlib.util
import json
import math
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay.checks
from assay.checks.values import BadWire, Opaque, count_nodes, decode, equal, show


def _load_wire() -> types.ModuleType:
    path = Path(assay.checks.__file__).parent / "drivers" / "assay_wire.py"
    spec = importlib.util.spec_from_file_location("assay_wire", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


encode: Callable[[object], object] = _load_wire().encode

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**20)
    | st.floats()
    | st.complex_numbers(allow_nan=False)
    | st.text(st.characters(exclude_categories=[]))
    | st.binary()
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(UTC))
    | st.times()
    | st.timedeltas()
    | st.fractions()
    | st.decimals(allow_nan=False)
)
hashable = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner),
    max_leaves=5,
).filter(lambda value: "nan" not in repr(value))
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.sets(hashable, max_size=4)
        | st.dictionaries(hashable, inner, max_size=4)
    ),
    max_leaves=15,
)


def cross(value: object, max_nodes: int = 10_000) -> object:
    return decode(json.loads(json.dumps(encode(value))), max_nodes)


@given(values)
def test_data_comes_back_as_it_was(value: object) -> None:
    back = cross(value)
    assert type(back) is type(value)
    assert equal(value, back)


@given(values)
def test_as_many_nodes_are_allowed_as_the_value_has(value: object) -> None:
    nodes = count_nodes(value)
    assert equal(value, cross(value, nodes))
    with pytest.raises(BadWire):
        cross(value, nodes - 1)


class _Equal:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class _LyingInt(int):
    def __eq__(self, other: object) -> bool:
        return True

    def __index__(self) -> int:
        return 3

    __hash__ = int.__hash__


class _LyingList(list[int]):
    def __iter__(self) -> Any:
        return iter([3])


class _LyingText(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "wanted"


class _Number(enum.IntEnum):
    ONE = 1


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (_LyingInt(7), 7),
        (_LyingList([7]), [7]),
        (_LyingText("real"), "real"),
        (_Number.ONE, 1),
        (Point(1, 2), (1, 2)),
        (defaultdict(list, {1: [2]}), {1: [2]}),
        (Counter("aab"), {"a": 2, "b": 1}),
        (OrderedDict(b=1, a=2), {"a": 2, "b": 1}),
        ({1: 2}.keys(), {1}),
        ({1: 2}.items(), {(1, 2)}),
        (types.MappingProxyType({1: 2}), {1: 2}),
        (bytearray(b"ab"), b"ab"),
        (memoryview(b"ab"), b"ab"),
        (range(1, 9, 2), range(1, 9, 2)),
        ([True, 1, 1.0], [True, 1, 1.0]),
        (float("nan"), float("nan")),
        (-0.0, 0.0),
    ],
)
def test_subclasses_are_read_as_the_data_they_hold(value: object, plain: object) -> None:
    back = cross(value)
    assert equal(plain, back)
    assert type(back) is type(plain)


def _cycle() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


def _deep() -> list[object]:
    value: list[object] = []
    for _ in range(1000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [object(), _Equal(), len, types, deque([1]), _cycle(), _deep(), [0] * 300_000, "x" * 2_000_000],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_data_is_opaque_and_equals_nothing(value: object) -> None:
    back = cross(value)
    assert isinstance(back, Opaque)
    assert not equal(back, back)
    assert not equal([back], [back])


def test_an_opaque_part_keeps_the_rest() -> None:
    back = cross([1, object()])
    assert isinstance(back, list)
    assert back[0] == 1
    assert isinstance(back[1], Opaque)


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        (1, True, True),
        (1, 1.0, True),
        ([1], (1,), False),
        ({1, 2}, frozenset({1, 2}), True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        (math.nan, math.nan, True),
        ([math.nan], [math.nan], True),
        (math.nan, 1.0, False),
        ("1", 1, False),
        (b"a", "a", False),
        (Decimal("1.0"), 1, True),
        (Decimal("sNaN"), 1, False),
        (Fraction(1, 2), 0.5, True),
        (date(2024, 1, 1), datetime(2024, 1, 1), False),  # noqa: DTZ001 (naive on purpose)
        (time(1), time(1), True),
        (timedelta(days=1), timedelta(hours=24), True),
    ],
)
def test_equality_is_that_of_python(left: object, right: object, wanted: bool) -> None:
    assert equal(left, right) is wanted


wires = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.builds(
            lambda tag, content: {tag: content},
            st.sampled_from(
                [
                    "tuple",
                    "set",
                    "frozenset",
                    "dict",
                    "bytes",
                    "int",
                    "float",
                    "complex",
                    "decimal",
                    "fraction",
                    "range",
                    "date",
                    "datetime",
                    "time",
                    "timedelta",
                    "object",
                ]
            ),
            inner,
        )
    ),
)


@given(wires)
def test_hostile_data_is_refused_or_decoded_and_never_breaks(wire: object) -> None:
    assert isinstance(show(wire), str)
    try:
        value = decode(wire, 1000)
    except BadWire:
        return
    count_nodes(value)


@pytest.mark.parametrize(
    "wire",
    [
        {"set": [[1]]},
        {"set": [{"set": []}]},
        {"dict": [[1]]},
        {"dict": [[[], 1]]},
        {"int": "0x" + "z"},
        {"fraction": ["0x1", "0x0"]},
        {"fraction": ["0x" + "f" * 500_000, "0x" + "e" * 500_000]},
        {"timedelta": [10**30, 0, 0]},
        {"date": "0000-00-00"},
        {"object": {"type": "int"}},
        {"tuple": [], "set": []},
        {"eval": "1"},
        {},
    ],
    ids=lambda wire: json.dumps(wire)[:30],
)
def test_malformed_data_is_refused(wire: object) -> None:
    with pytest.raises(BadWire):
        decode(wire, 1000)


def test_a_set_of_colliding_numbers_costs_nothing_against_a_small_expectation() -> None:
    colliding = {"set": [{"int": hex(n * ((1 << 61) - 1))} for n in range(200_000)]}
    with pytest.raises(BadWire):
        decode(colliding, count_nodes({1, 2, 3}))
    assert show(colliding).endswith("…")


def test_a_number_of_many_digits_is_shown() -> None:
    assert show({"int": hex(10**20_000)}).startswith('{"int"')
