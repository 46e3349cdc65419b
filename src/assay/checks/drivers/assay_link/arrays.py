"""Arrays and tables of numpy and pandas as data, where both sides have the packages."""

from __future__ import annotations

import binascii
import importlib
import re
import sys
from typing import TYPE_CHECKING, Any

from .decoding import BadWire
from .shares import Kind

if TYPE_CHECKING:
    from .objects import Objects

_DTYPE = re.compile(r"[<>|=]?[?biufcSUmM]\d{0,4}(?:\[\d{0,4}[a-zA-Zμ]{1,2}\])?")
_MAX_BYTES = 8 * 1024 * 1024

Wire = Any


def _fill(array: Any, content: list[Any]) -> None:
    if array.flags.writeable:
        array[...] = _module("numpy").frombuffer(bytes(content), array.dtype).reshape(array.shape)


ARRAY = Kind(
    copy=lambda array: array.tobytes(),
    same=lambda array, snapshot: array.tobytes() == snapshot,
    fill=_fill,
    items=lambda array: array.tobytes(),
)


def write(objects: Objects, value: Any) -> Wire:
    """An array, number or table as data; None for anything else."""
    kind = type(value)
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if kind is numpy.ndarray:
        return _write_array(objects, value)
    if isinstance(value, numpy.generic) and kind.__module__ == "numpy":
        return ["nn", *_write_items(value)] if _is_plain(value.dtype) else None
    pandas = sys.modules.get("pandas")
    if pandas is None or not kind.__module__.startswith("pandas."):
        return None
    encode = objects.encoder.encode
    if kind is pandas.DataFrame:
        columns = [encode(value.iloc[:, place]) for place in range(value.shape[1])]
        return ["pd", encode(value.index), encode(value.columns), columns]
    if kind is pandas.Series:
        return [
            "ps",
            encode(value.index),
            str(value.dtype),
            _values(objects, value),
            encode(value.name),
        ]
    if kind is pandas.Timestamp:
        return ["pt", encode(value.isoformat())] if value.tzinfo is None else None
    if kind is pandas.RangeIndex:
        return ["pr", value.start, value.stop, value.step, encode(value.name)]
    if isinstance(value, pandas.Index) and not isinstance(value, pandas.MultiIndex):
        return ["pi", str(value.dtype), _values(objects, value), encode(value.name)]
    return None


def readers(objects: Objects) -> dict[str, Any]:
    """Readers of what `write` writes."""

    def series(wire: Any) -> Any:
        pandas = _module("pandas")
        index, values, name = map(objects.decoder.decode, (wire[1], wire[3], wire[4]))
        return pandas.Series(values, index=index, dtype=_dtype_text(wire[2]), name=name)

    def index(wire: Any) -> Any:
        values, name = map(objects.decoder.decode, (wire[2], wire[3]))
        return _module("pandas").Index(values, dtype=_dtype_text(wire[1]), name=name)

    def frame(wire: Any) -> Any:
        pandas = _module("pandas")
        rows, columns = map(objects.decoder.decode, (wire[1], wire[2]))
        found = objects.decoder.all(wire[3])
        table = pandas.DataFrame(dict(enumerate(found)), index=rows)
        table.columns = columns
        return table

    return {
        "nn": lambda wire: _read_items(wire)[0],
        "na": lambda wire: _read_array(objects, wire),
        "no": lambda wire: _read_objects(objects, wire),
        "pd": frame,
        "ps": series,
        "pi": index,
        "pr": lambda wire: _module("pandas").RangeIndex(
            *wire[1:4], name=objects.decoder.decode(wire[4])
        ),
        "pt": lambda wire: _module("pandas").Timestamp(objects.decoder.decode(wire[1])),
    }


def _write_array(objects: Objects, value: Any) -> Wire:
    number = objects.shares.find(value)
    if number is not None:
        return ["m", number]
    if value.dtype.hasobject and value.dtype == object:
        return ["no", list(value.shape), objects.encoder.encode(value.ravel().tolist())]
    if not _is_plain(value.dtype) or value.nbytes > _MAX_BYTES:
        return None
    return ["na", objects.shares.add(value, ARRAY), *_write_items(value), list(value.shape)]


def _write_items(value: Any) -> list[Any]:
    return [value.dtype.str, binascii.b2a_base64(value.tobytes(), newline=False).decode("ascii")]


def _read_items(wire: Any) -> Any:
    if type(wire[-1]) is list:
        raise BadWire("a number has a shape")
    return _from_text(wire[1], wire[2])


def _from_text(dtype: Any, text: Any) -> Any:
    if type(dtype) is not str or not _DTYPE.fullmatch(dtype):
        raise BadWire("the type of an array's items is unknown")
    return _module("numpy").frombuffer(binascii.a2b_base64(text), dtype=dtype).copy()


def _read_array(objects: Objects, wire: Any) -> Any:
    array = _from_text(wire[2], wire[3]).reshape(tuple(map(int, wire[4])))
    objects.shares.adopt(wire[1], array, ARRAY)
    return array


def _read_objects(objects: Objects, wire: Any) -> Any:
    items = objects.decoder.decode(wire[2])
    array = _module("numpy").empty(len(items), dtype=object)
    for place, item in enumerate(items):
        array[place] = item
    return array.reshape(tuple(map(int, wire[1])))


def _values(objects: Objects, value: Any) -> Wire:
    if _is_plain(value.dtype):
        return objects.encoder.encode(value.to_numpy())
    return objects.encoder.encode(value.tolist())


def _is_plain(dtype: Any) -> bool:
    return bool(_DTYPE.fullmatch(getattr(dtype, "str", "")))


def _dtype_text(text: Any) -> str:
    if type(text) is not str or len(text) > 50 or not re.fullmatch(r"[\w\[\], <>|-]+", text):
        raise BadWire("the type of a column is unknown")
    return text


def _module(name: str) -> Any:
    try:
        return sys.modules.get(name) or importlib.import_module(name)
    except ImportError as error:
        raise BadWire(f"{name} is not there") from error
