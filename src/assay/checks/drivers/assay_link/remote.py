"""The solution as the tests see it.

```
remote = connect(fd)
remote.allow(10)                      # seconds, for all that follows
remote.load("solution")               # raises ImportFailed with what its import raised
sys.modules["solution"] = remote.module("solution")   # or: sys.meta_path.insert(0, remote.finder)
exec(code, remote.names("solution"))  # plain asserts see every name of the solution
remote.finish()                       # raises LinkEnded where the solution wrote to the link
remote.handles_compared, remote.ended
```

While the other side works, nothing is heard of it but through this. `LinkEnded` (no `Exception`) is
raised by whatever touches the solution once it is gone; `remote.ended` keeps the first one.
"""

from __future__ import annotations

import importlib.machinery
import sys
import time
import types
from typing import Any, Dict, Mapping

from .describing import clip
from .errors import ImportFailed, LinkEnded
from .proxies import Mirror, RemoteFunction
from .tester import Tester

_monotonic = time.monotonic


class RemoteModule(types.ModuleType):
    """A module of the solution's: its attributes are looked up there."""

    def __init__(self, tester: Tester, name: str, handle: Any, is_package: bool, doc: Any) -> None:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=is_package)
        types.ModuleType.__init__(self, name)
        own = self.__dict__
        own["__spec__"], own["__loader__"] = spec, None
        own["__package__"] = name if is_package else name.rpartition(".")[0]
        own["_tester_"], own["_handle_"] = tester, handle
        own["__doc__"] = doc
        if is_package:
            own["__path__"] = []

    def __getattr__(self, name: str) -> Any:
        if name in ("__path__", "__wrapped__", "__file__"):
            raise AttributeError(name)
        if name == "__all__":
            names = self._tester_.ask("public_names", (self._handle_,), list)
            return [name for name in names if self._is_importable(name)]
        return self._tester_.get_named(self._handle_, name)

    def _is_importable(self, name: str) -> bool:
        """Whether `import *` takes a name; counts one that the tests use with another meaning."""
        taken = self._tester_.namespace
        if name in taken:
            value = getattr(self, name)
            if value is taken[name]:
                return True
            if _is_called_alike(value, taken[name]):
                return False  # imported by the solution as well; its process may have changed it
        if name in taken or name in _BUILTINS:
            self._tester_.handles_compared += 1
        return True

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, RemoteModule) or name in ("__spec__", "__loader__", "__path__"):
            self.__dict__[name] = value  # a submodule, set by the import system
        else:
            self._tester_.set(self._handle_, name, value)

    def __delattr__(self, name: str) -> None:
        self._tester_.request("delattr", (self._handle_, name))

    def __dir__(self) -> list[str]:
        names: list[str] = self._tester_.ask("__dir__", (self._handle_,), list)
        return names


class Names(Dict[str, Any]):
    """A namespace that sees the solution's names where it has none of its own.

    Functions and classes are asked for once, data each time: the solution may set them anew.
    """

    def __init__(self, module: RemoteModule, usual: Mapping[str, Any]) -> None:
        super().__init__()
        self._module = module
        self._usual = usual
        self._theirs: set[str] = set(dir(module))

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        if name not in self._theirs and name in _BUILTINS:
            raise KeyError(name)
        try:
            value = getattr(self._module, name)
        except AttributeError:
            raise KeyError(name) from None
        usual = self._usual.get(name, value)
        if usual is not value:
            value = self._choose(name, usual, value)
        if isinstance(value, (RemoteFunction, Mirror, types.ModuleType)):
            self[name] = value
        return value

    def _choose(self, name: str, usual: Any, value: Any) -> Any:
        """Which one the tests mean by a name that has a meaning without the solution, too."""
        if self._is_library(name, value):
            # Such a module is there to be used, but for the clock, which is there to be patched.
            return value if name == "time" else sys.modules[name]
        is_own_class = isinstance(usual, type) and isinstance(value, Mirror)
        if name in _BUILTINS or not is_own_class:
            self._module._tester_.handles_compared += 1
        return value

    def _is_library(self, name: str, value: Any) -> bool:
        """Whether it is said to be the module of the standard library that has this name."""
        kind: Any = type(value)
        is_module = isinstance(kind, Mirror) and kind._about_.known is types.ModuleType
        return is_module and value.__name__ == name


