"""Where a test file runs: outside the solution's process wherever that can be right.

The file's source alone decides, before the solution runs, so the solution has no say in it. What
changes or looks into the solution's process (its clock, its environment, its threads, its classes
from below) would not reach it from outside, and correct code would fail.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from assay.checks.syntax import BUILTINS, Nodes, dotted_name

_SHARED_MODULES = {
    **dict.fromkeys(
        ("threading", "multiprocessing", "concurrent", "_thread", "contextvars", "signal"),
        "works with the solution's threads, processes or signals",
    ),
    **dict.fromkeys(
        ("subprocess", "socket", "socketserver", "http.server", "xmlrpc", "sqlite3", "runpy"),
        "starts or serves what the solution has to reach",
    ),
    **dict.fromkeys(
        ("inspect", "gc", "weakref", "pickle", "marshal", "copyreg", "ctypes", "tracemalloc"),
        "looks into the solution's objects",
    ),
    **dict.fromkeys(("dis", "importlib", "imp", "pkgutil"), "looks into the solution's code"),
    **dict.fromkeys(
        ("logging", "warnings", "locale", "resource", "atexit", "faulthandler"),
        "watches or changes what the solution's process does aside",
    ),
    **dict.fromkeys(
        ("fastapi", "starlette", "flask", "werkzeug", "django", "rest_framework", "aiohttp",
         "tornado", "sanic", "litestar", "uvicorn", "websockets", "click.testing",
         "typer.testing"),
        "calls the solution's objects itself",
    ),
    **dict.fromkeys(
        ("freezegun", "time_machine", "responses", "requests_mock", "respx", "httpretty",
         "pyfakefs"),
        "changes the solution's process",
    ),
}  # fmt: skip
"""Modules whose use by a test means that it has to be where the solution is, and why."""

_SHARED_NAMES = {
    **dict.fromkeys(
        ("dataclasses.asdict", "dataclasses.astuple", "dataclasses.fields", "dataclasses.replace",
         "dataclasses.is_dataclass", "typing.get_type_hints", "sys.getsizeof", "sys.getrefcount"),
        "looks into the solution's objects",
    ),
    **dict.fromkeys(
        ("sys.modules", "sys.argv", "sys.stdin", "sys.setrecursionlimit", "sys.settrace",
         "sys.stderr", "os.environ", "os.putenv", "os.chdir", "os.umask", "builtins.input",
         "decimal.getcontext", "decimal.setcontext", "decimal.localcontext"),
        "uses state of the solution's process",
    ),
}  # fmt: skip
_SHARED_ATTRIBUTES = frozenset(
    ("__dict__", "__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__",
     "__subclasses__", "__bases__", "__mro__", "__annotations__", "__slots__", "__func__",
     "__file__")
)  # fmt: skip
_SHARED_FIXTURES = frozenset(
    {"capfd", "capfdbinary", "caplog", "recwarn", "pytester", "testdir", "mocker", "benchmark"}
)
_NAMING_FIXTURES = frozenset({"usefixtures", "getfixturevalue"})
_SHARED_CALLS = frozenset({"warns", "deprecated_call", "assertWarns", "assertLogs", "vars"})
_PATCHES_OF_PROCESS = frozenset({"setenv", "delenv", "chdir", "syspath_prepend"})
_TEST_LIBRARIES = frozenset({"pytest", "hypothesis", "pytest_asyncio", "anyio", "numpy", "pandas"})
_FILES = re.compile(
    r"\b(?:tmp_path|tmpdir|tempfile|open|Path|os|shutil|glob|fileinput|zipfile|TemporaryDirectory)\b"
)

_TELLING: tuple[type[ast.stmt | ast.expr], ...] = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Attribute,
    ast.Call,
)


def why_in_process(nodes: Nodes) -> str:
    """Why a test file has to run in the solution's own process; empty where it need not."""
    reasons = _Reader(nodes).reasons()
    line, reason = min(reasons, key=lambda found: found[0], default=(0, ""))
    return f"line {line} {reason}" if reason else ""


def needs_files(source: str) -> bool:
    """Whether tests and solution may have to see each other's files."""
    return _FILES.search(source) is not None


