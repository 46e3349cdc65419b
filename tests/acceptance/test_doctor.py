"""`assay doctor` as a person uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def test_a_key_is_found_under_each_of_its_names(assay: Callable[..., Any]) -> None:
    done = assay("doctor", "--json", env={"GEMINI_API_KEY": "x"})
    assert done.status == 0, done.out
    found = {one["name"]: one for one in done.json["models"]}
    assert "GEMINI_API_KEY is set" in found["google_genai"]["detail"]
    assert found["openai"]["advice"] == "Set OPENAI_API_KEY to use it."
    assert found["ollama"]["ok"], "it needs no key"
