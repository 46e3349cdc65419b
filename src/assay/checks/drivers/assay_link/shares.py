"""Containers that both sides hold: what one side changes, the other sees.

A list, dict, set, bytearray or deque that crossed has a number, and a copy on each side. Before a
side sends a message it looks for what changed in those still alive, by comparing with a shallow
snapshot, and sends their new content ahead. One that nobody else holds on one side is forgotten on
both.
"""

from __future__ import annotations

import operator
import sys
from collections import OrderedDict, deque
from typing import Any, Callable

_is, _refcount = operator.is_, sys.getrefcount


def _same_items(items: Any, snapshot: Any) -> bool:
    return len(items) == len(snapshot) and all(map(_is, items, snapshot))


def _same_list(items: Any, snapshot: Any) -> bool:
    return list.__len__(items) == len(snapshot) and all(map(_is, list.__iter__(items), snapshot))


def _dict_of(mapping: Any) -> Any:
    """The built-in class whose methods know the order of its keys."""
    return OrderedDict if isinstance(mapping, OrderedDict) else dict


def _same_dict(mapping: Any, snapshot: Any) -> bool:
    kind = _dict_of(mapping)
    return (
        dict.__len__(mapping) == len(snapshot)
        and all(map(_is, kind.keys(mapping), snapshot))
        and all(map(_is, kind.values(mapping), snapshot.values()))
    )


def _same_set(members: Any, snapshot: Any) -> bool:
    # Not by `==`, which may ask members of the other side whether they are equal.
    return set.__len__(members) == len(snapshot) and (
        not snapshot or set(map(id, set.__iter__(members))) == set(map(id, snapshot))
    )


def _fill_list(items: Any, content: list[Any]) -> None:
    list.__setitem__(items, slice(None), content)


def _fill_dict(mapping: Any, content: list[Any]) -> None:
    kind = _dict_of(mapping)
    kind.clear(mapping)
    kind.update(mapping, zip(content[::2], content[1::2]))


def _fill_set(members: Any, content: list[Any]) -> None:
    set.clear(members)
    set.update(members, content)


def _fill_deque(items: Any, content: list[Any]) -> None:
    deque.clear(items)
    deque.extend(items, content)


def _pairs(mapping: Any) -> list[Any]:
    flat: list[Any] = []
    for pair in _dict_of(mapping).items(mapping):
        flat.extend(pair)
    return flat


class Kind:
    """What can be done with one kind of container, past whatever a subclass defines."""

    def __init__(
        self,
        copy: Callable[[Any], Any],
        same: Callable[[Any, Any], bool],
        fill: Callable[[Any, list[Any]], None],
        items: Callable[[Any], Any],
    ) -> None:
        self.copy = copy
        self.same = same
        self.fill = fill
        self.items = items


LIST = Kind(lambda value: list(list.__iter__(value)), _same_list, _fill_list, list.__iter__)
DICT = Kind(lambda value: dict(_dict_of(value).items(value)), _same_dict, _fill_dict, _pairs)
SET = Kind(lambda value: set(set.__iter__(value)), _same_set, _fill_set, set.__iter__)
DEQUE = Kind(lambda value: list(deque.__iter__(value)), _same_items, _fill_deque, deque.__iter__)
BYTES = Kind(
    lambda value: bytes(memoryview(value)),
    bytearray.__eq__,
    lambda value, content: bytearray.__setitem__(value, slice(None), bytes(content)),
    bytearray.__iter__,
)


class Shares:
    """The table of one side."""

    def __init__(self, first: int) -> None:
        self._next = first  # one side counts the even numbers, the other the odd ones
        self._parity = first % 2
        self._table: dict[int, list[Any]] = {}  # number -> [container, snapshot, kind]
        self._numbers: dict[int, int] = {}  # id of a container -> its number
        self._fresh: list[int] = []
        self._unheld = self._refcount_of_unheld()

    def find(self, container: object) -> int | None:
        """The number of a container that both sides hold."""
        return self._numbers.get(id(container))

    def get(self, number: int) -> Any:
        """The container of that number.

        Raises:
            KeyError: there is none.
        """
        return self._table[number][0]

    def kind(self, number: int) -> Kind:
        """Its kind."""
        found: Kind = self._table[number][2]
        return found

    def add(self, container: object, kind: Kind) -> int:
        """Number a container that is about to cross."""
        number = self._next
        self._next += 2
        self._enter(number, container, kind)
        return number

    def adopt(self, number: Any, container: object, kind: Kind) -> None:
        """Take in a container that came with the other side's number.

        Raises:
            ValueError: the number is none of the other side's, or is taken.
        """
        if type(number) is not int or number in self._table or number % 2 == self._parity:
            raise ValueError("a container has a wrong number")
        self._enter(number, container, kind)

    def settle(self) -> None:
        """Remember the content of what crossed with the message that is now complete."""
        for number in self._fresh:
            entry = self._table.get(number)
            if entry is not None:
                entry[1] = entry[2].copy(entry[0])
        self._fresh.clear()

    def touch(self, number: int) -> None:
        """Remember its content anew once the message is complete."""
        self._fresh.append(number)

    def changes(self) -> tuple[list[tuple[int, Any, Kind]], list[int]]:
        """Containers that changed since the last message, and numbers to be forgotten."""
        changed: list[tuple[int, Any, Kind]] = []
        unheld: list[int] = []
        for number in list(self._table):
            entry = self._table[number]
            is_held = _refcount(entry[0]) > self._unheld
            if not entry[2].same(entry[0], entry[1]):
                changed.append((number, entry[0], entry[2]))
                self._fresh.append(number)
            if not is_held:
                unheld.append(number)
        return changed, unheld

    def forget(self, number: Any) -> None:
        """Take a container out of the table; it lives on as one side's own."""
        entry = self._table.pop(number, None)
        if entry is not None:
            self._numbers.pop(id(entry[0]), None)

    def forget_fresh(self) -> None:
        """Forget what was numbered for a message that was not sent."""
        for number in self._fresh:
            if self._table[number][1] is None:
                self.forget(number)
        self._fresh.clear()

    def __bool__(self) -> bool:
        return bool(self._table)

    def _enter(self, number: int, container: object, kind: Kind) -> None:
        self._table[number] = [container, None, kind]
        self._numbers[id(container)] = number
        self._fresh.append(number)

    @staticmethod
    def _refcount_of_unheld() -> int:
        entry: list[Any] = [[], None]
        return _refcount(entry[0])
