"""No file of a job comes to lie outside its folder."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.task import Grants
from assay.errors import BadInput, UnsafePath
from assay.sandbox.bubblewrap import safe_path
from assay.sandbox.opening import granted_env


@given(st.text(alphabet="ab./\0 ", max_size=12))
def test_a_path_is_inside_or_refused(path: str) -> None:
    try:
        inside = safe_path("/work", path)
    except UnsafePath:
        return
    assert posixpath.normpath(inside).startswith("/work/")
    assert "\0" not in inside


@pytest.mark.parametrize("path", ["", ".", "/", "/etc/passwd", "..", "a/../../b", "a\0"])
def test_these_are_refused(path: str) -> None:
    with pytest.raises(UnsafePath, match="working folder"):
        safe_path("/work", path)


def test_granted_variables_have_their_values_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANTED", "x")
    assert granted_env(Grants(env=("GRANTED",))) == {"GRANTED": "x"}


def test_a_granted_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRANTED", raising=False)
    with pytest.raises(BadInput, match="--env GRANTED"):
        granted_env(Grants(env=("GRANTED",)))
