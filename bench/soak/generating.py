"""Random programs, made by hypothesis: `python -m bench.soak.generating SEED COUNT` prints them.

In a process of its own, since hypothesis remembers what it has made, and the soak measures memory.
"""

from __future__ import annotations

import math
import random
import sys
import textwrap

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from bench.soak import hostile
from bench.soak.program import Program

NUMBERS = st.integers(-9, 9)
ARGUMENTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=4)
MODULES = ("collections", "csv", "decimal", "json", "re", "sqlite3", "statistics", "no_such_module")

EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b"]) | NUMBERS.map(lambda number: f"({number})"),
    lambda inner: st.tuples(
        st.sampled_from(
            [
                "({0} + {1})",
                "({0} - {1})",
                "({0} * {1})",
                "({0} // (1 + abs({1})))",
                "({0} % (1 + abs({1})))",
                "max({0}, {1})",
                "({0} if {1} > 0 else -{0})",
                "len(str({0} * {1}))",
                "sum(x * {1} for x in range(abs({0}) % 7))",
            ]
        ),
        inner,
        inner,
    ).map(lambda parts: parts[0].format(*parts[1:])),
    max_leaves=8,
)

RESULTS = st.sampled_from(
    [
        "{0}",
        "[{0}, {1}]",
        "({0}, [{1}])",
        "{{'sum': {0}, 'parts': {{{1}, a}}}}",
        "str({0}) + '-' + str({1})",
        "bytes([abs({0}) % 256, abs({1}) % 256])",
        "complex({0}, {1})",
        "{0} / (1 + abs({1}))",
        "dict(zip('ab', [{0}, {1}]))",
    ]
)


@st.composite
def right(draw: st.DrawFn) -> Program:
    """A function, and examples that are true of it."""
    code, examples = _function(draw)
    return Program(
        "right", code, tuple(f"{call} == {value}" for call, value in examples), "", "verified"
    )


@st.composite
def wrong(draw: st.DrawFn) -> Program:
    """A function, and examples of which the last is not true of it."""
    code, examples = _function(draw)
    texts = [f"{call} == {value}" for call, value in examples]
    call, value = examples[-1]
    texts[-1] = f"{call} == [{value}, 'not so']"
    return Program("wrong", code, tuple(texts), "", "not verified")


@st.composite
def tested(draw: st.DrawFn) -> Program:
    """A class, and a pytest file that is true of it, or not."""
    start, steps = draw(NUMBERS), draw(st.lists(NUMBERS, min_size=1, max_size=5))
    error = draw(st.integers(0, 1))
    code = (
        "class Account:\n"
        f"    def __init__(self, balance={start}):\n"
        "        self.balance = balance\n\n"
        "    def add(self, amount):\n"
        "        if amount < -9:\n"
        "            raise ValueError(amount)\n"
        "        self.balance += amount\n"
        "        return self\n"
    )
    tests = (
        "import pytest\nfrom solution import Account\n\n\n"
        f"@pytest.mark.parametrize('amount', {steps})\n"
        "def test_one_step(amount):\n"
        f"    assert Account().add(amount).balance == {start + error} + amount\n\n\n"
        "def test_all_steps():\n"
        "    account = Account(0)\n"
        f"    for amount in {steps}:\n"
        "        account.add(amount)\n"
        f"    assert account.balance == {sum(steps)}\n\n\n"
        "def test_refuses():\n"
        "    with pytest.raises(ValueError, match='10'):\n"
        "        Account().add(-10)\n"
    )
    return Program("tested", code, (), tests, "not verified" if error else "verified")


@st.composite
def statements(draw: st.DrawFn) -> Program:
    """Any statements one after the other, in each other."""
    lines = draw(st.lists(BLOCKS, min_size=1, max_size=8))
    return Program("statements", "\n".join(lines) + "\n")


@st.composite
def hostile_program(draw: st.DrawFn) -> Program:
    """One that attacks; those that are judged have an example that is not true."""
    number = draw(st.integers(1, 1000))
    name = draw(st.sampled_from([*hostile.PROGRAMS, *hostile.JUDGED]))
    if name in hostile.PROGRAMS:
        return Program(name, hostile.with_number(hostile.PROGRAMS[name], number))
    code = hostile.with_number(hostile.JUDGED[name], number)
    return Program(name, code, (hostile.FALSE_EXAMPLE,), "", "not verified")


def _function(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    """A function's code, and calls with what they give."""
    result = draw(RESULTS).format(draw(EXPRESSIONS), draw(EXPRESSIONS))
    calls = []
    for a, b in draw(ARGUMENTS):
        value = eval(result, {"a": a, "b": b})  # arithmetic that was put together above
        calls.append((f"f({a}, {b})", repr(value)))
    return f"def f(a, b):\n    return {result}\n", calls


SIMPLE = st.one_of(
    NUMBERS.map(lambda number: f"print('x' * {abs(number) * 1000})"),
    NUMBERS.map(lambda number: f"assert {number} > -9"),
    NUMBERS.map(lambda number: f"open('file{number}', 'a').write('text')"),
    NUMBERS.map(lambda number: f"kept = [bytes({abs(number)} << 20)]"),
    NUMBERS.map(lambda number: f"__import__('time').sleep({abs(number) / 50})"),
    NUMBERS.map(lambda number: f"__import__('sys').exit({number})"),
    NUMBERS.map(lambda number: f"__import__('subprocess').run(['sleep', '{abs(number) / 50}'])"),
    st.sampled_from(MODULES).map(lambda name: f"import {name}"),
    st.text(max_size=20).map(lambda text: f"print({text!r})"),
    st.text(max_size=20).map(lambda text: text or "pass"),
)
BLOCKS = st.recursive(
    SIMPLE,
    lambda inner: st.tuples(
        st.sampled_from(
            [
                "for i in range(3):",
                "if i:",
                "try:",
                "while True:",
                "def f(a, b):",
                "with open('x'):",
            ]
        ),
        st.lists(inner, min_size=1, max_size=3),
    ).map(lambda parts: _block(*parts)),
    max_leaves=4,
)


def _block(head: str, body: list[str]) -> str:
    text = f"{head}\n" + textwrap.indent("\n".join(body), "    ")
    return f"{text}\nexcept Exception as error:\n    print(error)" if head == "try:" else text


SHARES: dict[st.SearchStrategy[Program], float] = {
    right(): 0.2,
    wrong(): 0.1,
    tested(): 0.1,
    statements(): 0.2,
    hostile_program(): 0.3,
    st.sampled_from(list(hostile.cases())): 0.1,
}
"""How much of all programs each kind is: left to itself, hypothesis varies what it made before."""


def generate(start: int, count: int) -> list[Program]:
    """Make about `count` programs, the same ones for the same `start`."""
    made = [
        program
        for strategy, share in SHARES.items()
        for program in _made(strategy, start, math.ceil(share * count))
    ]
    random.Random(start).shuffle(made)
    return made


def _made(strategy: st.SearchStrategy[Program], start: int, count: int) -> list[Program]:
    made: list[Program] = []

    @seed(start)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def keep(program: Program) -> None:
        made.append(program)

    keep()
    return made


if __name__ == "__main__":
    for one in generate(int(sys.argv[1]), int(sys.argv[2])):
        print(one.to_json())
