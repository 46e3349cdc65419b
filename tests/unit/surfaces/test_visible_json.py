"""JSON that is shown means the same, whatever it holds."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from assay.visible import visible, visible_json


@given(st.text(st.characters()))
def test_json_is_harmless_and_the_same(text: str) -> None:
    shown = visible_json(json.dumps({"text": text}, indent=2, ensure_ascii=False))
    assert visible(shown) == shown
    assert json.loads(shown)["text"] == json.loads(json.dumps(text))
