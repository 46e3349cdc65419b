"""The end of the link that the solution's process holds."""

from __future__ import annotations

import importlib
import os
import sys
import types
from typing import Any, Callable

from . import functions
from .common import is_acting
from .describing import clip, text_or_none
from .encoding import Wire
from .errors import LinkEnded, PeerEnded, TooManyFiles
from .errors_across import message_of
from .folders import TOO_MANY, Folders
from .link import Link
from .output import Output
from .proxies import Mirror, Ref
from .seeds import set_here
from .warned import Warned

_ABSENT = object()


class Server(Link):
    """Answers the tests, which are trusted, and asks them only for callbacks."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd, parity=1)
        self._output = Output()
        self._warned = Warned()
        self._replaced: dict[tuple[int, str], tuple[Any, Any]] = {}
        self._references: dict[int, tuple[Any, tuple[str, str]]] = {}
        self.actions.update(
            {
                "ping": lambda: True,
                "load": _load,
                "seed": set_here,
                "share_files": self._share_files,
                "import": _import,
                "public_names": _public_names,
                "members": _members,
                "fields": lambda target, names: [getattr(target, name) for name in names],
                "setattr": self._set_attribute,
                "delattr": self._delete_attribute,
            }
        )

    def gives(self, kind: type) -> bool:
        """Give the tests no class by name that would do something there; see `is_acting`."""
        return not is_acting(kind)

    def news(self) -> dict[str, Any]:
        """What was printed; of files that are too many, that they are."""
        try:
            news = super().news()
        except TooManyFiles:
            news = {"w": TOO_MANY}
        stdout, stderr = self._output.take()
        if stdout or stderr:
            news["o"] = [stdout, stderr]
        warned = self._warned.take()
        if warned:
            news["v"] = [self.encoder.all(warning) for warning in warned]
        return news

    def hear(self, news: dict[str, Any]) -> None:
        """Go where the tests went."""
        super().hear(news)
        if "d" in news:
            os.chdir(news["d"])

    def own_readers(self) -> dict[str, Callable[[Any], Any]]:
        """Functions of the library, which the tests give by name."""
        return {"gf": self._read_reference}

    def write_function(self, function: Any) -> Wire:
        """A function of the solution's, or one of the tests' that goes home."""
        ref = function.__dict__.get("_ref_") if type(function) is types.FunctionType else None
        if isinstance(ref, Ref) and ref.proxy is not None and ref.proxy() is function:
            return ["p", ref.hid, functions.write_attributes(self.objects, function)]
        known = self._references.get(id(function))
        if known is not None and known[0] is function:
            return ["gf", *known[1]]
        return functions.write(self.objects, function, with_parameters=False)

    def read_function(self, mirror: Mirror, ref: Ref, content: Wire) -> Any:
        """A function here that calls one of the tests'."""
        return functions.make_stub(self.objects, ref, content)

    def write_place(self, value: Any) -> Wire:
        """A module, or the like: it crosses as an object."""
        number = self.objects.class_number(type(value), True)
        return ["o", self.objects.export(value), number]

    def _read_reference(self, wire: Any) -> Any:
        found: Any = importlib.import_module(wire[1])
        for name in wire[2].split("."):
            found = getattr(found, name)
        self._references[id(found)] = (found, (wire[1], wire[2]))
        return found

    def _share_files(self) -> None:
        self.folders = Folders()

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


def _load(name: str) -> tuple[str, str, str]:
    """Import a module; what failed, as class, message and the module that is missing."""
    try:
        importlib.import_module(name)
    except LinkEnded:
        raise
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        missing = error.name if isinstance(error, ModuleNotFoundError) else ""
        return clip(type(error).__name__) or "BaseException", message_of(error), clip(missing)
    return "", "", ""


def _import(name: str) -> Any:
    module = importlib.import_module(name)
    return module, hasattr(module, "__path__"), text_or_none(module.__doc__)


def _members(kind: Any) -> tuple[Any, ...]:
    """Names and members of an enum, alternating."""
    return tuple(part for entry in kind.__members__.items() for part in entry)


def _public_names(module: Any) -> list[str]:
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name in vars(module) if not name.startswith("_")]
    return list(names)
