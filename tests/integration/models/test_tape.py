"""A service is recorded, and its tape played when the service is gone."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assay.domain.message import Message, Prompt, Reply
from assay.errors import ModelError
from assay.models.catalog import open_model
from assay.models.model import Model
from assay.models.service import Patience
from assay.models.tape.opening import open_taped
from assay.models.tape.secrets import Secrets

KEY = "sk-not-for-tapes"
NAME = "openai:some-model"


async def ask(model: Model) -> Reply:
    prompt = Prompt(messages=(Message(role="user", content="What is it?"),))
    return await model.complete(prompt, lambda _: None)


async def opened(tape: Path, base_url: str, variables: dict[str, str], **how: Any) -> Model:
    open_service = partial(
        open_model,
        NAME,
        base_url=base_url,
        cache_folder=tape.parent,
        allow_calls=True,
        patience=Patience(first_pause_seconds=0.01, connect_seconds=5),
    )
    way = {"record": None, "replay": None, **how}
    return await open_taped(open_service, secrets=Secrets.of(variables), **way)


async def test_a_session_with_a_service_is_played_without_it(
    service: Any, answers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    tape = tmp_path / "tape"
    address = service.url.replace("://", f"://somebody:{KEY}@")
    service.answers = [
        answers.refuses(429, f"slower, {KEY}"),
        answers.replies("It is ", f"{KEY}."),
        answers.refuses(401, f"{KEY} is not known at {address}"),
    ]
    model = await opened(tape, service.url, {"OPENAI_API_KEY": KEY}, record=tape)
    first = await ask(model)
    assert first.text == f"It is {KEY}."
    with pytest.raises(ModelError) as refused:
        await ask(model)
    await model.aclose()
    assert len(service.requests) == 3
    written = tape.read_text()
    for hidden in (KEY, "somebody", "Authorization", "Bearer"):
        assert hidden not in written

    played = await opened(tape, "http://127.0.0.1:1", {}, replay=tape)
    again = await ask(played)
    assert again.text == "It is [secret]."
    assert (again.usage.tokens, again.usage.cost) == (first.usage.tokens, 0.0)
    with pytest.raises(type(refused.value), match=r"\[secret\] is not known"):
        await ask(played)
    await played.aclose()
    assert len(service.requests) == 3
