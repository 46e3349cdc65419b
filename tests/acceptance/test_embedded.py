"""The command on the real small model: whatever it answers, the receipt tells the truth of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Assay = Callable[..., Any]

pytestmark = [pytest.mark.model, pytest.mark.timeout(1200)]

MODEL = "embedded:qwen2.5-coder-0.5b"
SECONDS = 1000
"""A bound against hanging: three answers that repeat themselves to their limit take minutes."""

REQUESTS = [
    ("Write a function add(a, b) that adds two numbers.", "add(1, 2) == 3"),
    ("Write a function is_even(n).", "is_even(4) == True"),
    ("Write a function count_vowels(text).", "count_vowels('Assay') == 2"),
    ("Write a function reverse_words(text).", "reverse_words('one two') == 'two one'"),
    ("Write a function factorial(n), recursively.", "factorial(5) == 120"),
    ("Write a function unique(items) that keeps the order.", "unique([2, 1, 2]) == [2, 1]"),
    ("Write a function to_celsius(f).", "to_celsius(212) == 100"),
    ("Write a function flatten(lists) for a list of lists.", "flatten([[1], [2, 3]]) == [1, 2, 3]"),
    ("Write a function initials(name).", "initials('Ada Lovelace') == 'AL'"),
    ("Write a python program that prints the squares of 1 to 5.", None),
]


@pytest.mark.parametrize(("request_", "example"), REQUESTS)
def test_a_plain_request_ends_in_a_receipt_that_holds(
    assay: Assay, request_: str, example: str | None
) -> None:
    examples = ("--example", example) if example else ()
    done = assay(
        "ask", request_, *examples, "--model", MODEL, "--seed", "1", "--json", seconds=SECONDS
    )
    assert done.status in (0, 1), done.err
    answer = done.json
    assert answer["status"] in ("verified", "ran", "unverified")
    assert (done.status == 0) == (answer["status"] in ("verified", "ran"))
    assert answer["usage"]["input_tokens"] > 0
    again = assay("verify", answer["receipt"])
    assert again.status == 0, again.err
    assert "The receipt holds" in again.err


def test_a_question_about_documentation(assay: Assay, tmp_path: Path) -> None:
    page = tmp_path / "frobnicate.md"
    page.write_text(
        "# The text tools of Frobnicate\n\n"
        "Everything comes with Python: `import textwrap`.\n"
        "To cut a long line, frobnicators call `textwrap.shorten(text, width=20)`.\n"
    )
    question = "With Frobnicate, write a program that cuts 'a very long line of many words'."
    done = assay(
        "ask", question, "--docs", page, "--model", MODEL, "--seed", "1", "--json", seconds=SECONDS
    )
    assert done.status in (0, 1), done.err
    shown = assay("show", done.json["session"])
    assert "textwrap.shorten(text, width=20)" in shown.out
    again = assay("verify", done.json["receipt"])
    assert again.status == 0, again.err
