"""What stands on one side for an object of the other.

Each class of the other side's has a real class here (a *mirror*, of the metaclass `Mirror`), so
that `isinstance`, `except` and inheritance are Python's own. An instance of it holds a `Ref`; what
is done to it is asked of the object there.
"""

from __future__ import annotations

import sys
import types
import weakref
from typing import TYPE_CHECKING, Any, Callable

from .actions import ARITHMETIC, COMPARISONS, SPECIAL

if TYPE_CHECKING:
    from .link import Link


class Ref:
    """One object of the other side's, for as long as some proxy of it is alive."""

    __slots__ = (
        "__weakref__", "anchor", "claim", "dead", "fields", "hash", "hid", "link", "made", "names",
        "proxy",
    )  # fmt: skip

    def __init__(self, hid: int, link: Link, dead: dict[int, None]) -> None:
        self.hid = hid
        self.link = link
        self.dead = dead
        self.proxy: Callable[[], Any] | None = None
        self.made = False
        """Whether the tests made the object by calling a class, or by operators on such ones."""
        self.hash: int | None = None
        self.claim: Any = None
        """What an enum's member says that its name is."""
        self.anchor: Any = None
        """What the tests made it from."""
        self.fields: list[Any] | None = None
        """What a dataclass's instance held before the tests last made another."""
        self.names: list[tuple[Any, Any]] = []
        """By which names of which classes and modules the tests first got it."""

    def __del__(self) -> None:
        self.dead[self.hid] = None


class Mirror(type):
    """The class of mirrors; what is asked of one is asked of the class that it stands for."""

    _class_ref_: Ref
    _about_: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an instance there."""
        return cls._class_ref_.link.construct(cls, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        if name in _LOCAL_TO_CLASSES or name in _DECIDING:
            raise AttributeError(name)
        return cls._class_ref_.link.get(cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if name in _LOCAL_TO_CLASSES:
            type.__setattr__(cls, name, value)
        elif value is cls.__dict__.get(name, cls):
            # Somebody puts back what was here before; there, deleting restores it.
            cls._class_ref_.link.request("delattr", (cls, name))
        else:
            cls._class_ref_.link.request("setattr", (cls, name, value))

    def __delattr__(cls, name: str) -> None:
        cls._class_ref_.link.request("delattr", (cls, name))

    def __iter__(cls) -> Any:
        return cls._class_ref_.link.request("__iter__", (cls,))

    def __len__(cls) -> int:
        length: int = cls._class_ref_.link.request("__len__", (cls,))
        return length

    def __bool__(cls) -> bool:
        return True

    def __getitem__(cls, item: Any) -> Any:
        return cls._class_ref_.link.get_item(cls, item)

    def __contains__(cls, item: Any) -> bool:
        return cls._class_ref_.link.has_member(cls, item)

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or cls._asks("isinstance", instance)

    def __subclasscheck__(cls, other: type) -> bool:
        return type.__subclasscheck__(cls, other) or cls._asks("issubclass", other)

    def _asks(cls, action: str, value: Any) -> bool:
        """What the class there says, where that may differ; not while a message is read."""
        link = cls._class_ref_.link
        if not cls._about_.decides or link.is_busy:
            return False
        return bool(link.request(action, (value, cls)))


_LOCAL_TO_CLASSES = {
    "_class_ref_", "_ref_", "_about_", "__abstractmethods__", "__set_name__", "__wrapped__",
    "__mro_entries__",
    "__isabstractmethod__", "_abc_impl", "__orig_bases__", "__parameters__", "__del__",
    "__reduce__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__",
    "__class_getitem__", "__typing_subst__", "__init_subclass__",
}  # fmt: skip
_DECIDING = {
    "__array_function__", "__array_ufunc__", "__array_interface__", "__array_struct__",
    "__array_wrap__", "__array_finalize__", "__array_prepare__", "__array_priority__",
}  # fmt: skip
"""By which numpy lets an object decide what comes of a comparison, or where its data lie."""
_LOCAL_TO_ERRORS = {
    "__traceback__", "__cause__", "__context__", "__suppress_context__", "args",
}  # fmt: skip


class Proxy:
    """What all instances of mirrors have in common."""

    __slots__ = ()
    _ref_: Ref

    def __getattr__(self, name: str) -> Any:
        if name == "_ref_" or name in _DECIDING:
            raise AttributeError(name)
        return self._ref_.link.get(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_ref_" or (name in _LOCAL_TO_ERRORS and isinstance(self, BaseException)):
            object.__setattr__(self, name, value)
        else:
            self._ref_.link.set(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._ref_.link.request("delattr", (self, name))

    def __copy__(self) -> Any:
        return self._ref_.link.request("__copy__", (self,))

    def __deepcopy__(self, memo: Any) -> Any:
        return self._ref_.link.request("__deepcopy__", (self,))

    def __dir__(self) -> Any:
        return self._ref_.link.request("__dir__", (self,))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle {type(self).__name__!r}: it lives in another process")


class RemoteObject(Proxy):
    """An object that is no data."""

    __slots__ = ("__weakref__", "_ref_")

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return self._ref_.link.get(self, "__dict__")


_COROUTINE_MARKS = {"_is_coroutine_mark": "inspect", "_is_coroutine": "asyncio.coroutines"}
"""What makes `iscoroutinefunction` true of an object that is no function, and where it lies."""


class RemoteFunction(RemoteObject):
    """A function of the other side's: where it is put into a class, it becomes a method."""

    __slots__ = ("_names_",)
    _names_: dict[str, Any]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function there."""
        return self._ref_.link.request("__call__", (self, *args), kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_names_":
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return self._names_[name]
        if name in _COROUTINE_MARKS and self._names_["async"]:
            return getattr(sys.modules.get(_COROUTINE_MARKS[name]), name, None)
        return super().__getattr__(name)


def function_attribute(name: str) -> Any:
    """One of a function's attributes that classes have too."""
    return property(lambda self: self._names_[name])


