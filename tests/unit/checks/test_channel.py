"""Messages from the channel are bytes of hostile code until they are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.channel import MAX_MESSAGE, BadChannel, read_messages, text_of
from assay.sandbox.protocol import Ending, Output, Run


def run(channel: bytes, *, cut: bool = False) -> Run:
    nothing = Output("", 0, cut=False)
    return Run(Ending.EXITED, 0, None, nothing, nothing, 0, 0, None, channel, cut)


def test_of_a_text_only_as_much_is_read_as_our_drivers_send() -> None:
    assert text_of({"missing": "x" * 1_000_000}, "missing") == "x" * 2_000
    assert text_of({"missing": 1}, "missing") == ""


def test_messages_come_in_order_and_an_unfinished_one_is_left_out() -> None:
    assert list(read_messages(run(b'{"a": 1}\n{"b": 2}\n{"c":'))) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    "channel",
    [
        b"1\n",
        b"[]\n",
        b"\n",
        b"\xff\xfe\n",
        b"{]\n",
        b"[" * 100_000 + b"\n",
        b'{"a": ' * 100_000 + b"\n",
        b'{"a": ' + b"9" * 10_000 + b"}\n",
        b'{"a": "' + b"x" * MAX_MESSAGE + b'"}\n',
    ],
    ids=lambda channel: repr(channel[:10]),
)
def test_anything_else_is_refused(channel: bytes) -> None:
    with pytest.raises(BadChannel):
        list(read_messages(run(channel)))


def test_more_than_is_kept_is_refused() -> None:
    with pytest.raises(BadChannel):
        list(read_messages(run(b'{"a": 1}\n', cut=True)))


@given(st.binary())
def test_any_bytes_are_read_or_refused(channel: bytes) -> None:
    try:
        messages = list(read_messages(run(channel)))
    except BadChannel:
        return
    assert len(messages) == channel.count(b"\n")


@given(st.lists(st.dictionaries(st.text(), st.integers())))
def test_what_is_sent_is_read(messages: list[dict[str, int]]) -> None:
    channel = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    assert list(read_messages(run(channel))) == messages
