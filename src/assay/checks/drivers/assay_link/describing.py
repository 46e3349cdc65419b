"""What the other side has to know of a class to make its own like it."""

from __future__ import annotations

import enum
import types
from typing import Any

from .actions import SPECIAL
from .bases import is_base
from .common import name_of_class

MAX_NAMES = 500
MAX_TEXT = 2_000

_ALWAYS = {
    "__repr__",
    "__str__",
    "__format__",
    "__hash__",
    "__eq__",
    "__ne__",
    "__dir__",
    "__copy__",
}
"""Every object has these; who differs from `object` is told by other means."""
_FUNCTIONS = (types.FunctionType, type(str.upper), type(object.__init__))


def describe(kind: type, bases: list[Any], opaque: bool) -> dict[str, Any]:
    """The description of a class, given its bases as the other side knows them.

    An `opaque` one is of objects that do not cross as data, though they may be.

    Letters keep it short: n name, q qualified name, m module, d docstring, b bases, s special
    methods, f methods, a other attributes that hide a base's, h whether its hash is by identity
    (`id`), its own or absent (`no`), e whether `==` is its own, t the texts that it makes itself,
    l the fields of its data, v (enum, dataclass, data or error), r the name by which both sides
    know it, i whether it decides what its instances are.
    """
    found = _namespace(kind, opaque)
    base = object if opaque else base_of(kind)
    specials, methods, hiding = [], [], []
    for name, value in found.items():
        if name in SPECIAL:
            if value is not None and name not in _ALWAYS:
                specials.append(name)
        elif isinstance(value, _FUNCTIONS) and not _is_internal(name):
            methods.append(name)
        elif not _is_internal(name) and (base is not object or _is_hidden(kind, name)):
            hiding.append(name)
    meta = type(kind)
    return {
        "n": clip(kind.__name__),
        "q": clip(kind.__qualname__),
        "m": clip(kind.__module__),
        "d": text_or_none(kind.__doc__),
        "b": bases,
        "s": specials[:MAX_NAMES],
        "f": methods[:MAX_NAMES],
        "a": hiding[:MAX_NAMES],
        "h": _hash_of(kind),
        "e": _differs(kind, "__eq__") or _differs(kind, "__ne__"),
        "t": [name for name in ("__repr__", "__str__", "__format__") if name in found],
        "l": _fields(kind),
        "v": "opaque" if opaque else _variety(kind),
        "r": name_of_class(kind),
        "i": meta is not type
        and (
            hasattr(meta, "__instancecheck__")
            and meta.__instancecheck__ is not type.__instancecheck__
        )
        and not issubclass(meta, enum.EnumMeta),
    }


def clip(text: Any) -> str:
    """`text` as a real string of bearable length."""
    if not isinstance(text, str):
        return ""
    return str.__getitem__(str.__str__(text), slice(MAX_TEXT))


def text_or_none(text: Any) -> Any:
    """`text` if it is one, of bearable length; None for anything else."""
    return clip(text) if isinstance(text, str) else None


def base_of(kind: type) -> type:
    """The built-in class that an instance's data are of; `object` where it is no data."""
    return next((parent for parent in kind.__mro__ if is_base(parent)), object)


def _namespace(kind: type, opaque: bool) -> dict[str, Any]:
    """What a class defines or inherits beyond the built-in class that its data are of."""
    found: dict[str, Any] = {}
    for parent in reversed(kind.__mro__):
        if parent is not object and (opaque or not is_base(parent)):
            found.update(vars(parent))
    return found


def _is_internal(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_hidden(kind: type, name: str) -> bool:
    return any(isinstance(vars(parent).get(name), _FUNCTIONS) for parent in kind.__mro__[1:])


def _differs(kind: type, name: str) -> bool:
    return getattr(kind, name, None) is not getattr(object, name)


def _hash_of(kind: type) -> str:
    if kind.__hash__ is None:
        return "no"
    return "own" if _differs(kind, "__hash__") else "id"


def _variety(kind: type) -> str:
    if issubclass(kind, enum.Enum):
        return "enum"
    if issubclass(kind, BaseException):
        return "error"
    if kind in (types.FunctionType, types.MethodType):
        return "function"
    params = vars(kind).get("__dataclass_params__")
    if getattr(params, "eq", False) is True and _is_generated(vars(kind).get("__eq__")):
        return "dataclass"
    if hasattr(kind, "__attrs_attrs__") and _is_generated(vars(kind).get("__eq__")):
        return "dataclass"
    return "object"


def _is_generated(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename.startswith("<")


def _fields(kind: type) -> list[tuple[str, bool]]:
    """The fields of a named tuple or dataclass, and whether each is given when one is made."""
    names = getattr(kind, "_fields", None)
    if issubclass(kind, tuple) and isinstance(names, tuple):
        return [(name, True) for name in names if isinstance(name, str)][:MAX_NAMES]
    fields = getattr(kind, "__dataclass_fields__", None)
    if isinstance(fields, dict):
        return [
            (field.name, bool(field.init))
            for field in fields.values()
            if field.compare and "ClassVar" not in repr(field._field_type)
        ][:MAX_NAMES]
    attributes = getattr(kind, "__attrs_attrs__", None)
    if isinstance(attributes, tuple):
        return [(one.name, bool(one.init)) for one in attributes if one.eq][:MAX_NAMES]
    return []
