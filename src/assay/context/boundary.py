"""Marks around text that is data, which the text cannot forge."""

from __future__ import annotations

import hashlib
from itertools import count


def enclose(label: str, text: str) -> str:
    """Put `text` between marks that do not occur in it.

    The marks come from the text's own hash, so the same text is enclosed the same way each time
    and a provider's prompt cache keeps working.

    Args:
        label: What the text is, one word.
        text: Anything.
    """
    content = text.encode("utf-8", "surrogatepass")
    for number in count():
        mark = hashlib.sha256(b"%d:%s" % (number, content)).hexdigest()[:8]
        if mark not in text:
            break
    return f"<{label} {mark}>\n{text}\n</{label} {mark}>"