_BUILTINS = frozenset(dir(__import__("builtins")))


def _is_called_alike(value: Any, usual: Any) -> bool:
    """Whether the solution's object says that it is the one that the tests have."""
    return all(
        hasattr(usual, name) and getattr(value, name, None) == getattr(usual, name)
        for name in (
            ("__name__",) if isinstance(usual, types.ModuleType) else ("__name__", "__module__")
        )
    )


class Finder:
    """Finds the solution's modules in its process. Put it first on `sys.meta_path`."""

    def __init__(self, remote: Remote, names: list[str]) -> None:
        self._remote = remote
        self._names = frozenset(names)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """The spec of one of the solution's modules."""
        if fullname.split(".", maxsplit=1)[0] not in self._names:
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader)

    def create_module(self, spec: Any) -> Any:
        """The module, imported there."""
        return self._remote.module(spec.name)

    def exec_module(self, module: Any) -> None:
        """Nothing is left to do."""


class Remote:
    """The solution in its own process."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._modules: dict[str, RemoteModule] = {}
        tester.on_output = _print_here

    @property
    def handles_compared(self) -> int:
        """Comparisons so far that the solution's own objects decided: no evidence."""
        return self._tester.handles_compared

    @property
    def asked(self) -> int:
        """Requests so far."""
        return self._tester.asked

    @property
    def told(self) -> int:
        """How often the solution gave the tests more than functions and classes."""
        return self._tester.told

    @property
    def ended(self) -> LinkEnded | None:
        """Why the solution cannot be asked any more; None while it can."""
        return self._tester.ended

    def allow(self, seconds: float | None) -> None:
        """Give the other side that much time from now on, for all that follows; None: no end."""
        deadline = None if seconds is None else _monotonic() + seconds
        self._tester.frames.deadline = deadline

    def load(self, name: str) -> None:
        """Have the solution's module imported.

        Raises:
            ImportFailed: its import raised something.
            LinkEnded: its process ended, or took too long.
        """
        kind, message, missing = self._tester.ask("load", (name,), str, str, str)
        if kind:
            raise ImportFailed(clip(kind), clip(message), clip(missing))

    def module(self, name: str) -> RemoteModule:
        """A module of the solution's, imported there if it was not.

        Raises:
            Exception: what its import raised, as a test would see it.
        """
        if name not in self._modules:
            handle, is_package, doc = self._tester.ask("import", (name,), object, bool, object)
            self._modules[name] = RemoteModule(self._tester, name, handle, is_package, doc)
        return self._modules[name]

    def names(self, name: str, usual: Mapping[str, Any] | None = None) -> Names:
        """A namespace for tests that name the solution's functions without importing them.

        Args:
            name: The module's.
            usual: What names mean otherwise. What the solution means by them is its own say.
        """
        return Names(self.module(name), usual or {})

    def expect_names(self, namespace: Mapping[str, Any]) -> None:
        """Count it where `import *` replaces what a name means in `namespace`."""
        self._tester.namespace = namespace

    def finder(self, names: list[str]) -> Finder:
        """A finder for `sys.meta_path` that serves these top-level modules, and what is in them."""
        return Finder(self, names)

    def finish(self) -> None:
        """Make sure that all answers were the link's own.

        Raises:
            LinkEnded: the solution wrote to the link itself, or is gone.
        """
        self._tester.finish()

    def close(self) -> None:
        """Close the link, at which the solution's process ends."""
        self._tester.close()


def connect(fd: int, with_files: bool = False) -> Remote:
    """The solution at the other end of a stream socket.

    Args:
        fd: The number of the socket.
        with_files: Whether files that one side writes into its working folder or `/tmp` appear on
            the other, and the tests' current folder is the solution's too.
    """
    tester = Tester(fd)
    if with_files:
        tester.share_files()
    return Remote(tester)


def _print_here(stdout: str, stderr: str) -> None:
    if stdout:
        sys.stdout.write(stdout)
    if stderr:
        sys.stderr.write(stderr)
