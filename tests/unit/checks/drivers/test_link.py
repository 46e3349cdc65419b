"""Values, objects and callbacks behave across the link as in one process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.checks.drivers.assay_link.remote import Remote

Judge = Callable[[str, str], Remote]

CASES = {
    "call": (
        """
def add(a, b=2): return a + b
""",
        """
assert add(1) == 3 and add(1, b=4) == 5
""",
    ),
    "data": (
        """
def same(x): return x
""",
        """
import collections, datetime, decimal, fractions, math, pathlib, uuid
values = [
    None, True, 0, -1, 2**200, 1.5, -0.0, math.inf, 1j, "ä\\ud800", b"\\x00", bytearray(b"x"), (),
    (1, (2,)),
    [], [[1]], {}, {(1, 2): [3]}, {1, "a"}, frozenset({(1,)}), range(1, 9, 2), slice(1, None), ...,
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.timezone.utc), datetime.date(2020, 1, 2),
    datetime.time(1, 2), datetime.timedelta(1, 2, 3), decimal.Decimal("1.10"),
    fractions.Fraction(1, 3), uuid.UUID(int=5), pathlib.Path("/a/b"), int, ValueError,
    collections.Counter("aab"), collections.OrderedDict(a=1), collections.deque([1, 2], 3),
]
for value in values:
    result = same(value)
    assert result == value and type(result) is type(value), value
assert math.isnan(same(math.nan))
assert same(collections.defaultdict(int, a=1))["b"] == 0
""",
    ),
    "changed in place": (
        """
def fill(items, seen):
    items.sort()
    seen.add(len(items))
    items[0].append(9)
""",
        """
a, s = [[3], [1]], set()
fill(a, s)
assert a == [[1, 9], [3]] and s == {2}
""",
    ),
    "kept and changed later": (
        """
kept = []
def keep(x): kept.append(x)
def change(): kept[0]['a'] = 1
""",
        """
d = {}
keep(d)
change()
assert d == {'a': 1} and kept[0] is d
""",
    ),
    "inner list of an object": (
        """
class Stack:
    def __init__(self): self.items = []
    def top(self): return self.items[-1]
""",
        """
s = Stack()
s.items.append(3)
assert s.top() == 3 and s.items is s.items
""",
    ),
    "result that is the argument": (
        """
def same(x): return x
""",
        """
x = [1]
assert same(x) is x
""",
    ),
    "cyclic": (
        """
def f():
    x = []
    x.append(x)
    return x
""",
        """
x = f()
assert x[0] is x
""",
    ),
    "class": (
        """
class P:
    def __init__(self, x): self.x = x
    def __add__(self, o): return P(self.x + o.x)
    def __repr__(self): return f'P({self.x})'
""",
        """
p = P(1) + P(2)
assert p.x == 3
assert isinstance(p, P) and repr(p) == 'P(3)' and type(p) is P
""",
    ),
    "inheritance": (
        """
class A:
    def f(self): return 'A'
class B(A):
    f = property(lambda self: 'B')
""",
        """
assert issubclass(B, A)
assert isinstance(B(), A) and A().f() == 'A' and B().f == 'B'
""",
    ),
    "error with attributes": (
        """
class E(ValueError):
    def __init__(self, m, code):
        super().__init__(m)
        self.code = code
def f(): raise E('bad', 3)
""",
        """
try:
    f()
except E as e:
    assert e.code == 3 and str(e) == 'bad' and e.args == ('bad',)
else:
    raise AssertionError
assert issubclass(E, ValueError)
""",
    ),
    "error of the library": (
        """
import json
def f(): return json.loads('{')
""",
        """
import json
try:
    f()
except json.JSONDecodeError as e:
    assert e.pos == 1
else:
    raise AssertionError
""",
    ),
    "enum": (
        """
import enum
class C(enum.Enum):
    RED = 1
    BLUE = 2
def f(c): return C.BLUE if c is C.RED else C.RED
""",
        """
assert f(C.RED) is C.BLUE
assert C(1) is C['RED']
assert [c.name for c in C] == ['RED', 'BLUE']
assert C.RED in C and len(C) == 2
""",
    ),
    "integer enum": (
        """
import enum
class L(enum.IntEnum):
    LOW = 1
    HIGH = 2
""",
        """
assert L.LOW == 1 and L.LOW < L.HIGH and L(2) is L.HIGH and L.HIGH + 1 == 3
""",
    ),
    "named tuple": (
        """
from collections import namedtuple
P = namedtuple('P', 'x y')
def f(): return P(1, 2)
""",
        """
p = f()
assert p == (1, 2) and p.y == 2 and p._asdict() == {'x': 1, 'y': 2} and repr(p) == 'P(x=1, y=2)'
assert isinstance(p, P)
""",
    ),
    "subclass of list": (
        """
