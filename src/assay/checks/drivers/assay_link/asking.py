"""What proxies ask of the other side, in the plain way; the tests' side looks closer at some."""

from __future__ import annotations

from typing import Any


class Asking:
    """Requests by what they are for."""

    @property
    def is_busy(self) -> bool:
        """Whether nothing can be asked now."""
        raise NotImplementedError

    def request(
        self, action: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Ask the other side to do something, and wait for what comes of it."""
        raise NotImplementedError

    def get(self, target: Any, name: str) -> Any:
        """An attribute of the other side's object."""
        return self.request("getattr", (target, name))

    def set(self, target: Any, name: str, value: Any) -> None:
        """Set one."""
        self.request("setattr", (target, name, value))

    def get_item(self, kind: Any, item: Any) -> Any:
        """A member of an enum by its name, or a generic class with its parameters."""
        return self.request("__getitem__", (kind, item))

    def has_member(self, kind: Any, item: Any) -> bool:
        """Whether a class says that something is in it."""
        return bool(self.request("__contains__", (kind, item)))

    def call_method(self, target: Any, name: str, args: Any, kwargs: Any) -> Any:
        """Call a method of the other side's object."""
        return self.request("method", (target, name, *args), kwargs)

    def construct(self, kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a class of the other side's."""
        return self.request("__call__", (kind, *args), kwargs)

    def compare(self, name: str, left: Any, right: Any) -> Any:
        """Compare, with an object of the other side's on the left."""
        if self.is_busy or (name in ("__eq__", "__ne__") and not type(left)._about_.own_eq):
            return NotImplemented
        return self.request(name, (left, right))

    def compare_data(self, name: str, base: type, left: Any, right: Any) -> Any:
        """Compare an object of a class of data, as the built-in class does."""
        return getattr(base, name)(left, right)

    def operate(self, name: str, target: Any, args: tuple[Any, ...]) -> Any:
        """Do arithmetic with an object of the other side's."""
        return self.request(name, (target, *args))

    def leave(self, name: str, target: Any, error: Any, traceback: Any) -> Any:
        """Leave the other side's context manager."""
        kind = None if error is None else type(error)
        return self.request(name, (target, kind, error, None))
