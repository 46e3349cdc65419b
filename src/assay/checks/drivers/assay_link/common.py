"""What both sides know by name: built-in types, and classes of the standard library.

A class of these crosses as a reference to itself, so that `type(x) is int`, `defaultdict(list)`
and `except json.JSONDecodeError` mean the same on both sides. Nothing else is looked up by a name
that the other side sent.
"""

from __future__ import annotations

import builtins
import enum
import importlib
import os
import sys
import types
from typing import Any

_MODULES = {
    "array", "binascii", "collections", "concurrent.futures._base", "configparser", "csv", "_csv",
    "dataclasses", "datetime", "decimal", "enum", "fractions", "graphlib", "io", "ipaddress",
    "json.decoder", "numbers", "pathlib", "queue", "_queue", "random", "re", "_sre", "socket",
    "sqlite3", "statistics", "string", "struct", "_struct", "subprocess", "tokenize", "types",
    "urllib.error", "uuid", "xml.etree.ElementTree", "zipfile", "zlib", "zoneinfo",
    "asyncio.exceptions", "asyncio.queues", "asyncio.locks", "argparse", "http", "http.client",
    "abc", "collections.abc", "functools", "itertools", "threading", "time", "_io", "_decimal",
    "_collections", "re._constants", "sre_constants", "calendar", "string.templatelib",
    "operator", "contextlib",
}  # fmt: skip
"""Modules whose classes may be named. None of them reaches into the tests."""

_ACTING = {
    "_csv", "_io", "argparse", "configparser", "contextlib", "csv", "functools", "http.client",
    "io", "operator", "random", "socket", "sqlite3", "string", "subprocess", "threading",
    "tokenize", "types", "urllib.error", "xml.etree.ElementTree", "zipfile",
}  # fmt: skip
"""Modules with classes that do something where they are called: open files, start programs."""
_HOLDING = {
    ("_io", "StringIO"), ("_io", "BytesIO"), ("argparse", "Namespace"), ("random", "Random"),
    ("subprocess", "CompletedProcess"), ("tokenize", "TokenInfo"), ("types", "SimpleNamespace"),
    ("xml.etree.ElementTree", "Element"),
}  # fmt: skip
"""Classes of these that only hold data."""

_KINDS: tuple[Any, ...] = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType,
    types.CoroutineType, types.AsyncGeneratorType, types.ModuleType, types.MappingProxyType,
    types.SimpleNamespace, types.MethodWrapperType,
    type(None), type(Ellipsis), type(NotImplemented), type({}.keys()), type({}.values()),
    type({}.items()), type(iter([])), type(iter(())), type(iter({})), type(iter(set())),
    type(iter("")), type(iter(b"")), type(iter(range(0))), type(iter({}.values())),
    type(iter({}.items())), type(reversed([])),
)  # fmt: skip
_NAMELESS: dict[str, Any] = {kind.__name__: kind for kind in _KINDS}
"""Types that say they are built in, and have no name there."""


def find_class(module: object, name: object) -> type | None:
    """The class that both sides know by this name; None where there is none."""
    if type(module) is not str or type(name) is not str or "." in name:
        return None
    if module == "builtins":
        found = getattr(builtins, name, None) or _NAMELESS.get(name)
    elif module in _MODULES:
        try:
            found = getattr(sys.modules.get(module) or importlib.import_module(module), name, None)
        except ImportError:
            return None
    else:
        return None
    return found if isinstance(found, type) else None


def is_acting(kind: type) -> bool:
    """Whether a class does more than hold data: the tests' side has none by a hostile one's name.

    Whoever calls what it was given would do so on the tests' side.
    """
    is_function = kind in _KINDS and kind is not types.SimpleNamespace
    names = (kind.__module__, kind.__qualname__)
    acts = is_function or (names[0] in _ACTING and names not in _HOLDING)
    return acts and not issubclass(kind, (BaseException, enum.Enum))


_known: dict[type, tuple[str, str] | None] = {}


def name_of_class(kind: type) -> tuple[str, str] | None:
    """The module and the name by which both sides know a class; None for any other."""
    if kind not in _known:
        if len(_known) > 10_000:
            _known.clear()
        names = (kind.__module__, kind.__qualname__)
        _known[kind] = names if find_class(*names) is kind else None
    return _known[kind]


def name_of_function(function: Any) -> tuple[str, str] | None:
    """The module and the name of a function of the standard library, or of numpy; else None."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if type(module) is not str or type(name) is not str or not _is_library(module):
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return (module, name) if found is function else None


def _is_library(module: str) -> bool:
    root = module.split(".", maxsplit=1)[0]
    if root in _TOOLS:
        return False
    if root in ("builtins", "numpy"):
        return True
    names = getattr(sys, "stdlib_module_names", None)
    if names is not None:
        return root in names and root != "__main__"
    file = getattr(sys.modules.get(root), "__file__", None)
    folder = os.path.dirname(os.__file__)
    return file is None or (file.startswith(folder) and "site-packages" not in file)


_TOOLS = frozenset(("__main__", "unittest", "doctest", "pdb", "bdb"))