def make_method(name: str) -> Any:
    """A method that is called there, in one request."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._ref_.link.call_method(self, name, args, kwargs)

    method.__name__ = name
    return method


class Attribute:
    """An attribute that is looked up there, though a base class here has one of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        target = owner if instance is None else instance
        kind = owner if instance is None else type(instance)
        return kind._class_ref_.link.get(target, self._name)

    def __set__(self, instance: Any, value: Any) -> None:
        instance._ref_.link.set(instance, self._name, value)


def make_special(name: str) -> Any:
    """A special method that is asked of the object there."""
    if name in COMPARISONS:

        def compare(self: Any, other: Any) -> Any:
            return self._ref_.link.compare(name, self, other)

        return compare
    if name in ARITHMETIC or name == "__contains__":

        def operate(self: Any, *args: Any) -> Any:
            return self._ref_.link.operate(name, self, args)

        return operate
    if name in ("__exit__", "__aexit__"):

        def leave(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
            return self._ref_.link.leave(name, self, error, traceback)

        return leave

    if name == "__await__":

        def wait(self: Any) -> Any:
            return self._ref_.link.coroutines.wait(self).__await__()

        return wait

    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._ref_.link.request(name, (self, *args), kwargs)

    return ask


_SPECIAL = {name: make_special(name) for name in SPECIAL}


def special(name: str) -> Any:
    """The method for a special name that both sides know.

    Raises:
        KeyError: they know none of that name.
    """
    return _SPECIAL[name]


def own_hash(self: Any) -> int:
    """The hash that the object said it has."""
    ref = self._ref_
    if ref.hash is None:
        ref.hash = int(ref.link.request("__hash__", (self,)))
    return int(ref.hash)


def ref_of(value: Any) -> Ref | None:
    """The Ref of a proxy, or of a mirror; None for any other value."""
    kind = type(value)
    if type(kind) is Mirror or isinstance(kind, Mirror):
        return value._ref_  # type: ignore[no-any-return]
    if isinstance(value, Mirror):
        return value._class_ref_
    return None


def keep_weakly(ref: Ref, proxy: Any) -> None:
    """Remember a proxy for as long as it lives, where its class allows that."""
    try:
        ref.proxy = weakref.ref(proxy)
    except TypeError:  # integers, bytes and tuples
        ref.proxy = None
