"""Correct programs in many styles: no check may fail any of them.

Each is a program, a line of dashes, and plain asserts; `judged` says who has to judge them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.domain.verdict import Verdict

Check = Callable[..., dict[str, Verdict]]

OUTSIDE = {
    "recursion": """
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
----
assert fact(5) == 120
assert fact(30) == 265252859812191058636308480000000
""",
    "mutual-recursion": """
def is_even(n):
    return True if n == 0 else is_odd(n - 1)
def is_odd(n):
    return False if n == 0 else is_even(n - 1)
----
assert is_even(10)
assert not is_even(7)
assert is_odd(7) is True
assert is_odd(8) == False
""",
    "import-used-in-function": """
import math
def area(r):
    return math.pi * r * r
----
assert abs(area(1) - 3.14159) < 1e-4
assert round(area(2), 2) == 12.57
assert area(1) > 3
assert 3 < area(1)
""",
    "generator": """
def squares(n):
    for i in range(n):
        yield i * i
----
assert list(squares(4)) == [0, 1, 4, 9]
assert sum(squares(4)) == 14
assert next(squares(1)) == 0
""",
    "comprehension-of-calls": """
def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
----
assert [fib(i) for i in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]
""",
    "defaultdict": """
from collections import defaultdict
def group(words):
    found = defaultdict(list)
    for word in words:
        found[len(word)].append(word)
    return found
----
assert group(["a", "bb", "c"]) == {1: ["a", "c"], 2: ["bb"]}
""",
    "counter": """
from collections import Counter
def count(text):
    return Counter(text)
----
assert count("aab") == {"a": 2, "b": 1}
assert count("aab")["a"] == 2
""",
    "ordered-dict": """
from collections import OrderedDict
def unique(items):
    return OrderedDict((item, True) for item in items)
----
assert unique("ab") == {"b": True, "a": True}
assert list(unique("ab").keys()) == ["a", "b"]
""",
    "namedtuple": """
from collections import namedtuple
Point = namedtuple("Point", "x y")
def origin():
    return Point(0, 0)
----
assert origin() == (0, 0)
assert origin().x == 0
""",
    "typed-namedtuple": """
from typing import NamedTuple
class Span(NamedTuple):
    start: int
    end: int = 5
def span(start):
    return Span(start)
----
assert span(2) == (2, 5)
""",
    "tuple-is-not-list": """
def pair(a, b):
    return a, b
----
assert pair(1, 2) == (1, 2)
assert pair(1, 2) != [1, 2]
""",
    "sets": """
def letters(text):
    return set(text)
----
assert letters("aba") == {"a", "b"}
assert letters("") == set()
assert letters("ab") == frozenset("ab")
""",
    "set-of-tuples": """
def edges():
    return {(1, 2), (2, 3)}
----
assert edges() == {(2, 3), (1, 2)}
""",
    "dict-views": """
def keys(d):
    return d.keys()
def items(d):
    return d.items()
----
assert keys({"a": 1}) == {"a"}
assert items({"a": 1}) == {("a", 1)}
""",
    "bytes": """
def pack(n):
    return n.to_bytes(4, "big")
def grow(n):
    return bytearray(n)
----
assert pack(258) == b"\\x00\\x00\\x01\\x02"
assert grow(2) == b"\\x00\\x00"
""",
    "dates": """
from datetime import date, datetime, timedelta, timezone
def next_day(day):
    return day + timedelta(days=1)
def epoch():
    return datetime(1970, 1, 1, tzinfo=timezone.utc)
----
from datetime import date, datetime, timedelta, timezone
assert next_day(date(2024, 2, 28)) == date(2024, 2, 29)
assert epoch() == datetime(1970, 1, 1, tzinfo=timezone.utc)
assert next_day(datetime(2024, 12, 31, 10, 30)) == datetime(2025, 1, 1, 10, 30)
""",
    "decimal-and-fraction": """
from decimal import Decimal
from fractions import Fraction
def total(prices):
    return sum(Decimal(price) for price in prices)
def half(n):
    return Fraction(n, 2)
----
from decimal import Decimal
from fractions import Fraction
assert total(["1.10", "2.20"]) == Decimal("3.30")
assert half(3) == Fraction(3, 2)
assert half(4) == 2
""",
    "complex": """
import cmath
def roots():
    return (cmath.sqrt(-4), 1 + 0j)
