"""What the solution may do to an object of the tests: use it, and no more.

It may call what it was given, use its operators, and read and set public attributes of instances
whose classes the tests define. No walk leads from there to the tests themselves, to a module, a
frame, or a value that it was not given: where in doubt, it is refused.
"""

from __future__ import annotations

import functools
import io
import types
from typing import Any

from .actions import SPECIAL
from .common import is_acting

ALWAYS = frozenset(("isinstance", "issubclass", "start", "poll", "cancel"))
"""What is asked with any value, and of none."""
_NAMES = frozenset(("__name__", "__qualname__", "__doc__", "__module__"))
_LOGGING = frozenset(
    ("debug", "info", "warning", "error", "exception", "critical", "log", "name", "level")
)
_ITERATING = frozenset(("send", "throw", "close", "asend", "athrow", "aclose"))
_OF_MOCKS = (
    "assert", "attach_mock", "call_", "called", "mock_", "method_calls", "reset_mock",
    "configure_mock",
)  # fmt: skip
"""How names begin in which a mock keeps its calls, and by which it says whether they are right."""
_ERRORS = frozenset(("args", "add_note"))
_OF_LOOPS = frozenset(
    ("call_soon", "call_later", "call_at", "call_soon_threadsafe", "create_future", "create_task",
     "get_debug", "is_closed", "is_running", "time")
)  # fmt: skip
"""Of an event loop, which could start processes on the tests' side."""
_ITERATORS = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)
_CALLED_ONLY = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
    types.FrameType, types.CodeType, types.TracebackType, functools.partial,
)  # fmt: skip
_CLOSED_MODULES = frozenset(
    ("_pytest", "pytest", "pluggy", "unittest", "hypothesis", "importlib", "inspect", "gc",
     "assay_link", "builtins", "logging", "sys", "doctest", "contextvars", "threading", "traceback")
)  # fmt: skip


def refusal(action: str, args: list[Any]) -> str:
    """Why the solution may not do this; empty where it may."""
    if action in SPECIAL:
        return "" if args and not _is_closed(args[0]) else "this object can only be called"
    if action in ("getattr", "setattr", "delattr", "method"):
        target, name = args[0], args[1]
        if type(name) is not str or not _is_open(target, name, action):
            return f"the tests keep {name!r} of a {type(target).__name__} to themselves"
        return ""
    return "" if action in ALWAYS else "this cannot be asked of the tests"


def _is_open(target: Any, name: str, action: str) -> bool:
    reads = action in ("getattr", "method")
    if name in _NAMES:
        return action == "getattr" and isinstance(
            target, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
        )
    if name.startswith(("_", "test")):
        return False
    if name.startswith(_OF_MOCKS) and _is_mock(type(target)):
        return False
    if isinstance(target, _ITERATORS):
        return reads and name in _ITERATING
    if type(target).__module__ == "logging":
        return reads and name in _LOGGING
    if isinstance(target, BaseException):
        return reads and (name in _ERRORS or name in vars(target) or _is_of_tests(type(target)))
    if isinstance(target, io.IOBase):
        return reads and _is_io(name)
    if _is_loop(type(target)):
        return reads and name in _OF_LOOPS
    if isinstance(target, _CALLED_ONLY):
        return isinstance(target, types.FunctionType) and name in vars(target) and reads
    if isinstance(target, type):
        return reads and name != "mro" and _is_of_tests(target)
    return _is_of_tests(type(target))


def _is_mock(kind: type) -> bool:
    return any(parent.__module__ == "unittest.mock" for parent in kind.__mro__)


def _is_loop(kind: type) -> bool:
    return any(parent.__name__ == "AbstractEventLoop" for parent in kind.__mro__)


def replaces(args: list[Any]) -> bool:
    """Whether somebody sets what a mock keeps, or a mock or method itself, to another object.

    Tests would ask that object whether what they expect has happened.
    """
    target, name, _ = args
    own = getattr(target, "__dict__", {}).get(name)
    is_method = callable(getattr(type(target), name, None))
    return is_method or _is_mock(type(target)) or _is_mock(type(own))


def _is_io(name: str) -> bool:
    return hasattr(io.StringIO, name) or hasattr(io.BytesIO, name) or name in ("mode", "name")


def _is_closed(target: Any) -> bool:
    """Whether even operators are refused."""
    if isinstance(target, type) and (is_acting(target) or not _is_of_tests(target)):
        return True
    return isinstance(
        target, (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
    )


def _is_of_tests(kind: type) -> bool:
    """Whether a class is the tests' own, or one of those that they use as plain helpers."""
    for parent in kind.__mro__:
        root = parent.__module__.split(".")[0]
        if parent.__module__ == "unittest.mock" or parent is object:
            continue
        if root in _CLOSED_MODULES and not _is_data(parent):
            return False
    return True


def _is_data(kind: type) -> bool:
    return kind.__module__ == "builtins" and kind not in _UNSAFE_BUILTINS


_UNSAFE_BUILTINS: frozenset[Any] = frozenset(
    (*_CALLED_ONLY, *_ITERATORS, type, classmethod, staticmethod, property, super, types.CellType)
)
