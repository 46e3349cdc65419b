"""Code that wants tests to pass without being right.

Each case must fail its test, or be counted as a comparison that the solution itself decided.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.drivers.assay_link.errors import (
    DeadlinePassed,
    ImportFailed,
    LinkBroken,
    LinkEnded,
    PeerEnded,
)
from assay.checks.drivers.assay_link.frames import MAX_FRAME
from assay.checks.drivers.assay_link.remote import Remote, connect

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
    ("code", "kinds", "missing"),
    [
        ("1 / 0", "ZeroDivisionError", ""),
        ("import frobnicate_xyz", "ModuleNotFoundError", "frobnicate_xyz"),
        ("raise SystemExit(0)", "SystemExit", ""),
        ("def f(:", "SyntaxError", ""),
        ("class E(BaseException):\n    def __str__(self): raise SystemExit\nraise E", "E", ""),
    ],
)
def test_an_import_that_fails_is_told(link: Link, code: str, kinds: str, missing: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        link(code).load("solution")
    assert caught.value.kinds[0] == kinds
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


WRITES = """
import os, socket
def ends():
    for fd in range(3, 64):
        try:
            socket.socket(fileno=os.dup(fd)).send({data!r})
        except OSError:
            pass
def f():
    ends()
    return -1
"""


@pytest.mark.parametrize(
    "data",
    [
        b'\x00\x00\x00\x0e["=",5,3,null]',
        b'\x00\x00\x00\x0e["=",5,3,null]' * 3,
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x04[[[[",
        b'\x00\x00\x00\x14["=",9,["?",1],null]',
    ],
)
def test_a_solution_that_writes_to_the_link_breaks_it(link: Link, data: bytes) -> None:
    remote = link(WRITES.format(data=data))
    remote.load("solution")
    names = remote.names("solution")
    f = names["f"]
    with pytest.raises(LinkEnded):
        _use_to_the_end(remote, f)
    assert isinstance(remote.ended, LinkBroken)


def _use_to_the_end(remote: Remote, function: Callable[[], object]) -> None:
    function()
    function()
    remote.finish()


def _answering(frames: list[bytes]) -> Remote:
    """A link whose other end answers each request with these bytes, whatever it was."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        with theirs, contextlib.suppress(OSError):  # the link may be closed meanwhile
            for frame in frames:
                if not theirs.recv(65_536):
                    return
                theirs.sendall(frame)

    threading.Thread(target=answer, daemon=True).start()
    remote = connect(ours.detach())
    remote.allow(10)
    return remote


def _frame(text: str) -> bytes:
    data = text.encode()
    return struct.pack("!I", len(data)) + data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["o", "p", "k", "g", "x", "L", "D", "m", "t", "builtins", "object", "int"]),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=20,
)  # fmt: skip
TAGS = (
    *("m", "t", "F", "L", "D", "S", "O", "C", "dd", "dq", "B", "b", "i", "f", "c", "r", "s", "dt"),
    *("ti", "da", "td", "tz", "zi", "de", "fr", "u", "pa", "e", "mp", "di", "dk", "dv", "o", "p"),
    *("k", "g", "x", "gf", "nn", "na", "no", "pd", "ps", "pi", "pr", "pt"),
)
NEWS = st.none() | st.dictionaries(st.sampled_from("crufow"), JSON, max_size=3)


@given(
    kind=st.sampled_from(["=", "!", "?"]),
    tag=st.sampled_from(TAGS),
    body=st.lists(JSON, max_size=6),
    news=NEWS,
)
@settings(max_examples=300, deadline=None)
def test_no_frame_does_more_than_break_the_link(
    kind: str, tag: str, body: list[object], news: object
) -> None:
    import json

    wire = [tag, *body]
    rest = ["getattr", [wire], None] if kind == "?" else [wire]
    message = [kind, 1, *rest, news]
    remote = _answering([_frame(json.dumps(message))] * 2)
    try:
        remote.load("solution")
    except (LinkEnded, ImportFailed):
        pass
    except BaseException:
        if kind != "!":  # what an answer of the other side's raises is data, too
            raise
    finally:
        remote.close()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '["=",1,' + "[" * 3000 + "]" * 3000 + ",null]",
        '["=",1,' + "9" * 100_000 + ",null]",
        '["=",1,NaN,null]',
        '["=",1,["S",1,' + ",".join(str(k * (2**61 - 1)) for k in range(5000)) + "],null]",
        '["=",1,["i","0x' + "f" * 1_000_000 + 'z"],null]',
        '["=",1,["fr","0x' + "f" * 100_000 + '","0x3"],null]',
        '["=",1,["t"' + ",[]" * 2_000_000 + "],null]",
        '{"a":1}',
        "null",
    ],
)
@pytest.mark.timeout(60)
def test_a_monstrous_frame_breaks_the_link_at_once(text: str) -> None:
    remote = _answering([_frame(text)])
    with pytest.raises(LinkBroken):
        remote.load("solution")
    remote.close()


def test_a_frame_that_says_it_is_too_long_is_not_read() -> None:
    remote = _answering([struct.pack("!I", MAX_FRAME + 1)])
    with pytest.raises(LinkBroken, match="too long"):
        remote.load("solution")
    remote.close()
