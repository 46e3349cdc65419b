"""Bytes that none of our drivers sends: they break the link, and do nothing else."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.drivers.assay_link.errors import (
    ImportFailed,
    LinkBroken,
    LinkEnded,
)
from assay.checks.drivers.assay_link.frames import MAX_FRAME
from assay.checks.drivers.assay_link.remote import Remote, connect

Link = Callable[[str], Remote]

WRITES = """
import os, socket
def ends():
    for fd in range(3, 64):
        try:
            socket.socket(fileno=os.dup(fd)).send({data!r})
        except OSError:
            pass
def f():
    ends()
    return -1
"""


@pytest.mark.parametrize(
    "data",
    [
        b'\x00\x00\x00\x0e["=",5,3,null]',
        b'\x00\x00\x00\x0e["=",5,3,null]' * 3,
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x04[[[[",
        b'\x00\x00\x00\x14["=",9,["?",1],null]',
    ],
)
def test_a_solution_that_writes_to_the_link_breaks_it(link: Link, data: bytes) -> None:
    remote = link(WRITES.format(data=data))
    remote.load("solution")
    names = remote.names("solution")
    f = names["f"]
    with pytest.raises(LinkEnded):
        _use_to_the_end(remote, f)
    assert isinstance(remote.ended, LinkBroken)


def _use_to_the_end(remote: Remote, function: Callable[[], object]) -> None:
    function()
    function()
    remote.finish()


@contextlib.contextmanager
def _answering(frames: list[bytes]) -> Iterator[Remote]:
    """A link whose other end answers each request with these bytes, whatever it was."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        with theirs, contextlib.suppress(OSError):  # the link may be closed meanwhile
            for frame in frames:
                if not theirs.recv(65_536):
                    return
                theirs.sendall(frame)

    other_end = threading.Thread(target=answer)
    other_end.start()
    remote = connect(ours.detach())
    try:
        remote.allow(10)
        yield remote
    finally:
        remote.close()
        other_end.join()


def _frame(text: str) -> bytes:
    data = text.encode()
    return struct.pack("!I", len(data)) + data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["o", "p", "k", "g", "x", "L", "D", "m", "t", "builtins", "object", "int"]),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=20,
)  # fmt: skip
TAGS = (
    *("m", "t", "F", "L", "D", "S", "O", "C", "dd", "dq", "B", "b", "i", "f", "c", "r", "s", "dt"),
    *("ti", "da", "td", "tz", "zi", "de", "fr", "u", "pa", "e", "mp", "di", "dk", "dv", "o", "p"),
    *("k", "g", "x", "gf", "nn", "na", "no", "pd", "ps", "pi", "pr", "pt"),
)
NEWS = st.none() | st.dictionaries(st.sampled_from("crufow"), JSON, max_size=3)


@given(
    kind=st.sampled_from(["=", "!", "?"]),
    tag=st.sampled_from(TAGS),
    body=st.lists(JSON, max_size=6),
    news=NEWS,
)
@settings(max_examples=300, deadline=None)
def test_no_frame_does_more_than_break_the_link(
    kind: str, tag: str, body: list[object], news: object
) -> None:
    import json

    wire = [tag, *body]
    rest = ["getattr", [wire], None] if kind == "?" else [wire]
    message = [kind, 1, *rest, news]
    with _answering([_frame(json.dumps(message))] * 2) as remote:
        try:
            remote.load("solution")
        except (LinkEnded, ImportFailed):
            pass
        except BaseException:
            if kind != "!":  # what an answer of the other side's raises is data, too
                raise


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '["=",1,' + "[" * 3000 + "]" * 3000 + ",null]",
        '["=",1,' + "9" * 100_000 + ",null]",
        '["=",1,NaN,null]',
        '["=",1,["S",1,' + ",".join(str(k * (2**61 - 1)) for k in range(5000)) + "],null]",
        '["=",1,["i","0x' + "f" * 1_000_000 + 'z"],null]',
        '["=",1,["fr","0x' + "f" * 100_000 + '","0x3"],null]',
        '["=",1,["t"' + ",[]" * 2_000_000 + "],null]",
        '{"a":1}',
        "null",
    ],
)
@pytest.mark.timeout(60)
def test_a_monstrous_frame_breaks_the_link_at_once(text: str) -> None:
    with _answering([_frame(text)]) as remote, pytest.raises(LinkBroken):
        remote.load("solution")


def test_a_frame_that_says_it_is_too_long_is_not_read() -> None:
    too_long = struct.pack("!I", MAX_FRAME + 1)
    with _answering([too_long]) as remote, pytest.raises(LinkBroken, match="too long"):
        remote.load("solution")