class _Reader:
    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._imported: dict[str, str] = {}
        """What each imported name stands for: `np` -> `numpy`, `sleep` -> `time.sleep`."""
        self._own = {node.name for node in nodes.of(ast.ClassDef)}
        """Classes that the tests define."""
        for node in nodes.of(ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                self._imported[alias.asname or top] = alias.name if alias.asname else top
        for of_names in nodes.of(ast.ImportFrom):
            if of_names.module:
                for alias in of_names.names:
                    self._imported[alias.asname or alias.name] = f"{of_names.module}.{alias.name}"

    def reasons(self) -> Iterator[tuple[int, str]]:
        """Line and reason of everything that has to be in the solution's process."""
        for node in self._nodes.of(*_TELLING):
            reason = ""
            match node:
                case ast.Import(names=names):
                    reason = _first(self._of_module(alias.name) for alias in names)
                case ast.ImportFrom(module=str(module), names=names):
                    full = (f"{module}.{alias.name}" for alias in names)
                    reason = self._of_module(module) or _first(map(self._of_name, full))
                case ast.Attribute(attr=attr):
                    reason = self._of_attribute(node, attr)
                case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
                    wanted = (*args.posonlyargs, *args.args, *args.kwonlyargs)
                    reason = _first(_of_fixture(arg.arg) for arg in wanted)
                case ast.ClassDef(bases=bases):
                    reason = _first(map(self._of_base, bases))
                case ast.Call():
                    reason = self._of_call(node)
            if reason:
                yield node.lineno, reason

    def _of_module(self, name: str) -> str:
        what = _SHARED_MODULES.get(name) or _SHARED_MODULES.get(name.split(".", maxsplit=1)[0])
        return f"imports {name}, which {what}" if what else ""

    def _of_name(self, name: str) -> str:
        what = _SHARED_NAMES.get(name)
        return f"{what} ({name})" if what else ""

    def _of_attribute(self, node: ast.Attribute, attr: str) -> str:
        if attr in _SHARED_ATTRIBUTES:
            return f"looks into the solution's objects ({attr})"
        name = self._full_name(node)
        return self._of_name(name) if name else ""

    def _of_base(self, base: ast.expr) -> str:
        """Whether a class of the tests is derived from one of the solution."""
        if isinstance(base, ast.Subscript):
            base = base.value
        name = dotted_name(base)
        if name is None:
            return ""
        root = name.split(".")[0]
        others = self._is_module_of_others(self._imported.get(root, ""))
        if root in self._own or root in BUILTINS or others:
            return ""
        return f"derives a class from the solution's {name}"

    def _of_call(self, node: ast.Call) -> str:
        name = self._full_name(node.func) or ""
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name.rpartition(".")[2]
        if last in _NAMING_FIXTURES:
            named = (arg.value for arg in node.args if isinstance(arg, ast.Constant))
            return _first(_of_fixture(str(name)) for name in named)
        if last in _SHARED_CALLS:
            return f"watches or looks into the solution's process ({last})"
        if name.startswith("monkeypatch."):
            if last in _PATCHES_OF_PROCESS:
                return f"changes the solution's process (monkeypatch.{last})"
            if last in {"setattr", "delattr", "setitem", "delitem"}:
                return self._of_patch(node, reads_items=last.endswith("item"))
        parts = name.split(".")
        if "patch" in parts and ("mock" in parts or parts[0] == "patch"):
            return self._of_patch(node, reads_items=last == "dict")
        return ""

    def _of_patch(self, node: ast.Call, *, reads_items: bool) -> str:
        """Whether something else is patched than an attribute of the solution's module."""
        if not node.args:
            return "patches what cannot be told before it runs"
        target = node.args[0]
        if isinstance(target, ast.Constant) and isinstance(target.value, str):
            root, _, attribute = target.value.partition(".")
            if self._is_module_of_others(root) or "." in attribute or attribute in BUILTINS:
                return f"patches {target.value}"
            return ""
        name = dotted_name(target)
        if name is None:
            return ""  # an object that the tests made or got themselves
        root, _, rest = name.partition(".")
        if root not in self._imported:
            return ""
        full = self._imported[root]
        if rest or reads_items or "." in full or self._is_module_of_others(full):
            return f"patches {name}"
        return ""

    def _full_name(self, node: ast.expr) -> str | None:
        """A dotted name with what its first part was imported as."""
        name = dotted_name(node)
        if name is None:
            return None
        root, dot, rest = name.partition(".")
        return self._imported.get(root, root) + dot + rest

    @staticmethod
    def _is_module_of_others(name: str) -> bool:
        top = name.split(".", maxsplit=1)[0]
        return top in sys.stdlib_module_names or top in _TEST_LIBRARIES


def _of_fixture(name: str) -> str:
    if name not in _SHARED_FIXTURES:
        return ""
    return f"watches or changes what the solution's process does aside ({name})"


def _first(reasons: Iterator[str]) -> str:
    return next(filter(None, reasons), "")
