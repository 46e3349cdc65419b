"""Inside the sandbox: runs a test file in the solution's own process.

Reads `tests.json` beside it: the solution's module, the test file, its style and a nonce that
each message carries. What is reported here can be forged by code that sets out to; a program that
merely exits, prints or writes files does not pass.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import operator
import os
import sys
import traceback
import types
import unittest
from collections.abc import Callable
from typing import Any

sys.dont_write_bytecode = True
_HERE = os.path.dirname(os.path.abspath(__file__))

import assay_wire  # noqa: E402 (found beside this file)

_MAX_SHOWN_LINES = 30
_UNSTARTED = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)
_OPERATORS: dict[type, tuple[Callable[[Any, Any], Any], str]] = {
    ast.Eq: (operator.eq, ""),
    ast.NotEq: (operator.ne, "anything but "),
    ast.Lt: (operator.lt, "less than "),
    ast.LtE: (operator.le, "at most "),
    ast.Gt: (operator.gt, "more than "),
    ast.GtE: (operator.ge, "at least "),
}


def main() -> None:
    """Report on each test, then say that this was all."""
    with open(os.path.join(_HERE, "tests.json"), encoding="utf-8") as file:
        plan = json.load(file)
    raw_send = assay_wire.open_channel()
    nonce = plan["nonce"]

    def report(**message: object) -> None:
        raw_send(dict(message, nonce=nonce))

    path = os.path.join(_HERE, plan["file"])
    with open(path, encoding="utf-8") as file:
        source = file.read()
    sys.path[0] = os.getcwd()
    sys.modules.pop("assay_wire", None)
    run = _run_pytest if plan["style"] == "pytest" else _run_plain
    try:
        run(plan["module"], path, source, report)
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        report(broken=_describe(error, path), missing=assay_wire.missing_name(error))
    report(end=True)
    sys.stdout.flush()
    os._exit(0)


def _run_plain(module: str, path: str, source: str, report: Callable[..., None]) -> None:
    tests = _new_module(path)
    solution = importlib.import_module(module)
    own = {name: value for name, value in vars(solution).items() if not name.startswith("__")}
    names = vars(tests)
    names.update(own)
    later = []
    for node in ast.parse(source, path).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            later.append(node.name)
        if _is_test(node):
            _report_test(f"line {node.lineno}", report, path, _run_statement, node, names, path)
        elif not _is_main_guard(node):
            _execute(node, names, path)
    for name in later:
        value = names[name]
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            _run_test_case(value, report)
        elif name.startswith("test"):
            _report_test(name, report, path, value)


def _run_test_case(case: type[unittest.TestCase], report: Callable[..., None]) -> None:
    for method in unittest.defaultTestLoader.getTestCaseNames(case):
        result = unittest.TestResult()
        unittest.TestSuite([case(method)]).run(result)
        problems = result.errors + result.failures
        ran = result.testsRun == 1 and not result.skipped
        passed = ran and not problems and not result.unexpectedSuccesses
        text = _last_lines(problems[0][1]) if problems else ""
        report(test=f"{case.__name__}.{method}", passed=passed, message=text)


def _run_pytest(module: str, path: str, source: str, report: Callable[..., None]) -> None:
    import pytest

    class Reporter:
        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                send(broken={"message": _last_lines(str(report.longrepr))}, missing="")

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.when == "call" or not report.passed:
                name = report.nodeid.split("::", 1)[-1].replace("::", ".")
                text = "" if report.passed else _last_lines(str(report.longrepr))
                send(test=name, passed=bool(report.passed), message=text)

    send = report
    options = ["-p", "no:cacheprovider", "--noconftest", "-c", os.devnull, "--rootdir", _HERE]
    pytest.main([*options, "--import-mode=importlib", "-q", path], plugins=[Reporter()])


def _new_module(path: str) -> types.ModuleType:
    """A module for the tests, registered so that pickling and dataclasses work in it."""
    name = "assay_user_tests"
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    return module


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    return any(isinstance(part, ast.Assert) for part in ast.walk(node)) and not _is_main_guard(node)


def _is_main_guard(node: ast.stmt) -> bool:
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    is_equation = (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.ops[0], ast.Eq)
    )
    return is_equation and "__name__" in names


def _execute(node: ast.stmt, names: dict[str, Any], path: str) -> None:
    code = compile(ast.Module(body=[node], type_ignores=[]), path, "exec", dont_inherit=True)
    exec(code, names)  # noqa: S102 (the user's test, at its module's top level)


class _Unequal(AssertionError):
    """A comparison that does not hold, with both of its sides."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected = expected
        self.got = got


def _run_statement(node: ast.stmt, names: dict[str, Any], path: str) -> None:
    test = node.test if isinstance(node, ast.Assert) else None
    if not (
        isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPERATORS
    ):
        _execute(node, names, path)
        return
    left, right = (_value(side, names, path) for side in (test.left, test.comparators[0]))
    compare, words = _OPERATORS[type(test.ops[0])]
    if not compare(left, right):
        raise _Unequal(words + assay_wire.shown(right), assay_wire.shown(left))


def _value(node: ast.expr, names: dict[str, Any], path: str) -> object:
    return eval(compile(ast.Expression(node), path, "eval", dont_inherit=True), names)  # noqa: S307


def _report_test(
    test: str, report: Callable[..., None], path: str, run: Callable[..., object], *args: Any
) -> None:
    report(begin=test)
    try:
        if isinstance(run(*args), _UNSTARTED):
            raise TypeError("nothing of it ran: it holds a yield, or is async")
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        report(
            test=test,
            passed=False,
            missing=assay_wire.missing_name(error),
            **_describe(error, path),
        )
    else:
        report(test=test, passed=True)


def _describe(error: BaseException, path: str) -> dict[str, str]:
    if isinstance(error, _Unequal):
        return {"message": "", "expected": error.expected, "got": error.got}
    kind, message = type(error).__name__, assay_wire.message_of(error)
    text = f"{kind}: {message}" if message else kind
    return {"message": assay_wire.clip(text + _place(error, path))}


def _place(error: BaseException, path: str) -> str:
    """Which line of the test file it came from."""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == path and frame.line:
            return f" (line {frame.lineno}: {frame.line})"
    return ""


def _last_lines(text: str) -> object:
    return assay_wire.clip("\n".join(text.strip().splitlines()[-_MAX_SHOWN_LINES:]))


main()
