"""What programs and models print is data: control sequences are shown, never obeyed."""

from __future__ import annotations

import re


def visible(text: str) -> str:
    r"""Replace control and direction-changing characters by escapes such as `\x1b`.

    Line feeds and tabs stay; a carriage return before a line feed goes.
    """
    return _CONTROLS.sub(_escape, text.replace("\r\n", "\n"))


def visible_json(text: str) -> str:
    r"""Replace such characters in JSON text by JSON's own escapes: the text means the same."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
