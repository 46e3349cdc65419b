"""A scripted session of three attempts: wrong, wrong, right."""

from __future__ import annotations

import json
from pathlib import Path

INSTRUCTIONS = "Write a python function add(a, b) that adds two numbers."
EXAMPLE = "add(1, 2) == 3"
ATTEMPTS = 3

_REPLY = "This adds the two numbers.\n\n```python\ndef add(a, b):\n    return {}\n```\n"


def write_script(path: Path) -> str:
    """Write the replies to `path`; returns the name of the model that gives them."""
    replies = [_REPLY.format(value) for value in ("a - b", "a * b", "a + b")]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in replies), "utf-8")
    return f"scripted:{path}"
