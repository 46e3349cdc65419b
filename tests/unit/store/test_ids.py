from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.store.ids import as_typed, new_id

MOMENTS = st.floats(0, 4_000_000_000)


@given(MOMENTS, MOMENTS)
def test_ids_sort_by_time(one: float, other: float) -> None:
    first, second = sorted((one, other))
    assert new_id(first)[:13] <= new_id(second)[:13]


@given(MOMENTS)
def test_an_id_typed_in_full_is_itself(now: float) -> None:
    session = new_id(now)
    assert len(session) == 17
    assert as_typed(f" {session.upper()}\n") == session


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id(1_000_000_000.0) for _ in range(50)}) > 45


def test_letters_that_look_like_digits_are_taken_for_them() -> None:
    assert as_typed("2O26113o-IlO") == "20261130-110"


@given(st.text())
def test_what_is_typed_is_harmless(text: str) -> None:
    typed = as_typed(text)
    assert typed is None or not set(typed) & set("%_/\\'\" .")


def test_an_id_is_not_empty() -> None:
    assert as_typed("") is None
    assert as_typed("-") is None
