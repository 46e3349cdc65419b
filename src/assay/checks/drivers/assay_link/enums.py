"""The members of the solution's enums, asked for all at once.

So the solution does not learn which of them a test names, and cannot have a function answer with
the one that was named last.
"""

from __future__ import annotations

from typing import Any, Callable

from .proxies import Mirror


class Members:
    """Members by their enums and names."""

    def __init__(self, ask: Callable[[Mirror], tuple[Any, ...]]) -> None:
        """`ask` gives names and members of an enum, alternating."""
        self._ask = ask
        self._known: dict[Mirror, dict[str, Any]] = {}

    def find(self, owner: Any, name: Any) -> Any:
        """A member; None where `owner` is no enum, or has none of that name."""
        if not isinstance(owner, Mirror) or owner._about_.variety != "enum":
            return None
        if type(name) is not str or name.startswith("_"):
            return None
        members = self._known.get(owner)
        if members is None:
            told = self._ask(owner)
            members = self._known[owner] = dict(zip(told[::2], told[1::2]))
        return members.get(name)

    def has(self, owner: Mirror, item: Any) -> bool:
        """Whether `item` is a member without a doubt."""
        return owner._about_.variety == "enum" and type(item) is owner
