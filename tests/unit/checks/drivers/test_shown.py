"""Values in messages of failures: every one is shown, in bounded time and length."""

from __future__ import annotations

from assay.checks.drivers.assay_tests.reports import MAX_TEXT, shown


def test_an_ordinary_value_is_shown_whole() -> None:
    value = {"names": ["a", ("b", {1, 2})], "deep": [[[[[[[[1]]]]]]]]}
    assert shown(value) == repr(value)


def test_a_value_that_holds_itself_many_times_over_is_shown_briefly() -> None:
    value: list[object] = [3]
    for _ in range(60):
        value = [value, value]
    assert len(shown(value)) <= MAX_TEXT


def test_a_value_of_many_parts_is_shown_by_its_beginning() -> None:
    assert shown(list(range(1_000_000))).startswith("[0, 1, 2, ")
