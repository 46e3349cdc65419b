"""Names of sessions: sortable by time, short, and hard to mistype.

An id is the day, and eight characters: four for the time of the day, four by chance, as in
`20261130-n3k7q2xw`. The characters are Crockford's base 32, which has no i, l, o and u.
"""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LOOKALIKES = str.maketrans({"i": "1", "l": "1", "o": "0"})
_TYPED = re.compile(rf"[{_ALPHABET}]+(-[{_ALPHABET}]*)?")
_DAY = 86_400
_TICKS = 32**4
"""Parts that a day is divided into, each about 0.08 s."""


def new_id(now: float) -> str:
    """Make an id for a session that begins at `now` (seconds since the epoch)."""
    tick = int(now % _DAY * _TICKS / _DAY)
    digits = [tick >> shift & 31 for shift in (15, 10, 5, 0)]
    letters = "".join(_ALPHABET[digit] for digit in digits)
    chance = "".join(secrets.choice(_ALPHABET) for _ in range(4))
    return f"{time.strftime('%Y%m%d', time.gmtime(now))}-{letters}{chance}"


def as_typed(text: str) -> str | None:
    """Read an id, or the beginning of one, as people type it; None where it can be neither."""
    cleaned = text.strip().lower().translate(_LOOKALIKES)
    return cleaned if _TYPED.fullmatch(cleaned) else None
