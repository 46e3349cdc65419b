"""Domain data as JSON text that a database or a file can hold, whatever a model wrote."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError


def to_json(adapter: TypeAdapter[Any], value: object, *, indent: int | None = None) -> str:
    """Write `value` as JSON.

    Models can send half a surrogate pair, which is no text in any encoding: halves that fit
    together are joined, others become U+FFFD.
    """
    try:
        return adapter.dump_json(value, indent=indent).decode()
    except PydanticSerializationError:
        plain = adapter.dump_python(value, mode="json")
        separators = None if indent else (",", ":")
        text = json.dumps(plain, ensure_ascii=False, indent=indent, separators=separators)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
