"""Mutants differ by one place, compile, and are the same each time."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.mutation import mutants, stub_of
from assay.domain.solution import Solution, SolutionFile

SOURCE = '''"""About prices."""

from dataclasses import dataclass

LIMIT = 3


@dataclass
class Item:
    """One thing."""

    name: str
    price: float = 0.5

    def cost(self, count: int = 1) -> float:
        """What it costs."""
        if count < 0 or not self.name:
            raise ValueError("no")
        total = 0.0
        for number in range(count):
            total += self.price
            if number > LIMIT:
                break
        return max(total, -1)


def names(items):
    return [item.name for item in items if item.price]


if __name__ == "__main__":
    print(names([Item("a")]))
'''


def solution(*sources: str) -> Solution:
    files = tuple(
        SolutionFile(path=f"part{number}.py", code=source) for number, source in enumerate(sources)
    )
    return Solution(language="python", files=files)


def test_each_compiles_and_is_another() -> None:
    made = mutants(solution(SOURCE), limit=100)
    sources = [one.solution.files[0].source for one in made]
    assert len(sources) > 15
    assert len(set(sources)) == len(sources)
    original = ast.unparse(ast.parse(SOURCE))
    for one, source in zip(made, sources, strict=True):
        compile(source, "mutant", "exec")
        before, after = original.split("\n"), ast.unparse(ast.parse(source)).split("\n")
        changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
        assert len(changed) == 1, one.description


def test_what_no_test_can_see_is_left_alone() -> None:
    for one in mutants(solution(SOURCE), limit=100):
        tree = ast.parse(one.solution.files[0].source)
        assert ast.get_docstring(tree) == "About prices."
        assert "print(names([Item('a')]))" in one.solution.files[0].source
        assert "name: str" in one.solution.files[0].source


def test_the_same_ones_come_each_time_and_others_with_another_seed() -> None:
    first, again, other = (mutants(solution(SOURCE), limit=5, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_they_are_spread_over_definitions() -> None:
    lines = [one.description for one in mutants(solution(SOURCE), limit=4)]
    groups = {"names" if "line 2" in line else "other" for line in lines}
    assert len(groups) == 2, lines


def test_tests_of_the_solutions_own_are_left_alone() -> None:
    files = (
        SolutionFile(path="add.py", code="def add(a, b):\n    return a + b\n"),
        SolutionFile(path="test_add.py", code="assert add(1, 2) == 3\n"),
    )
    for one in mutants(Solution(language="python", files=files), limit=50):
        assert one.solution.files[1] == files[1]
        assert one.description.startswith("add.py, line 2: ")


@pytest.mark.parametrize("source", ["", "x", "def f(:", "pass\n", "\0"])
def test_what_has_nothing_to_change_has_none(source: str) -> None:
    assert mutants(solution(source), limit=5) == ()


def test_a_main_program_alone_is_changed_itself() -> None:
    source = 'if __name__ == "__main__":\n    print(1 + 2)\n'
    assert mutants(solution(source), limit=5)


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    mutants(solution(text), limit=3)
    stub_of(solution(text))


def test_a_stub_has_the_names_and_arguments_and_does_nothing() -> None:
    source = stub_of(solution(SOURCE)).files[0].source
    assert "def cost(self, count: int=1) -> float:" in source
    assert "price: float = 0.5" in source
    assert "total" not in source
    assert "One thing" not in source
    names: dict[str, object] = {}
    exec(source, names)
    item, find = names["Item"], names["names"]
    assert callable(item)
    assert callable(find)
    assert item("a").cost(3) is None
    assert find([1]) is None


def test_code_without_definitions_has_no_stub() -> None:
    assert stub_of(solution("x = 1\n", "print(2)\n")).files == ()
