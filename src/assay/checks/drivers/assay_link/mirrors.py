"""Making a class here that is like one of the other side's, from its description."""

from __future__ import annotations

import keyword
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from .bases import is_base
from .decoding import BadWire
from .describing import MAX_NAMES, MAX_TEXT
from .proxies import (
    Attribute,
    Mirror,
    Proxy,
    Ref,
    RemoteFunction,
    RemoteObject,
    function_attribute,
    make_method,
    own_hash,
    special,
)
from .shares import DEQUE, DICT, LIST, SET, Kind

FILLED: dict[type, Kind] = {
    list: LIST,
    dict: DICT,
    OrderedDict: DICT,
    Counter: DICT,
    defaultdict: DICT,
    set: SET,
    deque: DEQUE,
}
"""Built-in containers that can change."""
_TEXTS = ("__repr__", "__str__", "__format__")
_DATA_OWN = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))
"""Data are compared as the built-in class compares them, whatever the subclass says."""


class About:
    """What is known of a class of the other side's."""

    __slots__ = ("base", "decides", "fields", "known", "own_eq", "variety")

    def __init__(self, description: dict[str, Any], base: type, known: Any) -> None:
        self.base = base
        self.known = known
        self.variety: str = description["v"]
        self.own_eq = description["e"] is True
        self.decides = description["i"] is True
        self.fields = [(_name(name), given is True) for name, given in description["l"]]


def make_mirror(ref: Ref, description: Any, bases: list[type], known: Any) -> Mirror:
    """The class here.

    Args:
        ref: Of the class there.
        description: As `describing.describe` gives it, from a side that may be hostile.
        bases: Its bases here, in order: mirrors, and built-in classes of data or errors.
        known: The class of the standard library that both sides know, if it is one.

    Raises:
        BadWire: the description is none of ours.
    """
    opaque = description["v"] == "opaque"
    mirrors = [base for base in bases if isinstance(base, Mirror)]
    real = [base for base in dict.fromkeys(bases) if is_base(base) and not opaque]
    base: type = next((m._about_.base for m in mirrors if m._about_.base is not object), object)
    base = real[0] if real else object if opaque else base
    names = _namespace(ref, description, base, known)
    names["_about_"] = About(description, base, known)
    if known is not None and base is object:
        names["__class__"] = property(lambda self: known)
    parents: tuple[type, ...] = tuple(mirrors)
    if opaque or base is object:
        parents = () if opaque else parents
        root = RemoteFunction if description["v"] == "function" else RemoteObject
        parents = parents or (root,)
        names["__slots__"] = ()
    else:
        parents = (
            *(parents or (Proxy,)),
            *(r for r in real if not issubclass(parents[0] if parents else Proxy, r)),
        )
    try:
        mirror = Mirror(_text(description["n"]), parents, names)
    except TypeError:  # an order or layout of bases that these stand-ins cannot have
        mirror = Mirror(
            _text(description["n"]), (Proxy, base) if base is not object else (RemoteObject,), names
        )
    for abstract in bases:
        if not isinstance(abstract, Mirror) and not is_base(abstract):
            abstract.register(mirror)  # type: ignore[attr-defined]
    return mirror


def _namespace(
    ref: Ref, description: dict[str, Any], base: type, known: type | None
) -> dict[str, Any]:
    if not all(type(description[key]) is list for key in "sfatl"):
        raise BadWire("a class is not described")
    names: dict[str, Any] = {
        "_class_ref_": ref,
        "__module__": _text(description["m"]),
        "__qualname__": _text(description["q"]),
        "__doc__": None if description["d"] is None else _text(description["d"]),
    }
    if description["v"] == "function":
        names["__doc__"], names["__module__"] = map(function_attribute, ("__doc__", "__module__"))
        names["__annotations__"] = Attribute("__annotations__")
    plain = base is object
    names.update((name, make_method(name)) for name in map(_public, _few(description["f"])))
    names.update((name, Attribute(name)) for name in map(_public, _few(description["a"])))
    for name in _few(description["s"]):
        if plain or name not in _DATA_OWN:
            names[name] = special(name)
    if not plain and description["v"] == "object":
        names.update((name, _data_comparison(base, name)) for name in ("__eq__", "__ne__"))
        names.setdefault("__hash__", base.__hash__)
    for name in _TEXTS if plain else _few(description["t"]):
        if name in _TEXTS:
            names[name] = special(name)
    if known is not None and is_base(known) and plain:
        names["__repr__"] = names["__str__"] = _too_large
    if issubclass(base, BaseException):
        names["__str__"] = _error_text
    if plain:
        names["__eq__"], names["__ne__"] = special("__eq__"), special("__ne__")
        names["__hash__"] = {"no": None, "own": own_hash, "id": object.__hash__}[description["h"]]
    return names


def _data_comparison(base: type, name: str) -> Any:
    """`==` or `!=` of a class of data, as the built-in class has it."""

    def compare(self: Any, other: Any) -> Any:
        return self._ref_.link.compare_data(name, base, self, other)

    return compare


def _too_large(self: Any) -> str:
    return f"<{type(self).__name__} that is too large or too deep to be compared>"


def _error_text(self: Any) -> str:
    text: str | None = self.__dict__.get("_text_")
    return str(type(self)._about_.base.__str__(self) if text is None else text)


def _few(names: list[Any]) -> list[Any]:
    if len(names) > MAX_NAMES:
        raise BadWire("a class has too many names")
    return names


def _name(name: Any) -> str:
    if type(name) is not str or not name.isidentifier() or len(name) > MAX_TEXT:
        raise BadWire("a name is no name")
    if name in ("_class_ref_", "_ref_", "_about_") or keyword.iskeyword(name):
        raise BadWire("a name cannot be used")
    return name


def _public(name: Any) -> str:
    if _name(name).startswith("__") and name.endswith("__"):
        raise BadWire("a special name is not allowed here")
    return str(name)


def _text(text: Any) -> str:
    if type(text) is not str or len(text) > MAX_TEXT:
        raise BadWire("a text is none")
    return text
