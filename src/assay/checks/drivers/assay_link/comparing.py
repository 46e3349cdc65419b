"""Comparisons with the solution's objects: which are evidence, and which are its own say.

An object that a function of the solution gave back equals no plain data: it may say that it
equals everything. Where the solution's own code has to decide, it is asked, and that is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .bases import CONTENTS
from .proxies import Mirror, Ref, ref_of

if TYPE_CHECKING:
    from .tester import Tester

_PLAIN = (
    *CONTENTS, bool, type(None), bytearray, range, slice, type, type(Ellipsis), memoryview,
    type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
_TELLING = frozenset(
    ("__sub__", "__rsub__", "__xor__", "__rxor__", "__mod__", "__truediv__", "__rtruediv__")
)
"""Operators by which somebody asks whether two values are the same: what they give then is known.
"""


_ASKING = frozenset(
    ("startswith", "endswith", "issubset", "issuperset", "isdisjoint", "equals", "is_relative_to")
)
_ASKING_DATA = frozenset(("count", "index", "find", "rfind", "rindex"))
"""Methods of built-in data by which somebody asks whether they hold what is expected."""
_MAX_NOTED = 20_000


def compare(tester: Tester, name: str, left: Any, right: Any) -> Any:
    """What `left` (a proxy) says of `right`."""
    theirs = ref_of(right)
    says: Any = type(right).__eq__
    if theirs is None and not is_plain(right) and says is not object.__eq__:
        return NotImplemented  # an object of the tests' decides for itself
    if name not in ("__eq__", "__ne__"):
        return _ask(tester, name, left, right)
    equal = _equal(tester, left, right, theirs)
    if equal is None:
        return _ask(tester, name, left, right)
    return equal if name == "__eq__" else not equal


def _equal(tester: Tester, left: Any, right: Any, theirs: Ref | None) -> bool | None:
    """Whether they are equal on data; None where the solution has to be asked."""
    about = type(left)._about_
    if theirs is None:
        if not about.own_eq or right is None or about.variety == "dataclass":
            return False
        if left._ref_.made:
            return None
        tester.handles_compared += 1  # it is unequal only because it may not decide
        return False
    if not isinstance(type(right), Mirror):
        return False if not about.own_eq else None
    if not about.own_eq and not type(right)._about_.own_eq:
        return left is right
    if about.variety == "enum" and type(left) is type(right) and left._ref_.claim:
        return left is right
    if about.variety == "dataclass" and type(left) is type(right):
        return _equal_fields(tester, left, right)
    return None


def _equal_fields(tester: Tester, left: Any, right: Any) -> bool:
    """Compare what two dataclass instances say that they hold, here."""
    ours, theirs = fields_of(tester, left), fields_of(tester, right)
    anchored = is_anchored(left, ours), is_anchored(right, theirs)
    changed = (
        not is_anchor and side._ref_.fields not in (None, values)
        for is_anchor, side, values in zip(anchored, (left, right), (ours, theirs))
    )
    if not any(anchored) or any(changed):
        tester.handles_compared += 1
    return len(ours) == len(theirs) and all(a is b or a == b for a, b in zip(ours, theirs))


def fields_of(tester: Tester, instance: Any) -> list[Any]:
    """What an instance says of each of its class's fields."""
    names = [name for name, _ in type(instance)._about_.fields]
    values: list[Any] = tester.ask("fields", (instance, names), list)
    return values


def is_anchored(instance: Any, values: list[Any]) -> bool:
    """Whether the tests made the instance from what it says that it holds."""
    anchor = instance._ref_.anchor
    if not anchor:
        return False
    claimed = dict(zip((name for name, _ in type(instance)._about_.fields), values))
    return all(name in claimed and claimed[name] == value for name, value in anchor.items())


def anchor_of(about: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
    """The arguments of a dataclass by the names of its fields; None where they do not fit."""
    given = [name for name, is_given in about.fields if is_given]
    if len(args) > len(given) or any(name not in given for name in kwargs):
        return None
    return {**dict(zip(given, args)), **kwargs}


def note_fields(tester: Tester) -> None:
    """Remember what all dataclass instances hold, before one is made that they may be like."""
    for proxy in tester.objects.live():
        if type(proxy)._about_.variety == "dataclass":
            tester.noted += 1
            if tester.noted > _MAX_NOTED:
                tester.handles_compared += 1
                return
            proxy._ref_.fields = fields_of(tester, proxy)


def is_known(value: Any) -> bool:
    """Whether an object that a class gave was there before, and the tests know which it is."""
    ref = ref_of(value)
    return ref is not None and (ref.made or (ref.claim is not None and bool(ref.names)))


def is_typed(kind: Any, value: Any, args: tuple[Any, ...], kwargs: Any) -> bool:
    """Whether a class, as a `TypedDict` does, gave the plain dict that it was given."""
    return kind._about_.base is dict and type(value) is dict and dict(*args, **kwargs) == value


def holds(value: Any, args: tuple[Any, ...], kwargs: Any) -> bool:
    """Whether data that a class gave are those that it was given."""
    about = type(value)._about_
    if about.base is tuple:
        held = tuple(tuple.__iter__(value))
        anchor = anchor_of(about, args, kwargs) if about.fields else None
        if anchor is None:
            return not kwargs and (held == args or (len(args) == 1 and held == args[0]))
        claimed = dict(zip((name for name, _ in about.fields), held))
        return all(name in claimed and claimed[name] == given for name, given in anchor.items())
    try:
        return bool(not kwargs and len(args) < 2 and about.base(*args) == value)
    except (TypeError, ValueError, ArithmeticError):
        return False


def may_be_alike(left: Any, right: Any) -> bool:
    """Whether data that the tests had made are not what they gave, and may be like the others."""
    kind: Any = type(right)
    if not isinstance(kind, Mirror) or left._ref_.made is right._ref_.made:
        return False
    return not (left if left._ref_.made else right)._ref_.anchor


def asks(target: Any, name: str) -> bool:
    """Whether a method is one by which tests ask if an object is as they expect.

    What the tests made is meant to answer; what a call gave back may be no text and no mock at all.
    """
    if target._ref_.made:
        return False
    is_data = type(target)._about_.base is not object
    return name.startswith("assert") or name in _ASKING or (is_data and name in _ASKING_DATA)


def tells(name: str, target: Any, args: tuple[Any, ...], result: Any) -> bool:
    """Whether an operator handed a value to an object of the solution's, to be likened to it.

    What a call gave back is asked by any operator; what the tests made, by those that tell.
    """
    if not any(map(is_plain, args)):
        return False
    return not target._ref_.made or (name in _TELLING and is_plain(result))


def is_plain(value: Any) -> bool:
    """Whether it is data."""
    return isinstance(value, _PLAIN) and ref_of(value) is None


def _ask(tester: Tester, name: str, left: Any, right: Any) -> Any:
    tester.handles_compared += 1
    return tester.request(name, (left, right))
