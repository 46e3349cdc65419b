"""Errors on the tests' side that the solution may swallow, or raise to end a loop of theirs."""

from __future__ import annotations

import opcode
from typing import Any

_OF_ITERATORS = ("send", "throw", "__next__")
_RAISE = opcode.opmap["RAISE_VARARGS"]
_HERE = __file__.rpartition("/")[0]


def ends_an_iteration(action: str, args: tuple[Any, ...], error: BaseException) -> bool:
    """Whether a call raised what ends `map` over it: `all(map(is_prime, numbers))` then holds."""
    if not isinstance(error, StopIteration):
        return False
    return action == "__call__" or (action == "method" and args[1] not in _OF_ITERATORS)


def is_of_test_tools(error: BaseException) -> bool:
    """Whether it says that a test has failed, or is skipped."""
    return isinstance(error, AssertionError) or type(error).__module__.startswith(
        ("_pytest", "unittest", "hypothesis")
    )


def is_raised_on_purpose(traceback: Any) -> bool:
    """Whether a `raise` of the tests' raised it, and not what the solution gave."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    code = traceback.tb_frame.f_code
    own = not str(code.co_filename).startswith(_HERE)
    return bool(own and code.co_code[traceback.tb_lasti] == _RAISE)
