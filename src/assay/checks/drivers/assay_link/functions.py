"""Functions that cross: what is said of one, and what stands for it on the other side."""

from __future__ import annotations

import itertools
import types
from typing import TYPE_CHECKING, Any

from .decoding import BadWire
from .describing import clip
from .encoding import Wire
from .proxies import Mirror, Ref, RemoteFunction

if TYPE_CHECKING:
    from .objects import Objects

_new: Any = object.__new__
_NAMES = ("__name__", "__qualname__", "__module__", "__doc__")
_COROUTINE = 0x80  # of a code object's flags
_POSITIONAL_ONLY, _POSITIONAL, _REST, _KEYWORD, _KEYWORDS = range(5)


def names_of(function: Any) -> dict[str, Any]:
    """What a function is called."""
    return {
        "__name__": clip(function.__name__),
        "__qualname__": clip(function.__qualname__),
        "__module__": clip(function.__module__),
        "__doc__": clip(function.__doc__) if isinstance(function.__doc__, str) else None,
    }


def write(objects: Objects, function: Any, with_parameters: bool) -> Wire:
    """A function, with its parameters where the other side is to make one that has them too."""
    about: dict[str, Any] = names_of(function)
    plain = function.__func__ if isinstance(function, types.MethodType) else function
    code = getattr(plain, "__code__", None)
    about["async"] = bool(code is not None and code.co_flags & _COROUTINE)
    if with_parameters:
        about["parameters"] = _write_parameters(objects, function)
        about["attributes"] = write_attributes(objects, function)
    number = objects.export(function)
    return ["o", number, objects.class_number(types.FunctionType, False), about]


def make_remote(mirror: Mirror, content: Any) -> RemoteFunction:
    """What stands for a function of a side that may be hostile: it only looks like one."""
    names = {name: content[name] for name in _NAMES}
    if not all(type(text) is str or text is names["__doc__"] is None for text in names.values()):
        raise BadWire("a function has no name")
    proxy: RemoteFunction = _new(mirror)
    proxy._names_ = {**names, "async": content["async"] is True}
    return proxy


def make_stub(objects: Objects, ref: Ref, content: Any) -> Any:
    """A real function here that calls one of the other side's, which is trusted.

    It has the same parameters, so that `inspect.signature`, `functools.wraps` and code that counts
    arguments take it for what it stands for.
    """
    link = ref.link
    parameters: list[tuple[str, int, Any]] = content["parameters"]
    scope: dict[str, Any] = {"__ref": ref}
    if content["async"]:

        async def ask(*args: Any, **kwargs: Any) -> Any:
            return await link.request("__call__", (stub, *args), kwargs)

    else:

        def ask(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
            return link.request("__call__", (stub, *args), kwargs)

    if parameters is None:
        stub = ask
    else:
        source = _source_of(parameters, content["async"], scope, objects)
        scope["__ask"] = ask
        exec(source, scope)  # noqa: S102 (made of names alone, for a peer that is trusted)
        stub = scope["stub"]
    for name in _NAMES:
        setattr(stub, name, content[name])
    read_attributes(objects, stub, content["attributes"])
    return stub


def write_attributes(objects: Objects, function: Any) -> Wire:
    """What was set on a function, but for what Python and our stubs set."""
    own = getattr(function, "__dict__", {})
    return [[name, objects.encoder.encode(value)] for name, value in own.items() if _is_free(name)]


def read_attributes(objects: Objects, function: Any, wires: Any) -> None:
    """Set on a function what was set on the one that stands for it."""
    for name, wire in wires:
        if type(name) is not str or not _is_free(name):
            raise BadWire("an attribute cannot be set")
        value = objects.decoder.decode(wire)
        if function.__dict__.get(name, function) is not value:
            setattr(function, name, value)


def _is_free(name: str) -> bool:
    return not name.startswith("__") and name not in ("_ref_", "pytestmark")


def _write_parameters(objects: Objects, function: Any) -> Wire:
    import inspect  # takes long, and few tests need it

    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return None
    written = []
    for parameter in signature.parameters.values():
        if not parameter.name.isidentifier():
            return None
        default = parameter.default
        has_default = default is not parameter.empty
        wire = objects.encoder.encode(default) if has_default else None
        written.append([parameter.name, int(parameter.kind), has_default, wire])
    return written


def _source_of(parameters: Any, is_async: bool, scope: dict[str, Any], objects: Objects) -> str:
    """The text of a function `stub` that gives its arguments on."""
    taken, given = [], []
    numbers = itertools.count()
    previous = _POSITIONAL_ONLY
    positional_only = any(kind == _POSITIONAL_ONLY for _, kind, _, _ in parameters)
    has_rest = any(kind == _REST for _, kind, _, _ in parameters)
    for name, kind, has_default, wire in parameters:
        if positional_only and previous == _POSITIONAL_ONLY and kind != _POSITIONAL_ONLY:
            taken.append("/")
        if kind == _KEYWORD and previous < _KEYWORD and not has_rest:
            taken.append("*")
        text = {_REST: "*" + name, _KEYWORDS: "**" + name}.get(kind, name)
        given.append(f"{name}={name}" if kind == _KEYWORD else text)
        if has_default:
            default = f"__default{next(numbers)}"
            scope[default] = objects.decoder.decode(wire)
            text += "=" + default
        taken.append(text)
        previous = kind
    if positional_only and previous == _POSITIONAL_ONLY:
        taken.append("/")
    call = "__ask({})".format(", ".join(given))
    head, tail = ("async def", "await " + call) if is_async else ("def", call)
    return "{} stub({}):\n    return {}\n".format(head, ", ".join(taken), tail)
