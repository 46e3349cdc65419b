"""Errors that cross: by class, arguments and text. Tracebacks stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .bases import is_base
from .common import find_class, name_of_class
from .decoding import BadWire
from .describing import base_of, clip
from .encoding import Wire
from .proxies import Mirror, Ref

if TYPE_CHECKING:
    from .objects import Objects

_MAX_CAUSES = 5


def write(objects: Objects, error: BaseException) -> Wire:
    """An error of this side."""
    ref = error.__dict__.get("_ref_")
    if isinstance(ref, Ref) and ref.proxy is not None and ref.proxy() is error:
        return ["p", ref.hid]
    kind = type(error)
    names = name_of_class(kind)
    number = objects.export(error)
    args = objects.encoder.all(_args(error))
    cause = _write_cause(objects, error)
    if names is not None:
        extra = [
            [name, objects.encoder.encode(value)]
            for name, value in [*vars(error).items(), *_of_import(error)]
            if isinstance(name, str) and not name.startswith("_")
        ]
        return ["x", number, *names, args, extra, cause]
    own_text: Any = kind.__str__
    text = None if own_text is base_of(kind).__str__ else message_of(error)
    return ["o", number, objects.class_number(kind, False), args, text, None, cause]


def read_known(objects: Objects, wire: list[Wire]) -> Any:
    """An error of a class that both sides have."""
    kind = find_class(wire[2], wire[3])
    if kind is None or not issubclass(kind, BaseException):
        raise BadWire("this is no class of errors")
    ref = objects.ref(wire[1])
    error = ref.proxy() if ref.proxy is not None else None
    if error is None:
        error = _make(kind, kind, objects.decoder.all(wire[4]))
        for name, value in wire[5]:
            if type(name) is str and not name.startswith("_"):
                try:
                    setattr(error, name, objects.decoder.decode(value))
                except (AttributeError, TypeError):
                    continue
        objects.attach(ref, error)
        _set_cause(objects, error, wire[6])
    return error


def make(objects: Objects, mirror: Mirror, ref: Ref, wire: list[Wire]) -> BaseException:
    """An error of a class that only the other side has."""
    args = objects.decoder.all(wire[3])
    error = _make(mirror, mirror._about_.base, args)
    if wire[4] is not None:
        if type(wire[4]) is not str:
            raise BadWire("an error's text is none")
        object.__setattr__(error, "_text_", wire[4])
    object.__setattr__(error, "_ref_", ref)
    _set_cause(objects, error, wire[6])
    return error


def message_of(error: BaseException) -> str:
    """What an error says, as far as it can be had."""
    try:
        return clip(str(error))
    except BaseException:  # noqa: BLE001 (a hostile error may raise SystemExit)
        return ""


def _args(error: BaseException) -> Any:
    args = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    if isinstance(error, OSError) and error.filename is not None and len(args) == 2:
        return (*args, error.filename)
    return args


def _of_import(error: BaseException) -> Any:
    if isinstance(error, ImportError):
        return [("name", error.name), ("path", error.path)]
    return []


def _make(kind: Any, base: Any, args: list[Any]) -> BaseException:
    if not is_base(base):
        raise BadWire("this is no class of errors")
    try:
        error: BaseException = base.__new__(kind, *args)
    except Exception:  # noqa: BLE001 (a class that wants other arguments than it has kept)
        error = BaseException.__new__(kind)
    if base.__module__ == "builtins":
        try:
            base.__init__(error, *args)
        except Exception:  # noqa: BLE001 (as above)
            BaseException.__init__(error)
    error.args = tuple(args)
    return error


def _write_cause(objects: Objects, error: BaseException) -> Wire:
    cause = error.__cause__
    if cause is None and not error.__suppress_context__:
        cause = error.__context__
    depth = 0
    above: BaseException | None = error
    while above is not None and depth <= _MAX_CAUSES:
        depth, above = depth + 1, above.__cause__ or above.__context__
    if cause is None or depth > _MAX_CAUSES:
        return None
    return [error.__cause__ is not None, objects.encoder.encode(cause)]


def _set_cause(objects: Objects, error: BaseException, wire: Wire) -> None:
    if wire is None:
        return
    cause = objects.decoder.decode(wire[1])
    if not isinstance(cause, BaseException):
        raise BadWire("a cause is no error")
    if wire[0]:
        error.__cause__ = cause
    else:
        error.__context__ = cause
