"""What a solution defines, and what stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.shape import called_names, defined_names, set_apart
from assay.checks.syntax import parse_python
from assay.domain.solution import Solution, SolutionFile
from assay.domain.task import TestFile

NOTHING: frozenset[str] = frozenset()


def python(code: str, imports: str = "") -> Solution:
    return Solution(
        language="python", files=(SolutionFile(path="solution.py", imports=imports, code=code),)
    )


def split(code: str, names: frozenset[str] = NOTHING) -> tuple[str, str]:
    solution = set_apart(python(code), names)
    return solution.main.code, solution.set_apart


F = "def f(n):\n    return n + 1\n"


@pytest.mark.parametrize(
    "beside",
    [
        "assert f(1) == 3",
        "print(f(1))",
        "f(1)",
        "x = f(1)\nprint(x)",
        "n = int(input('n? '))\nprint(f(n))",
        "for case in [1, 2]:\n    print(f(case))",
        "if __name__ == '__main__':\n    print(f(1))",
        "try:\n    f('a')\nexcept TypeError:\n    print('no')",
        "with open('x') as file:\n    print(file.read())",
        "# Example usage\nprint(f(1))  # 2",
        "assert f(1) == 2; print('ok')",
        "import unittest\nclass T(unittest.TestCase):\n    pass\nunittest.main()",
    ],
)
def test_what_a_model_adds_beside_is_set_apart(beside: str) -> None:
    code, apart = split(F + "\n" + beside + "\n")
    assert code.startswith(F)
    assert apart
    assert "print" not in code
    assert "assert" not in code
    assert "main()" not in code
    assert "Example" not in code


@pytest.mark.parametrize(
    "kept",
    [
        "LIMIT = 10\ndef g():\n    return LIMIT\n",
        "import sys\nsys.setrecursionlimit(10**6)\ndef g(): pass\n",
        "TABLE = []\nfor i in range(3):\n    TABLE.append(i)\ndef g():\n    return TABLE\n",
        "CACHE = {}\nCACHE['a'] = 1\ndef g():\n    return CACHE\n",
        "def first():\n    return 1\nONE = first()\ndef g():\n    return ONE\n",
        "def one():\n    return 1\nclass G:\n    x = one()\n    def get(self, n=one()): return n\n",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None\ndef g(): pass\n",
        "class A:\n    pass\nA.registry = {}\ndef g():\n    return A.registry\n",
        "def g(): pass\nalias = g\n",
        '"""What it is."""\ndef g(): pass\n',
        "def deco(f):\n    return f\n@deco\ndef g(): pass\n",
        "with open('words.txt') as file:\n    WORDS = file.read()\ndef g():\n    return WORDS\n",
    ],
)
def test_what_definitions_need_stays(kept: str) -> None:
    assert split(kept) == (kept, "")


def test_a_name_of_a_parameter_is_no_need() -> None:
    code, apart = split(F + "n = int(input())\n")
    assert code == F
    assert apart == "n = int(input())"


@pytest.mark.parametrize(
    "code",
    [
        "print('hello')\n",  # a program, with nothing to set apart from
        "def f(:\n    pass\nprint(1)\n",
        "def f(): pass\nprint(1",
        "def f(): pass\n\0\n",
    ],
)
def test_what_has_no_definitions_or_does_not_parse_is_left_alone(code: str) -> None:
    assert split(code) == (code, "")


def test_names_decide_whether_it_is_the_function_asked_for() -> None:
    code = F + "print(f(1))\n"
    assert split(code, frozenset({"g"})) == (code, "")
    assert split(code, frozenset({"f", "g"})) == (F, "print(f(1))")


def test_other_languages_are_left_alone() -> None:
    solution = Solution(
        language="javascript", files=(SolutionFile(path="main.js", code=F + "print(1)\n"),)
    )
    assert set_apart(solution, NOTHING) == solution


def test_what_was_set_apart_before_is_kept() -> None:
    solution = python(F + "print(1)\n").model_copy(update={"set_apart": "f(0)"})
    assert set_apart(solution, NOTHING).set_apart == "f(0)\nprint(1)"


pieces = st.sampled_from(
    [
        "import os",
        "X = 1",
        "def f(a, b=2): return a",
        "class C:\n    x = 1\n    def m(self):\n        return X",
        "print(f(1))",
        "assert f(1) == 2, 'x'",
        "f(X)",
        "y = f(2)",
        "X = y; print(X)",
        "if X:\n    print(1)\nelse:\n    z = f(1)",
        "for i in range(3):\n    print(f(i))",
        "while False:\n    f(1)",
        "# a comment",
        "\x0c",
        "s = '''\nprint(1)\n'''",
        "(f(1),\n print(2))",
        "@staticmethod\ndef g(): pass",
        "async def h(): await f(1)",
        "if __name__ == '__main__':\n    f(1)",
        "try:\n    f(1)\nfinally:\n    pass",
        "global X",
        "return 1",
        "d[f(1)] = 2",
        "del X",
        "\\",
        "é = f(1)",
        "x: int = f(1)",
        "print(1) if X else f(2)",
        "match X:\n    case 1:\n        print(1)",
    ]
)


@given(st.lists(pieces, max_size=8).map("\n".join), st.booleans())
def test_code_that_parses_still_parses_and_keeps_its_definitions(code: str, crlf: bool) -> None:
    code = code.replace("\n", "\r\n") if crlf else code
    result = set_apart(python(code), NOTHING)
    if parse_python(code) is None:
        assert result.main.code == code
    else:
        assert parse_python(result.main.code) is not None
        functions = {name for name in defined_names(code) if name in {"f", "g", "h", "C"}}
        assert functions <= defined_names(result.main.code)
        assert set_apart(result, NOTHING).main.code == result.main.code


@given(st.text())
def test_any_text_is_taken(code: str) -> None:
    set_apart(python(code), NOTHING)
    defined_names(code)
    called_names([TestFile(name="t", source=code)], [code])


def test_defined_names() -> None:
    code = (
        "import os.path as p, sys\nfrom a import b\nX = 1\n(y, z) = 1, 2\n"
        "def f(inner):\n    local = 1\nclass C:\n    attribute = 1\nif X:\n    def g(): pass\n"
    )
    assert defined_names(code) == {"p", "sys", "b", "X", "y", "z", "f", "C", "g"}


def test_called_names() -> None:
    tests = TestFile(
        name="t.py",
        source=(
            "import math\nfrom solution import add\ndef helper(x):\n    return x\n"
            "assert helper(add(1)) == len([1])\ndef test_it():\n    local = lambda: 1\n"
            "    assert Stack(local()).size() == math.floor(1)\n"
        ),
    )
    assert called_names([tests], ["find(1) == 2", "not an expression ("]) == {
        "add",
        "Stack",
        "find",
    }
