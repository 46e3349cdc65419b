from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.context.decoding import declared_in_html, decode
from assay.context.skipped import Unreadable

GERMAN = "Größe, Übung und Maß für jede Prüfung in der Münze. " * 5


@pytest.mark.parametrize(
    ("content", "declared"),
    [
        (GERMAN.encode(), None),
        (GERMAN.encode(), "iso-8859-1"),
        (GERMAN.encode("utf-8-sig"), "us-ascii"),
        (GERMAN.encode("cp1252"), "iso-8859-1"),
        (GERMAN.encode("cp1252"), "utf-8"),
        (GERMAN.encode("cp1252"), "no-such-encoding"),
        (GERMAN.encode("cp1252"), "punycode"),
        (GERMAN.encode("utf-16"), None),
        (GERMAN.encode("utf-32"), "utf-8"),
        (GERMAN.encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_wrong_declarations_do_no_harm(content: bytes, declared: str | None) -> None:
    assert decode(content, declared) == GERMAN


def test_line_breaks_are_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize("content", [b"\x7fELF\0\0", b"PK\3\4\0\0", b"text\0text"])
def test_binary_is_not_text(content: bytes) -> None:
    with pytest.raises(Unreadable, match="is not text"):
        decode(content, "utf-8")


@given(st.binary(max_size=500), st.none() | st.text(max_size=10) | st.sampled_from(["zip", "idna"]))
def test_any_bytes_are_text_or_refused(content: bytes, declared: str | None) -> None:
    try:
        text = decode(content, declared)
    except Unreadable:
        return
    assert "\0" not in text
    assert "\r" not in text


def test_a_page_declares_its_encoding() -> None:
    assert declared_in_html(b'<html><meta charset="Shift_JIS">') == "Shift_JIS"
    assert declared_in_html(b"<meta http-equiv=x content='text/html; charset=koi8-r'>") == "koi8-r"
    assert declared_in_html(b"<p>charset=koi8-r</p>") is None
