"""The end of the link that the solution's process holds."""

from __future__ import annotations

import importlib
import sys
import traceback
import types
from typing import Any

from . import functions
from .describing import clip
from .encoding import Wire
from .errors import LinkEnded, PeerEnded
from .errors_across import message_of
from .link import Link
from .output import Output
from .proxies import Mirror, Ref

_ABSENT = object()


class Server(Link):
    """Answers the tests, which are trusted, and asks them only for callbacks."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd, parity=1)
        self._output = Output()
        self._replaced: dict[tuple[int, str], tuple[Any, Any]] = {}
        self._references: dict[int, tuple[Any, Wire]] = {}
        self.actions.update(
            {
                "load": _load,
                "import": _import,
                "public_names": _public_names,
                "fields": lambda target, names: [getattr(target, name) for name in names],
                "setattr": self._set_attribute,
                "delattr": self._delete_attribute,
            }
        )

    def news(self) -> dict[str, Any]:
        """What was printed."""
        stdout, stderr = self._output.take()
        return {"o": [stdout, stderr]} if stdout or stderr else {}

    def write_function(self, function: Any) -> Wire:
        """A function of the solution's, or one of the tests' that goes home."""
        ref = function.__dict__.get("_ref_") if type(function) is types.FunctionType else None
        if isinstance(ref, Ref) and ref.proxy is not None and ref.proxy() is function:
            return ["p", ref.hid]
        return functions.write(self.objects, function, with_parameters=False)

    def read_function(self, mirror: Mirror, ref: Ref, content: Wire) -> Any:
        """A function here that calls one of the tests'."""
        return functions.make_stub(self.objects, ref, content)

    def write_place(self, value: Any) -> Wire:
        """A module, or the like: it crosses as an object."""
        number = self.objects.class_number(type(value), True)
        return ["o", self.objects.export(value), number]

    def _set_attribute(self, target: Any, name: str, value: Any) -> None:
        """Set one, and remember what a class or module had there: deleting it restores that."""
        if isinstance(target, (type, types.ModuleType)):
            key = (id(target), name)
            self._replaced.setdefault(key, (target, vars(target).get(name, _ABSENT)))
        setattr(target, name, value)

    def _delete_attribute(self, target: Any, name: str) -> None:
        before = self._replaced.pop((id(target), name), (target, _ABSENT))[1]
        if before is _ABSENT:
            delattr(target, name)
        else:
            setattr(target, name, before)


def serve(fd: int) -> None:
    """Answer the tests at the other end of a stream socket until they are gone.

    Raises:
        LinkBroken: what came cannot be read here.
    """
    server = Server(fd)
    try:
        server.serve()
    except PeerEnded:
        return
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


def _load(name: str) -> Any:
    try:
        importlib.import_module(name)
    except LinkEnded:
        raise
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        kinds = [clip(kind.__name__) for kind in type(error).__mro__][:50]
        missing = error.name if isinstance(error, ModuleNotFoundError) else ""
        return kinds, message_of(error), clip(missing), _last_lines(error)
    return None


def _last_lines(error: BaseException) -> str:
    try:
        return clip(
            "".join(traceback.format_exception(type(error), error, error.__traceback__))[-1500:]
        )
    except BaseException:  # noqa: BLE001 (a hostile error may raise SystemExit)
        return ""


def _import(name: str) -> Any:
    module = importlib.import_module(name)
    return module, hasattr(module, "__path__")


def _public_names(module: Any) -> list[str]:
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name in vars(module) if not name.startswith("_")]
    return list(names)
