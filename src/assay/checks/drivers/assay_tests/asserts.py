"""What a rewritten test file calls where its source asserts something."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from math import isnan
from typing import Any

from .reports import clip, shown
from .vacuity import Vacuity

NAME = "__assay__"
"""What the rewritten source calls its `Asserts`."""

_OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "Eq": (operator.eq, ""),
    "NotEq": (operator.ne, "anything but "),
    "Lt": (operator.lt, "less than "),
    "LtE": (operator.le, "at most "),
    "Gt": (operator.gt, "more than "),
    "GtE": (operator.ge, "at least "),
    "Is": (operator.is_, ""),
    "IsNot": (operator.is_not, "anything but "),
    "In": (lambda item, items: item in items, "one of "),
    "NotIn": (lambda item, items: item not in items, "none of "),
}


class Asserts:
    """Compares, counts what held, and remembers the last comparison that did not."""

    def __init__(self, handles_compared: Callable[[], int], vacuity: Vacuity) -> None:
        """Take what is asked and told.

        Args:
            handles_compared: How often the solution's own objects have decided so far.
            vacuity: What is told of the parts of the file that are entered and asserted in.
        """
        self.compared = 0
        self.enter, self.reach, self.each = vacuity.enter, vacuity.reach, vacuity.each
        self._handles_compared = handles_compared
        self._handles = 0
        self._sides = ("", "")

    def holds(self, name: str, left: object, right: object) -> bool:
        """Whether `left` stands to `right` as the operator of this name wants."""
        compare, words = _OPERATORS[name]
        if compare(left, right) or (name == "Eq" and _are_nan(left, right)):
            self.held()
            return True
        self._sides = (clip(words + shown(right)), shown(left))
        return False

    def is_truth(self, wanted: bool, value: object) -> bool:
        """Whether `value` is true, or false where that is wanted."""
        if bool(value) is wanted:
            self.held()
            return True
        self._sides = (f"something {'true' if wanted else 'false'}", shown(value))
        return False

    def failure(self, *message: object) -> AssertionError:
        """The error of the comparison that has just failed."""
        error = AssertionError(*message)
        error.sides = self._sides  # type: ignore[attr-defined]
        return error

    def held(self) -> None:
        """Count an assertion that held, unless the solution's own objects decided it."""
        decided = self._handles_compared()
        self.compared += decided == self._handles
        self._handles = decided

    def caught(self) -> None:
        """Count an error that a test waited for, unless it is the test's own failure."""
        if not isinstance(sys.exc_info()[1], AssertionError):
            self.held()


def _are_nan(left: object, right: object) -> bool:
    """Whether both are NaN: who expects `float("nan")` could not say so otherwise."""
    return all(type(side) is float and isnan(side) for side in (left, right))
