"""Runs a test file, in the solution's own process or across the link to it.

A plan says what to run and how (see `assay.checks.judge`).
Where the tests are in the solution's own process, code that sets out to can forge what is reported
here; a program that merely exits, prints or writes files does not pass.
"""

from __future__ import annotations

import builtins
import gc
import json
import os
import sys
import types
from typing import Any, Callable, Dict, Mapping

from .asserts import NAME, Asserts
from .plain import run_plain
from .reports import Reporter, describe, leave
from .rewriting import TestSource
from .solution import LinkedSolution, LocalSolution, NotImported, Solution
from .vacuity import Vacuity

# For examples that are written with dates and fractions.
_COMMON = """
import collections, datetime as _datetime, decimal, fractions, math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
"""


def main() -> None:
    """Report on each test, then say that this was all."""
    here = sys.path[0]
    plan = _read_plan(here)
    reporter = Reporter(plan["nonce"])
    path = os.path.join(here, plan["file"])
    sys.path.extend(plan["path"])
    run = _get_runner(plan["style"])
    solution: Solution = LinkedSolution(plan) if plan["linked"] else LocalSolution(plan)
    sys.path[0] = os.getcwd()
    reporter.told = lambda: solution.told
    vacuity = Vacuity(lambda: reporter.current)
    asserts = Asserts(lambda: solution.handles_compared, vacuity)
    vacuous: list[tuple[str, int]] = []
    try:
        in_time = reporter.stop_after(plan["seconds"], "the solution's import")
        usual = _usual_names()
        names = solution.load(usual)
        asked_before = solution.asked
        in_time()
        in_time = reporter.stop_after(plan["seconds"], "the test file")
        tests = _new_module(path, names, usual, asserts)
        solution.expect_names(vars(tests))
        source = _read(plan["source"], path, plan["linked"])
        run(source, tests, reporter, plan)
        vacuous = vacuity.found(source.parts, outside_tests=reporter.told_at_start > 0)
        if solution.asked == asked_before:
            asserts.compared = 0  # nothing of the solution was compared
        solution.finish()
        in_time()
    except NotImported as error:
        reporter.send(unimportable={"message": error.message, "missing": error.missing})
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        reporter.send(broken=describe(error))
    reporter.send(
        end=True,
        compared=asserts.compared,
        handles_compared=solution.handles_compared,
        vacuous=vacuous,
    )
    leave()


def _read_plan(here: str) -> dict[str, Any]:
    """The plan, which holds the tests: from stdin, once, where the solution is not to find it.

    An object of the library's that the tests give away may well open files for it.
    """
    path = os.path.join(here, "tests.json")
    plan: dict[str, Any]
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        return plan
    plan = json.loads(sys.stdin.buffer.read())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return plan


def _get_runner(style: str) -> Callable[..., None]:
    if style == "pytest":
        from .in_pytest import run_pytest

        return run_pytest
    return run_plain


def _read(text: str, path: str, are_alone: bool) -> TestSource:
    """Read the tests; a collector would go over their large syntax tree again and again.

    Where the tests are alone in this process, it is kept from that for good.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        source = TestSource(text, path)
        if are_alone:
            gc.freeze()
        return source
    finally:
        if was_enabled:
            gc.enable()


class _Scope(Dict[str, Any]):
    """What names mean that a test file does not bind: the solution's first, then built-in ones."""

    def __init__(self, solutions: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        super().__init__(usual)
        self._solutions = solutions

    def __getitem__(self, name: str) -> Any:
        try:
            return self._solutions[name]
        except KeyError:
            return super().__getitem__(name)


def _usual_names() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(_COMMON, names)  # noqa: S102 (text of this file)
    names.update(vars(builtins))
    return names


def _new_module(
    path: str, solutions: Mapping[str, Any] | None, usual: Mapping[str, Any], asserts: Asserts
) -> types.ModuleType:
    """A module for the tests, registered so that pickling and dataclasses work in it."""
    name = os.path.basename(path)[: -len(".py")]
    module = types.ModuleType(name)
    scope = builtins if solutions is None else _Scope(solutions, usual)
    vars(module).update({"__file__": path, "__builtins__": scope, NAME: asserts})
    sys.modules[name] = module
    return module
