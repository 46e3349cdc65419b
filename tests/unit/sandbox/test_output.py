"""Head and tail of what is printed are kept in bounded memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.sandbox.output import Channel, Collector


def collect(limit: int, *chunks: bytes) -> Collector:
    collector = Collector(limit)
    for chunk in chunks:
        collector.add(chunk)
    return collector


@given(st.lists(st.binary(max_size=50)), st.integers(min_value=2, max_value=200))
def test_nothing_is_lost_within_the_limit_and_the_rest_is_counted(
    chunks: list[bytes], limit: int
) -> None:
    data = b"".join(chunks)
    output = collect(limit, *chunks).output()
    assert output.size == len(data)
    assert output.cut == (len(data) > limit)
    if not output.cut:
        assert output.text == data.decode("utf-8", "backslashreplace")


@given(st.text(alphabet="aé€😀", min_size=1), st.integers(min_value=8, max_value=40))
def test_no_character_is_torn_where_it_is_cut(text: str, limit: int) -> None:
    output = collect(limit, *(text.encode()[i : i + 1] for i in range(len(text.encode())))).output()
    assert "\\x" not in output.text
    head, *tail = output.text.split("\n[... ")
    assert text.startswith(head)
    if tail:
        assert text.endswith(tail[0].partition(" ...]\n")[2])


def test_head_and_tail_stay_with_a_mark_between() -> None:
    output = collect(20, b"head", b"x" * 1000, b"tail").output()
    assert output.text == "headxxxxxx\n[... 988 bytes left out ...]\nxxxxxxtail"


def test_memory_is_bounded() -> None:
    collector = Collector(1000)
    for _ in range(10_000):
        collector.add(b"x" * 1000)
    assert len(collector._head) + len(collector._tail) < 5000


def test_other_bytes_are_shown_as_escapes() -> None:
    assert collect(100, b"caf\xe9\n").output().text == "caf\\xe9\n"


@given(st.lists(st.binary(max_size=20)), st.integers(min_value=1, max_value=100))
def test_a_channel_keeps_the_head(chunks: list[bytes], limit: int) -> None:
    channel = Channel(limit)
    for chunk in chunks:
        channel.add(chunk)
    assert channel.data == b"".join(chunks)[:limit]
    assert channel.cut == (len(b"".join(chunks)) > limit)
