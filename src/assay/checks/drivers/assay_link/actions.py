"""What one side may ask of an object of the other's: operators, calls, attributes.

A special method's action is the operator that Python would use, so that reflected operands, the
sequence protocol and errors are Python's own.
"""

from __future__ import annotations

import copy
import math
import operator
import os
from typing import Any, Callable

Action = Callable[..., Any]


def _call(target: Any, *args: Any, **kwargs: Any) -> Any:
    return target(*args, **kwargs)


def _method(target: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(target, name)(*args, **kwargs)


def _reflected(action: Callable[[Any, Any], Any]) -> Action:
    return lambda right, left: action(left, right)


def _of_type(name: str) -> Action:
    return lambda target, *args: getattr(type(target), name)(target, *args)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "matmul": operator.matmul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "divmod": divmod,
    "pow": pow,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
    "and": operator.and_,
    "xor": operator.xor,
    "or": operator.or_,
}
ARITHMETIC: frozenset[str] = frozenset(
    f"__{prefix}{name}__"
    for name in _BINARY
    for prefix in ("", "r", "i")
    if (prefix, name) != ("i", "divmod")
)
"""Operators whose result is the solution's own as much as their operands are."""
COMPARISONS = frozenset(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))

SPECIAL: dict[str, Action] = {
    "__call__": _call,
    "__len__": len,
    "__length_hint__": operator.length_hint,
    "__bool__": bool,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
    "__index__": operator.index,
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__abs__": abs,
    "__invert__": operator.invert,
    "__round__": round,
    "__trunc__": math.trunc,
    "__floor__": math.floor,
    "__ceil__": math.ceil,
    "__iter__": iter,
    "__next__": next,
    "__reversed__": reversed,
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
    "__missing__": _of_type("__missing__"),
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
    "__enter__": _of_type("__enter__"),
    "__exit__": _of_type("__exit__"),
    "__await__": _of_type("__await__"),
    "__aiter__": _of_type("__aiter__"),
    "__anext__": _of_type("__anext__"),
    "__aenter__": _of_type("__aenter__"),
    "__aexit__": _of_type("__aexit__"),
    "__eq__": operator.eq,
    "__ne__": operator.ne,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
    "__hash__": hash,
    "__str__": str,
    "__repr__": repr,
    "__format__": format,
    "__bytes__": bytes,
    "__fspath__": os.fspath,
    "__copy__": copy.copy,
    "__deepcopy__": copy.deepcopy,
    "__dir__": dir,
}
for _name, _action in _BINARY.items():
    SPECIAL[f"__{_name}__"] = _action
    SPECIAL[f"__r{_name}__"] = _reflected(_action)
    if _name != "divmod":
        SPECIAL[f"__i{_name}__"] = getattr(operator, "i" + _name, _action)

ACTIONS: dict[str, Action] = {
    **SPECIAL,
    "method": _method,
    "getattr": getattr,
    "setattr": setattr,
    "delattr": delattr,
    "isinstance": isinstance,
    "issubclass": issubclass,
}
