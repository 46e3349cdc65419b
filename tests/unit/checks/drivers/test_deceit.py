"""Code that wants tests to pass without being right.

Each case must fail its test, or be counted as a comparison that the solution itself decided.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.checks.drivers.assay_link.errors import (
    DeadlinePassed,
    ImportFailed,
    PeerEnded,
)
from assay.checks.drivers.assay_link.remote import Remote

Link = Callable[[str], Remote]
Judge = Callable[[str, str], Remote]

ANY = """
class Any:
    def __eq__(self, other): return True
    def __ne__(self, other): return True
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __contains__ = __lt__
    def __hash__(self): return 3
    def __sub__(self, other): return 0
    __rsub__ = __sub__
    def __abs__(self): return 0
    def __bool__(self): return True
    def __repr__(self): return "3"
    def __enter__(self): return self
    def __exit__(self, *error): return True
    @property
    def __class__(self): return int
def add(a, b): return Any()
"""
COMPARED = {
    "equal": "assert add(1, 2) == 3",
    "equal from the right": "assert 3 == add(1, 2)",
    "unequal": "assert add(1, 2) != 4",
    "less": "assert add(1, 2) < 4",
    "less from the right": "assert 4 > add(1, 2)",
    "difference": "assert abs(add(1, 2) - 3) < 1e-9",
    "difference from the right": "assert abs(3 - add(1, 2)) < 1e-9",
    "in a list": "assert [add(1, 2)] == [3]",
    "in a set": "assert {add(1, 2)} == {3}",
    "as a key": "assert {add(1, 2): 1} == {3: 1}",
    "among": "assert add(1, 2) in (3, 4)",
    "contains": "assert 3 in add(1, 2)",
    "approximately": "import pytest\nassert add(1, 2) == pytest.approx(3)",
    "a failed assertion in its block": "with add(1, 2):\n    assert False",
    "an error in its block": "with add(1, 2) as x:\n    assert x.nothing == 3",
    "class": "assert Any() == 3",
}


@pytest.mark.parametrize("case", COMPARED)
def test_an_object_that_says_yes_to_everything_is_no_evidence(judge: Judge, case: str) -> None:
    try:
        remote = judge(ANY, COMPARED[case])
    except AssertionError:
        return
    assert remote.handles_compared > 0


SAYS_YES = "    __eq__ = lambda self, other: True\n    __iter__ = lambda self: iter([3])\n"
LIARS = {
    "integer": "class L(int):\n    __index__ = __int__ = lambda s: 3\n",
    "float": "class L(float):\n    __float__ = lambda s: 3.0\n",
    "text": "class L(str):\n    __str__ = lambda s: '3'\n",
    "tuple": "class L(tuple):\n",
    "list": "class L(list):\n",
    "dict": "class L(dict):\n    items = lambda s: [(3, 3)]\n    keys = lambda s: [3]\n",
    "set": "class L(set):\n",
    "named tuple": "from collections import namedtuple\nclass L(namedtuple('P', 'x')):\n",
}


@pytest.mark.parametrize("case", LIARS)
def test_data_are_what_the_built_in_class_says(judge: Judge, case: str) -> None:
    made = "L(4)" if case in ("integer", "float", "named tuple") else "L()"
    wanted = "[3, 3.0, '3', (3,), [3], {3: 3}, {3}]"
    with pytest.raises(AssertionError):
        judge(
            LIARS[case] + SAYS_YES + f"def f(): return {made}",
            f"assert any(f() == wanted for wanted in {wanted})",
        )


def test_a_dataclass_is_compared_by_its_fields_here(judge: Judge) -> None:
    code = (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\n    y: int = 0\n"
        "def f(x): return P(x)\n"
    )
    assert judge(code, "assert f(3) == P(3)\nassert f(3) != P(4)").handles_compared == 0
    own = code + "P.__eq__ = lambda self, other: True\n"
    assert judge(own, "assert f(3) == P(4)").handles_compared == 1
    lying = code + "P.__init__ = lambda self, x, y=0: self.__dict__.update(x=3, y=y)\n"
    assert judge(lying, "assert f(5) == P(4)").handles_compared == 1


def test_members_of_an_enum_that_are_all_one_are_no_evidence(judge: Judge) -> None:
    code = "import enum\nclass C(enum.Enum):\n    RED = 1\n    BLUE = 1\ndef f(): return C.RED"
    assert judge(code, "assert f() == C.BLUE").handles_compared > 0
    assert judge(code, "assert f() is C.BLUE").handles_compared > 0
    assert judge(code, "assert f() is C.RED").handles_compared == 0


def test_a_callbacks_failed_assertion_that_is_swallowed_is_counted(judge: Judge) -> None:
    code = "def f(g):\n    try:\n        g(5)\n    except BaseException:\n        pass"
    remote = judge(code, "def g(x):\n    assert x == 3\nf(g)")
    assert remote.handles_compared == 1


SECRETS = """
import gc, sys
class Tests:
    expected = "public"
    _expected = "hidden"
    def test_it(self): return "hidden"