class L(list):
    def total(self): return sum(self)
    def append(self, x): super().append(x * 2)
""",
        """
x = L([1])
x.append(2)
assert x == [1, 4] and x.total() == 5 and len(x) == 2
""",
    ),
    "subclass of dict": (
        """
class D(dict):
    def __missing__(self, key): return key * 2
""",
        """
d = D(a=1)
assert d == {'a': 1} and d['b'] == 'bb'
d['c'] = 3
assert dict(d) == {'a': 1, 'c': 3}
""",
    ),
    "generator": (
        """
def count(n):
    got = yield 0
    for i in range(n):
        got = yield (i, got)
""",
        """
g = count(2)
assert next(g) == 0 and g.send('x') == (0, 'x') and list(g) == [(1, None)]
""",
    ),
    "callback": (
        """
def apply(f, *args, **kwargs): return f(*args, **kwargs)
""",
        """
seen = []
assert apply(lambda x, y=2: x + y, 1) == 3
apply(seen.append, 4)
assert seen == [4]
""",
    ),
    "callback that raises": (
        """
def f(g):
    try:
        g()
    except KeyError as e:
        return repr(e)
""",
        """
def g(): raise KeyError('k')
assert f(g) == "KeyError('k')"
""",
    ),
    "decorator": (
        """
import functools
def twice(f):
    @functools.wraps(f)
    def g(*a, **k): return f(*a, **k) * 2
    return g
""",
        """
@twice
def f(x: int) -> int:
    'doc'
    return x + 1
assert f(2) == 6 and f.__name__ == 'f' and f.__doc__ == 'doc'
class K:
    @twice
    def m(self): return 4
assert K().m() == 8
""",
    ),
    "signature of a callback": (
        """
import inspect
def f(g): return str(inspect.signature(g)), g.__code__.co_argcount
""",
        """
assert f(lambda a, /, b, *, c=1: 0) == ('(a, /, b, *, c=1)', 2)
""",
    ),
    "mutual recursion": (
        """
def memo(f):
    known = {}
    def g(n):
        if n not in known: known[n] = f(n)
        return known[n]
    return g
""",
        """
fib = memo(lambda n: n if n < 2 else fib(n - 1) + fib(n - 2))
assert fib(90) == 2880067194370816120
""",
    ),
    "recursion": (
        """
def f(n): return n and 1 + f(n - 1)
""",
        """
assert f(900) == 900
""",
    ),
    "global data": (
        """
count = 0
def inc():
    global count
    count += 1
""",
        """
inc()
inc()
assert count == 2
""",
    ),
    "object of the tests": (
        """
def area(s): return s.w * s.h
def rename(s): s.name = 'x'
""",
        """
class S:
    w, h = 2, 3
s = S()
assert area(s) == 6
rename(s)
assert s.name == 'x'
""",
    ),
    "iterator of the tests": (
        """
def f(x): return [i * 2 for i in x]
""",
        """
assert f(iter([1, 2])) == [2, 4]
assert f(i for i in 'ab') == ['aa', 'bb']
""",
    ),
    "file of the tests": (
        """
def f(file):
    file.write('x')
    return file.getvalue()
""",
        """
import io
s = io.StringIO()
assert f(s) == 'x' == s.getvalue()
""",
    ),
    "mock": (
        """
def f(m): return m.get('a').json()
""",
        """
from unittest.mock import Mock
m = Mock()
m.get.return_value.json.return_value = {'k': 1}
assert f(m) == {'k': 1}
m.get.assert_called_once_with('a')
""",
    ),
    "context manager": (
        """
class C:
    def __enter__(self):
        self.log = ['in']
        return self
    def __exit__(self, kind, error, tb):
        self.log.append(kind)
        return kind is KeyError
""",
        """
with C() as c:
    raise KeyError
assert c.log == ['in', KeyError]
""",
    ),
    "import star": (
        """
a = 1
_b = 2
def f(): pass
""",
        """
import sys
assert f() is None and a == 1 and _b == 2
""",
    ),
    "patched and restored": (
        """
def now(): return 1
def f(): return now()
class K:
    def m(self): return 1
""",
        """
from unittest.mock import patch
import solution
with patch.object(solution, 'now', lambda: 5):
    assert f() == 5
assert f() == 1
with patch.object(K, 'm', lambda self: 7):
    assert K().m() == 7
assert K().m() == 1
""",
    ),
    "cause": (
        """
def f():
    try:
        int('x')
    except ValueError as e:
        raise KeyError('k') from e
""",
        """
try:
    f()
except KeyError as e:
    assert isinstance(e.__cause__, ValueError)
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_correct_code_passes(judge: Judge, case: str) -> None:
    remote = judge(*CASES[case])
    assert remote.handles_compared == 0
    assert remote.ended is None
