"""Finds tests and loops that were there to assert something, and asserted nothing.

`for x, y in zip(f(1), expected): assert x == y` passes where `f` gives nothing, and so does
`assert all(x > 0 for x in f(1))`. Such a pass shows nothing, and the solution decided on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

MAX_TOLD = 200


class Vacuity:
    """Which parts of a test file were entered while a test ran, and in which it asserted."""

    def __init__(self, current: Callable[[], str]) -> None:
        """`current` names the test that is running."""
        self._current = current
        self._entered: set[tuple[str, int]] = set()
        self._reached: set[tuple[str, int]] = set()

    def enter(self, part: int, value: Any = None) -> Any:
        """Note that a part was entered; gives `value` back."""
        self._entered.add((_without_parameters(self._current()), part))
        return value

    def reach(self, part: int, value: Any = None) -> Any:
        """Note that something was asserted in a part; gives `value` back."""
        self._reached.add((_without_parameters(self._current()), part))
        return value

    def each(self, part: int, items: Iterable[Any]) -> Iterator[Any]:
        """The items; notes that something is asserted of one in a part."""
        for item in items:
            self.reach(part)
            yield item

    def found(self, parts: Parts, *, outside_tests: bool) -> list[tuple[str, int]]:
        """Tests with the line of what they entered and asserted nothing in.

        Args:
            parts: Those of the file.
            outside_tests: Whether to tell of those that no test entered, by the name "".
        """
        alive: set[tuple[str, int]] = set()
        for test, reached in self._reached:
            part = reached
            while part:
                alive.add((test, part))
                part = parts.enclosing[part]
        found = {
            (test, parts.lines[part])
            for test, part in self._entered - alive
            if test or outside_tests
        }
        # What decorates a test may run something else in its place.
        entered = {part for _, part in self._entered}
        found |= {
            (name, parts.lines[numbers[-1]])
            for name, numbers in parts.tests.items()
            if parts.are_asserting(numbers) and entered.isdisjoint(numbers)
        }
        return sorted(found)[:MAX_TOLD]


class Parts:
    """The tests and loops of a file that hold assertions, by their numbers; 0 is the file."""

    def __init__(self) -> None:
        self.lines = [0]
        self.enclosing = [0]
        self.tests: dict[str, list[int]] = {}
        """Tests among them by their names, `Class.method` for those in classes."""
        self._asserting: set[int] = set()
        self._open = 0
        self._outer: list[int] = []

    @property
    def innermost(self) -> int:
        """The part that is being read."""
        return self._open

    def begin(self, line: int, test: str = "") -> None:
        """Begin to read one that starts in this line.

        Args:
            line: Its number.
            test: Its name, if it is a test, which does not run where it stands.
        """
        self._outer.append(self._open)
        self.enclosing.append(0 if test else self._open)
        self.lines.append(line)
        self._open = len(self.lines) - 1
        if test:
            self.tests.setdefault(test, []).append(self._open)

    def note_assertion(self) -> None:
        """Note that there is an assertion in those that are being read."""
        part = self._open
        while part:
            self._asserting.add(part)
            part = self.enclosing[part]

    def are_asserting(self, numbers: Iterable[int]) -> bool:
        """Whether there are assertions in all of these."""
        return self._asserting.issuperset(numbers)

    def end(self) -> int:
        """End the part that is being read; gives its number, or 0 if nothing asserts in it."""
        part, self._open = self._open, self._outer.pop()
        return part if part in self._asserting else 0


def _without_parameters(name: str) -> str:
    return name.partition("[")[0]
