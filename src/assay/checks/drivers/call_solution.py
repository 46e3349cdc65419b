"""Inside the sandbox: imports the solution and evaluates calls in its namespace.

Reads `calls.json` beside it: the module's name, and groups of calls with the imports and
constants that they use. What the results should be is not known here; they are sent out, one
message each, and compared there.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

sys.dont_write_bytecode = True
_HERE = os.path.dirname(os.path.abspath(__file__))

import assay_wire  # noqa: E402 (found beside this file)

# For examples that are written with dates and fractions; a solution's own names come first.
_COMMON = """
import collections, datetime as _datetime, decimal, fractions, math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
"""


def main() -> None:
    """Answer each call, then say that this was all."""
    send = assay_wire.open_channel()
    with open(os.path.join(_HERE, "calls.json"), encoding="utf-8") as file:
        plan = json.load(file)
    sys.path[0] = os.getcwd()
    sys.modules.pop("assay_wire", None)
    common: dict[str, Any] = {}
    exec(_COMMON, common)  # noqa: S102 (text of this file)
    try:
        solution = importlib.import_module(plan["module"])
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        send({"import": _describe(error)})
    else:
        # A file add.py often holds a function add, which is what is meant then.
        names = {**common, plan["module"].split(".")[0]: solution, **vars(solution)}
        _answer_all(plan["groups"], names, send)
    send({"end": True})
    sys.stdout.flush()
    os._exit(0)


def _answer_all(groups: Any, names: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
    number = 0
    for group in groups:
        scope = dict(names, __name__="__assay_calls__")
        failed = None
        try:
            exec(compile(group["setup"], "<tests>", "exec", dont_inherit=True), scope)  # noqa: S102
        except BaseException as error:  # noqa: BLE001
            failed = _describe(error)
        for call in group["calls"]:
            send({"begin": number})
            if failed is None:
                send(dict(_answer(call, scope), id=number))
            else:
                send({"id": number, "setup": failed})
            number += 1


def _answer(call: str, scope: dict[str, Any]) -> dict[str, Any]:
    try:
        value = eval(compile(call, "<call>", "eval", dont_inherit=True), scope)  # noqa: S307
        return {"value": assay_wire.encode(value)}
    except BaseException as error:  # noqa: BLE001 (SystemExit and the like come from hostile code)
        return {"error": _describe(error)}


def _describe(error: BaseException) -> dict[str, Any]:
    kinds = [assay_wire.clip(kind.__name__) for kind in type(error).__mro__][:50]
    message, missing = assay_wire.message_of(error), assay_wire.missing_name(error)
    return {"kinds": kinds, "message": message, "missing": missing}


main()