----
assert roots() == (2j, 1)
""",
    "infinities": """
def limits():
    return float("inf"), float("-inf"), float("nan")
----
import math
assert limits()[0] == float("inf")
assert limits()[1] == -math.inf
assert limits()[2] == float("nan")
""",
    "int-float-bool": """
def mean(xs):
    return sum(xs) / len(xs)
def yes():
    return 1
----
assert mean([1, 3]) == 2
assert yes() == True
assert yes() == 1.0
""",
    "big-numbers": """
def power(a, b):
    return a ** b
----
assert power(2, 200) == 2 ** 200
assert power(-3, 101) == -(3 ** 101)
""",
    "unicode": """
def shout(text):
    return text.upper() + "\\U0001f389"
----
assert shout("straße") == "STRASSE🎉"
""",
    "lone-surrogate": """
def half():
    return "\\ud800"
----
assert half() == "\\ud800"
""",
    "enum-of-int": """
from enum import IntEnum
class Color(IntEnum):
    RED = 1
def red():
    return Color.RED
----
assert red() == 1
""",
    "mutable-default": """
def remember(x, seen=[]):
    seen.append(x)
    return list(seen)
----
assert remember(1) == [1]
assert remember(2) == [1, 2]
""",
    "memo": """
from functools import lru_cache
@lru_cache(maxsize=None)
def paths(r, c):
    return 1 if 1 in (r, c) else paths(r - 1, c) + paths(r, c - 1)
----
assert paths(16, 16) == 155117520
""",
    "class-with-methods": """
class Stack:
    def __init__(self):
        self._items = []
    def push(self, item):
        self._items.append(item)
        return self
    def pop(self):
        return self._items.pop()
----
assert Stack().push(1).push(2).pop() == 2
""",
    "equality-of-its-own": """
class Money:
    def __init__(self, cents):
        self.cents = cents
    def __eq__(self, other):
        return isinstance(other, Money) and self.cents == other.cents
    def __hash__(self):
        return hash(self.cents)
def total(*parts):
    return Money(sum(parts))
----
assert total(1, 2).cents == 3
""",
    "objects-are-true": """
import re
def find(pattern, text):
    return re.search(pattern, text)
----
assert find("b", "abc")
assert find("x", "abc") is None
assert find("b", "abc") is not None
assert not find("x", "abc")
""",
    "raises": """
def root(n):
    if n < 0:
        raise ValueError("negative")
    return n ** 0.5
----
import pytest
def test_root():
    assert root(4) == 2
    with pytest.raises(ValueError):
        root(-1)
def test_lookup():
    with pytest.raises((LookupError, ValueError)):
        root(-4)
""",
    "test-functions": """
def clamp(x, low, high):
    return max(low, min(x, high))
----
from clamps import clamp
LOW = 0
def test_low():
    '''below'''
    assert clamp(-5, LOW, 10) == 0
def test_high():
    high = 10
    expected = 10
    assert clamp(50, LOW, high) == expected, "too high"
""",
    "constants-in-tests": """
def deep(data):
    return [pair for pair in data.items()]
----
data = {"a": [1, 2], "b": None}
expected = [("a", [1, 2]), ("b", None)]
assert deep(data) == expected
""",
    "module-name-of-the-tests": """
VERSION = "1"
def greet(name="you"):
    return f"hello {name}"
----
import greeting
from greeting import greet
assert greeting.greet("me") == "hello me"
assert greet() == "hello you"
""",
    "prints-meanwhile": """
def add(a, b):
    print("adding", a, b)
    return a + b
print("loaded")
----
assert add(1, 2) == 3
""",
    "star-arguments": """
def merge(*dicts, **more):
    out = {}
    for d in dicts:
        out.update(d)
    return {**out, **more}
----
assert merge({"a": 1}, {"b": 2}, c=3) == {"a": 1, "b": 2, "c": 3}
assert merge(*[{"a": 1}, {"a": 2}]) == {"a": 2}
""",
    "higher-order": """
def compose(f, g):
    return lambda x: f(g(x))
def keep(predicate, items):
    return [item for item in items if predicate(item)]
----
assert compose(lambda x: x + 1, lambda x: x * 2)(5) == 11
assert keep(lambda x: x > 2, [1, 2, 3]) == [3]
""",
    "keys-of-many-kinds": """
def table():
    return {1: "int", "1": "str", (1, 2): "tuple", None: "none", 2.5: "float", b"x": "bytes"}
