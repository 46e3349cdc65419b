"""What is shown of two prompts: where they differ, and no more than a screen of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.domain.message import Message, Prompt
from assay.models.tape.difference import LONGEST_LINE, MOST_LINES, difference

LINES = st.lists(st.text(st.sampled_from("ab\n")), max_size=8).map("\n".join)


def prompt(*contents: str, temperature: float = 0.0) -> Prompt:
    messages = tuple(Message(role="user", content=content) for content in contents)
    return Prompt(messages=messages, temperature=temperature)


def test_only_what_is_around_a_change_is_shown() -> None:
    lines = [f"line {number}" for number in range(1000)]
    changed = [*lines[:500], "something else", *lines[501:]]
    shown = difference(prompt("\n".join(lines)), prompt("\n".join(changed)))
    assert shown.splitlines()[2:] == [
        " line 498", " line 499", "-line 500", "+something else", " line 501", " line 502",
    ]  # fmt: skip


def test_a_long_line_is_shown_where_it_differs() -> None:
    shown = difference(prompt("x" * 5000 + "old"), prompt("x" * 5000 + "new"))
    assert "old" in shown
    assert "new" in shown
    assert max(map(len, shown.splitlines())) <= LONGEST_LINE + 1


def test_megabytes_of_difference_are_a_screen() -> None:
    old, new = ("\n".join(f"{who} {n}" for n in range(100_000)) for who in ("old", "new"))
    shown = difference(prompt(old), prompt(new)).splitlines()
    assert len(shown) == MOST_LINES + 1
    assert shown[-1].startswith("… and ")


def test_a_message_more_is_named_by_its_role() -> None:
    assert "+[user]" in difference(prompt("a"), prompt("a", "b"))


@given(one=LINES, other=LINES)
def test_what_differs_is_never_nothing(one: str, other: str) -> None:
    assert bool(difference(prompt(one), prompt(other))) == (one != other)
