"""Runs tests that need no pytest.

Top-level statements in their order, then test functions and `unittest.TestCase` classes.
"""

from __future__ import annotations

import sys
import types
import unittest
from collections.abc import Callable
from typing import Any

from .reports import Reporter
from .rewriting import TestSource

_UNSTARTED = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)


def run_plain(
    source: TestSource, module: types.ModuleType, reporter: Reporter, plan: dict[str, Any]
) -> None:
    """Run a file's tests and report on each.

    Args:
        source: the file.
        module: its module, whose namespace may hold names of the solution.
        reporter: who is told.
        plan: `statements` names those of the top level that are tests, by their numbers, and has
            None for those that are left out; `later` names functions and classes.

    Raises:
        BaseException: what a statement that is no test has raised.
    """
    named = plan["statements"]
    names = vars(module)
    module_name = module.__name__
    for number in range(len(source)):
        test = named.get(str(number), "")
        if test is None:
            continue
        code = source.compile(number)
        if test:
            # `if __name__ == "__main__":` is a test where the file has no other.
            names["__name__"] = "__main__"
            _run_test(test, source, reporter, exec, code, names)
            names["__name__"] = module_name
        else:
            reporter.flush()
            exec(code, names)  # noqa: S102 (the user's tests)
    for name in plan["later"]:
        value = names[name]
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            _run_test_case(value, source, reporter)
        else:
            _run_test(name, source, reporter, value)


def _run_test(
    test: str, source: TestSource, reporter: Reporter, run: Callable[..., object], *args: object
) -> None:
    reporter.begin(test)
    try:
        if isinstance(run(*args), _UNSTARTED):
            raise TypeError("nothing of it ran: it holds a yield, or is async")
    except unittest.SkipTest as skip:
        reporter.skipped(test, str(skip))
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        reporter.failed(test, **source.explain(error))
    else:
        reporter.passed(test)


def _run_test_case(case: type[unittest.TestCase], source: TestSource, reporter: Reporter) -> None:
    """Run a whole class at once, so that `setUpClass` is called once."""
    suite = unittest.TestSuite(
        [case(method) for method in unittest.defaultTestLoader.getTestCaseNames(case)]
    )
    suite.run(_Result(source, reporter))


class _Result(unittest.TestResult):
    """Tells of each test once, with its first failure."""

    def __init__(self, source: TestSource, reporter: Reporter) -> None:
        super().__init__()
        self._source = source
        self._reporter = reporter
        self._told = ""

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 (named by unittest)
        super().startTest(test)
        self._told = ""
        self._reporter.begin(_name_of(test))

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        if not self._told:
            self._fail(test, sys.exc_info()[1] or AssertionError("it did not come to its end"))
        super().stopTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        self._pass(test)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self._pass(test)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self._fail(test, err[1])

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._fail(test, err[1])

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            self._fail(test, err[1])

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self._fail(test, AssertionError("it passed, and was expected to fail"))

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        self._told = _name_of(test)
        self._reporter.skipped(self._told, reason)

    def _pass(self, test: unittest.TestCase) -> None:
        if not self._told:
            self._told = _name_of(test)
            self._reporter.passed(self._told)

    def _fail(self, test: Any, error: BaseException) -> None:
        name = _name_of(test)
        if self._told != name:
            self._told = name
            self._reporter.failed(name, **self._source.explain(error))


def _name_of(test: Any) -> str:
    """`Class.method`; the words of unittest where a class itself could not be set up."""
    method = getattr(test, "_testMethodName", "")
    return f"{type(test).__name__}.{method}" if method else str(test)
