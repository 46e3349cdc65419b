"""A scripted session of three attempts: wrong, wrong, right."""

from __future__ import annotations

import json
from pathlib import Path

INSTRUCTIONS = "Write a python function add(a, b) that adds two numbers."
EXAMPLE = "add(1, 2) == 3"
ATTEMPTS = 3
REPLY_SECONDS = 0.3

_REPLY = "This adds the two numbers.\n\n```python\ndef add(a, b):\n    return {}\n```\n"


def write_script(path: Path) -> str:
    """Write the replies to `path`; returns the name of the model that gives them.

    Each takes as long as the quickest of real models: the sandbox gets ready meanwhile.
    """
    replies = [_REPLY.format(value) for value in ("a - b", "a * b", "a + b")]
    lines = [json.dumps({"text": text, "delay": REPLY_SECONDS}) + "\n" for text in replies]
    path.write_text("".join(lines), "utf-8")
    return f"scripted:{path}"
