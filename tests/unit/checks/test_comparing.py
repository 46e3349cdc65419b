"""Relations between what came and what is expected."""

from __future__ import annotations

import pytest

from assay.checks.comparing import holds
from assay.checks.examples import Comparison, Relation, parse_example

OBJECT = {"object": {"type": "Thing", "repr": "3", "truth": True}}
DECIDES_ITSELF = {"object": {"type": "Thing", "repr": "3", "truth": False}}


def comparison(text: str) -> Comparison:
    found = parse_example(text).comparison
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        ("f(0) == 3", 3),
        ("f(0) == 3", 3.0),
        ("f(0) == 1", True),
        ("f(0) != 3", 4),
        ("f(0) != 3", "3"),
        ("f(0) < 3", 2),
        ("f(0) >= 3", 3),
        ("f(0) is None", None),
        ("f(0) is not None", OBJECT),
        ("f(0) is True", True),
        ("f(0) in (1, 2)", 2),
        ("f(0) in 'abc'", "b"),
        ("f(0) not in [1]", 2),
        ("'a' in f(0)", ["a"]),
        ("'a' in f(0)", "cat"),
        ("'a' not in f(0)", {"dict": [["b", 1]]}),
        ("f(0)", [0]),
        ("f(0)", OBJECT),
        ("not f(0)", []),
        ("abs(f(0) - 0.1) < 0.01", 0.105),
        ("abs(f(0) - 3) <= 1", 4),
        ("f(0) in range(10**18)", 3.0),
        ("3 in f(0)", {"range": ["0x0", hex(10**18), "0x1"]}),
        ("f(0)", [0] * 50_000),
        ("49_999 in f(0)", list(range(50_000))),
    ],
)
def test_what_holds(text: str, wire: object) -> None:
    assert holds(comparison(text), wire)


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        ("f(0) == 3", OBJECT),
        ("f(0) == [3]", [OBJECT]),
        ("f(0) == [1]", {"tuple": [1]}),
        ("f(0) == 3", {"float": "nan"}),
        ("f(0) != 3", OBJECT),
        ("f(0) < 3", "2"),
        ("f(0) < 3", OBJECT),
        ("f(0) < 3", {"decimal": "NaN"}),
        ("f(0) == 3", {"decimal": "sNaN"}),
        ("f(0) is True", 1),
        ("f(0) is None", OBJECT),
        ("f(0) in (1, 2)", OBJECT),
        ("f(0) in 'abc'", 1),
        ("f(0) not in [1]", OBJECT),
        ("'a' in f(0)", OBJECT),
        ("'a' in f(0)", [OBJECT]),
        ("f(0)", DECIDES_ITSELF),
        ("f(0)", 0),
        ("not f(0)", OBJECT),
        ("not f(0)", DECIDES_ITSELF),
        ("abs(f(0) - 0.1) < 0.01", {"float": "nan"}),
        ("abs(f(0) - 0.1) < 0.01", "0.1"),
        ("abs(f(0) - 3) < 1", 4),
        ("f(0) in range(10**18)", 3.5),
        ("f(0) in range(10**18)", "3"),
        ("3.5 in f(0)", {"range": ["0x0", hex(10**18), "0x1"]}),
        ("f(0)", {"set": [{"int": hex(n * (2**61 - 1))} for n in range(100_000)]}),
        ("f(0)", {"dict": [[{"int": hex(n * (2**61 - 1))}, 0] for n in range(100_000)]}),
        ("abs(f(0) - 0.1) < 0.01", OBJECT),
        ("f(0) == 3", {"unknown": 3}),
    ],
)
def test_what_does_not(text: str, wire: object) -> None:
    assert not holds(comparison(text), wire)


def test_a_value_does_not_stand_for_an_error() -> None:
    raises = Comparison("f(0)", "f(0)", Relation.RAISES, ("ValueError",))
    assert not holds(raises, 1)
