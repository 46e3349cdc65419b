"""Runs a test file in pytest, with nothing of its surroundings.

No conftest, no ini file, no cache, and no plugins but this one and those of granted packages that
are for asynchronous tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib.util
import inspect
import os
import types
from collections.abc import Callable
from typing import Any

import pytest

from .reports import Reporter
from .rewriting import TestSource

_PLUGINS = (
    ("pytest_asyncio", "pytest_asyncio.plugin", ("-o", "asyncio_mode=auto")),
    ("anyio", "anyio.pytest_plugin", ()),
)
_OPTIONS = ("--noconftest", "--import-mode=importlib", "--assert=plain", "--capture=no")
_SKIPPED = "Skipped: "
"""What a reason begins with, since a test skips itself by raising it."""
_LEFT_OUT = (
    "terminal",
    "cacheprovider",
    "faulthandler",
    "stepwise",
    "junitxml",
    "pastebin",
    "doctest",
)


def run_pytest(
    source: TestSource, module: types.ModuleType, reporter: Reporter, _plan: dict[str, Any]
) -> None:
    """Run a file, whose module holds at most names of the solution, and report on each test."""
    path = str(module.__file__)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = [*_OPTIONS, "-c", os.devnull, "--rootdir", os.path.dirname(path)]
    for name in _LEFT_OUT:
        options += ["-p", f"no:{name}"]
    for package, plugin, more in _PLUGINS:
        if importlib.util.find_spec(package):
            options += ["-p", plugin, *more]
    pytest.main([*options, path], plugins=[_Plugin(source, module, reporter)])


class _Module(pytest.Module):
    """A test file whose source was rewritten by us."""

    load: Callable[[], types.ModuleType]

    def _getobj(self) -> types.ModuleType:
        return self.load()


class _Plugin:
    def __init__(self, source: TestSource, module: types.ModuleType, reporter: Reporter) -> None:
        self._source = source
        self._module = module
        self._reporter = reporter
        self._outcome = ""
        self._details: dict[str, str] = {}
        self._is_marked_xfail = self._is_xfail = False
        self._loop = asyncio.new_event_loop()

    def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> pytest.Module:
        module = _Module.from_parent(parent, path=module_path)
        module.load = self._load
        return module

    def _load(self) -> types.ModuleType:
        code = self._source.compile(*range(len(self._source)))
        try:
            exec(code, vars(self._module))  # noqa: S102 (the user's tests)
        except pytest.skip.Exception as skip:
            self._reporter.send(all_skipped=str(skip)[:500])
            raise
        except BaseException as error:
            self._reporter.send(broken=self._source.explain(error))
            raise
        return self._module

    def pytest_itemcollected(self, item: Any) -> None:
        # What failed is told by us; pytest's own account of it takes long, and nobody reads it.
        item.repr_failure = lambda excinfo, style=None: str(excinfo.type)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._outcome, self._details = "passed", {}
        self._reporter.begin(_name_of(nodeid))

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        self._is_marked_xfail = item.get_closest_marker("xfail") is not None
        if call.excinfo is not None and not self._details:
            self._details = self._source.explain(call.excinfo.value)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self._outcome = "failed"
            # An unexpected pass has raised nothing.
            self._details = self._details or {"message": str(report.longrepr)[:500]}
        elif report.skipped and self._outcome == "passed":
            self._outcome = "skipped"
            self._is_xfail = self._is_marked_xfail and hasattr(report, "wasxfail")

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        name = _name_of(nodeid)
        if self._outcome == "passed":
            self._reporter.passed(name)
        elif self._outcome == "skipped":
            reason = self._details.get("message", "")
            reason = reason[len(_SKIPPED) :] if reason.startswith(_SKIPPED) else reason
            self._reporter.skipped(name, reason, failed=self._is_xfail)
        else:
            self._reporter.failed(name, **self._details)

    def pytest_pyfunc_call(self, pyfuncitem: Any) -> bool | None:
        """Run an asynchronous test that no plugin for such tests has taken."""
        test = pyfuncitem.obj
        if not inspect.iscoroutinefunction(test):
            return None
        names = pyfuncitem._fixtureinfo.argnames
        self._loop.run_until_complete(test(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> None:
        """Let an asynchronous fixture run in the tests' own event loop."""
        function = fixturedef.func
        if inspect.isasyncgenfunction(function):
            fixturedef.func = self._generating(function)
        elif inspect.iscoroutinefunction(function):
            fixturedef.func = self._waiting(function)

    def _waiting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            return self._loop.run_until_complete(function(*args, **kwargs))

        return run

    def _generating(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            yield self._loop.run_until_complete(generator.__anext__())
            with contextlib.suppress(StopAsyncIteration):
                self._loop.run_until_complete(generator.__anext__())

        return run


def _name_of(nodeid: str) -> str:
    return nodeid.split("::", 1)[-1].replace("::", ".")
