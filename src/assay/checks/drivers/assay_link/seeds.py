"""`random.seed` in the tests holds for the solution too."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

_SETTERS = {"random": ("seed", "setstate"), "numpy.random": ("seed", "set_state")}


class Seeds:
    """Watches what the tests set in their own process. A finder for `sys.meta_path`."""

    def __init__(self, ask: Callable[[str, str, tuple[Any, ...], dict[str, Any]], Any]) -> None:
        self._ask = ask
        self._waiting = dict(_SETTERS)
        self._originals: list[tuple[Any, str, Any]] = []
        for name in [name for name in self._waiting if name in sys.modules]:
            self._follow(sys.modules[name])
        finder: Any = self
        sys.meta_path.insert(0, finder)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """The spec that others find of a module that sets seeds, followed once it is imported."""
        if fullname not in self._waiting:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target) if finder is not self else None
            if spec is not None and spec.loader is not None:
                self._follow_when_loaded(spec.loader)
                return spec
        return None

    def stop(self) -> None:
        """Put back what was there before."""
        finder: Any = self
        sys.meta_path.remove(finder)
        for module, setter, original in self._originals:
            setattr(module, setter, original)

    def _follow_when_loaded(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            self._follow(module)

        loader.exec_module = exec_module

    def _follow(self, module: Any) -> None:
        name = module.__name__
        for setter in self._waiting.pop(name, ()):
            original = getattr(module, setter)
            self._originals.append((module, setter, original))
            setattr(module, setter, self._followed(name, setter, original))

    def _followed(self, module: str, setter: str, original: Any) -> Any:
        @functools.wraps(original)
        def set_both(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            self._ask(module, setter, args, kwargs)
            return result

        return set_both


def set_here(module: str, setter: str, args: Any, kwargs: Any) -> None:
    """Do in the solution's process what the tests did in theirs."""
    import importlib

    if setter in _SETTERS.get(module, ()):
        getattr(importlib.import_module(module), setter)(*args, **kwargs)