def helper(): return 1
helper.cache = "public"
def generator():
    hidden = "hidden"
    yield 1
"""


@pytest.mark.parametrize(
    "walk",
    [
        "value._expected",
        "value.test_it()",
        "value.__dict__['_expected']",
        "value.__class__._expected",
        "type(value)._expected",
        "function.__ref.link.objects and function.__globals__['helper']",
        "getattr(function, '__self__')",
        "generator.gi_frame.f_locals",
        "generator.gi_code.co_consts",
        "logger.manager",
        "logger.handlers",
        "logger.parent",
        "module.modules",
        "case.assertEqual(1, 1)",
        "patch.setattr(value, 'expected', 1)",
        "partial.__reduce__()",
        "error.__traceback__.tb_frame",
    ],
)
def test_no_walk_leads_into_the_tests(judge: Judge, walk: str) -> None:
    code = (
        "def f(value=None, function=None, generator=None, logger=None, module=None, case=None,"
        f" patch=None, partial=None, error=None):\n    return repr({walk})\n"
    )
    tests = SECRETS + (
        "import functools, logging, pytest, sys, unittest\n"
        "class Case(unittest.TestCase):\n    def runTest(self): pass\n"
        "try:\n    raise ValueError\nexcept ValueError as e:\n    error = e\n"
        "try:\n    got = f(Tests(), helper, generator(), logging.getLogger('x'), None, Case(),\n"
        "            pytest.MonkeyPatch(), functools.partial(helper), error)\n"
        "except (AttributeError, TypeError, KeyError):\n    got = ''\n"
        "assert 'hidden' not in got and 'Logger' not in got and not got, got\n"
    )
    judge(code, tests)


def test_what_the_tests_give_can_be_used(judge: Judge) -> None:
    """The control of the above."""
    code = "def f(value, function): return value.expected, function(), function.cache"
    judge(code, SECRETS + "assert f(Tests(), helper) == ('public', 1, 'public')")


@pytest.mark.parametrize(
    ("code", "kind", "missing"),
    [
        ("1 / 0", "ZeroDivisionError", ""),
        ("import frobnicate_xyz", "ModuleNotFoundError", "frobnicate_xyz"),
        ("raise SystemExit(0)", "SystemExit", ""),
        ("def f(:", "SyntaxError", ""),
        ("class E(BaseException):\n    def __str__(self): raise SystemExit\nraise E", "E", ""),
    ],
)
def test_an_import_that_fails_is_told(link: Link, code: str, kind: str, missing: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        link(code).load("solution")
    assert caught.value.kind == kind
    assert caught.value.missing == missing


@pytest.mark.parametrize("code", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_solution_that_ends_is_told_for_good(link: Link, code: str) -> None:
    remote = link(f"import os\ndef f(): {code}")
    remote.load("solution")
    names = remote.names("solution")
    with pytest.raises(PeerEnded):
        names["f"]()
    assert isinstance(remote.ended, PeerEnded)
    with pytest.raises(PeerEnded):
        names["f"]()


def test_a_call_that_never_ends_is_given_up(link: Link) -> None:
    remote = link("def f():\n    while True: pass")
    remote.load("solution")
    names = remote.names("solution")
    f = names["f"]
    remote.allow(0.2)
    with pytest.raises(DeadlinePassed):
        f()


def test_no_object_decides_for_numpy(judge: Judge) -> None:
    """It would be handed what is expected, or say where in the tests' memory its data lie."""
    code = """
class Any:
    def __array_ufunc__(self, *args, **kwargs): return True
    def __array_function__(self, *args, **kwargs): return True
    __array_interface__ = {"shape": (1,), "typestr": "<i8", "data": (4096, False), "version": 3}
def add(a, b): return Any()
"""
    for name in ("__array_ufunc__", "__array_function__", "__array_interface__"):
        judge(code, f"assert not hasattr(add(1, 2), {name!r})")
        judge(code, f"assert not hasattr(type(add(1, 2)), {name!r})")
