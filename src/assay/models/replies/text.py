"""The text of a reply before anything is looked for in it: line ends, stray bytes, tokens."""

from __future__ import annotations

import re

_MARK = r"(?:<\|[\w ]{1,30}\|>|<｜[^｜\n]{1,30}｜>|</s>|<s>|<eos>|<end_of_turn>|\[/?INST\])"
_ONE_MARK = re.compile(_MARK)
_MARKS_FIRST = re.compile(rf"\s*(?:{_MARK}\s*)+(?:(?:assistant|model)\s*\n)?")
_LONGEST_MARK = 40
_CHANNELS = ("<|channel|>", "<|start|>")
_FINAL_CHANNEL = "<|channel|>final<|message|>"

END_OF_TURN = re.compile(
    r"<\|(?:im_end|eot_id|endoftext|end|return|eom_id)\|>|<｜end▁of▁sentence｜>|</s>|<end_of_turn>"
)
"""A token that ends a model's turn; what comes after it is not the reply."""


def clean(text: str) -> str:
    """Take from `text` what is never meant: a BOM, NULs, foreign line ends, a template's tokens."""
    text = well_formed(text).removeprefix("\ufeff")
    if text.startswith(_CHANNELS):
        text = text.rpartition(_FINAL_CHANNEL)[2]
    first = _MARKS_FIRST.match(text)
    return text[first.end() if first else 0 : _end_before_tokens(text)]


def well_formed(text: str) -> str:
    r"""The same text without NULs, with `\n` for line ends, and encodable as UTF-8.

    Halves of surrogate pairs that stand side by side are joined, lone ones become U+FFFD.
    """
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")


def _end_before_tokens(text: str) -> int:
    end = len(text.rstrip())
    while True:
        while end and text[end - 1].isspace():
            end -= 1
        lowest = max(0, end - _LONGEST_MARK)
        start = max(text.rfind("<", lowest, end), text.rfind("[", lowest, end))
        if start < 0 or not _ONE_MARK.fullmatch(text, start, end):
            break
        end = start
    # Blank lines at the end tell whether the last line is complete.
    rest = text[end:]
    return end + (len(rest) if not rest.strip() else 0)