----
assert table() == {1: "int", "1": "str", (1, 2): "tuple", None: "none", 2.5: "float", b"x": "bytes"}
""",
    "membership": """
def names():
    return ["ann", "bob"]
----
assert "ann" in names()
assert "eve" not in names()
assert names()[0] in ("ann", "eve")
""",
    "range-result": """
def span(n):
    return range(n)
----
assert span(3) == range(3)
assert list(span(2)) == [0, 1]
""",
    "nested": """
def find_intf(node):
    found = []
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "intf":
                found.append((key, value))
            found += find_intf(value)
    elif isinstance(node, list):
        for item in node:
            found += find_intf(item)
    return found
----
assert find_intf({"a": {"intf": 1}, "b": [{"c": {"intf": 2}}]}) == [("intf", 1), ("intf", 2)]
""",
    "reads-attachment": """
import csv
def rows():
    with open("rows.csv", newline="") as file:
        return list(csv.DictReader(file))
----
assert rows() == [{"a": "1", "b": "2"}]
""",
    "pickles": """
import pickle
from dataclasses import dataclass
@dataclass
class Item:
    name: str
def copy_name(name):
    return pickle.loads(pickle.dumps(Item(name))).name
----
assert copy_name("x") == "x"
""",
    "processes": """
from concurrent.futures import ProcessPoolExecutor
def square(x):
    return x * x
def squares(xs):
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(square, xs))
----
assert squares([1, 2, 3]) == [1, 4, 9]
""",
    "async-inside": """
import asyncio
async def fetch(x):
    await asyncio.sleep(0)
    return x
def fetch_all(xs):
    async def main():
        return await asyncio.gather(*(fetch(x) for x in xs))
    return asyncio.run(main())
----
assert fetch_all([1, 2]) == [1, 2]
""",
}

IN_PROCESS = {
    "dataclass-equality": """
from dataclasses import dataclass
@dataclass
class Point:
    x: int
    y: int
def shift(p):
    return Point(p.x + 1, p.y)
----
assert shift(Point(1, 2)) == Point(2, 2)
""",
    "stateful-object": """
class Account:
    def __init__(self):
        self.balance = 0
    def pay_in(self, amount):
        self.balance += amount
----
account = Account()
account.pay_in(5)
assert account.balance == 5
""",
    "in-place": """
def sort_in_place(items):
    items.sort()
----
items = [3, 1, 2]
sort_in_place(items)
assert items == [1, 2, 3]
""",
    "loop-of-cases": """
def double(x):
    return 2 * x
----
for given, wanted in [(1, 2), (3, 6)]:
    assert double(given) == wanted
""",
    "error-by-hand": """
def root(n):
    if n < 0:
        raise ValueError("negative")
    return n ** 0.5
----
def test_negative():
    try:
        root(-1)
    except ValueError as error:
        assert "negative" in str(error)
    else:
        raise AssertionError("no error")
""",
    "unittest": """
def add(a, b):
    return a + b
----
import unittest
from adding import add
class AddTest(unittest.TestCase):
    def setUp(self):
        self.one = 1
    def test_add(self):
        self.assertEqual(add(self.one, 2), 3)
if __name__ == "__main__":
    unittest.main()
""",
    "private-name": """
def _inner(x):
    return x
def outer(x):
    return _inner(x)
----
x = _inner(outer(3))
assert x == 3
""",
    "monkeypatched-by-the-test": """
import time
def stamp():
    return time.time()
----
time.time = lambda: 5
assert stamp() == 5
""",
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_judged_outside(check: Check, name: str) -> None:
    _assert_all_pass(check, OUTSIDE[name], "outside")


@pytest.mark.parametrize("name", IN_PROCESS)
def test_judged_in_process(check: Check, name: str) -> None:
    _assert_all_pass(check, IN_PROCESS[name], "in_process")


def _assert_all_pass(check: Check, text: str, judged: str) -> None:
    code, tests = text.split("----\n")
    verdicts = check(code, tests=tests, attachments={"rows.csv": "a,b\n1,2\n"})
    assert {name: one.outcome for name, one in verdicts.items()} == {
        "imports": "passed",
        "execution": "passed",
        "tests": "passed",
    }, verdicts["tests"]
    assert verdicts["tests"].judged == judged
    assert verdicts["tests"].evidence.passed == verdicts["tests"].evidence.total > 0
