"""Scripted models with pauses that only a test sees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.models.model import Progress
from assay.models.prices import Price
from assay.models.scripted import CONTEXT_TOKENS, ScriptedService
from assay.models.service import Patience
from assay.models.streaming import StreamingModel


class Rig:
    """A scripted model, the pauses it made, and what it showed."""

    def __init__(self, path: Path, patience: Patience, price: Price | None) -> None:
        self.pauses: list[float] = []
        self.progress: list[Progress] = []
        self.model = StreamingModel(
            f"scripted:{path}",
            ScriptedService(path),
            context_tokens=CONTEXT_TOKENS,
            patience=patience,
            price=price,
            sleep=self._sleep,
        )

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def ask(self, prompt: str = "a prompt", **options: Any) -> Any:
        from assay.domain.message import Message, Prompt

        asked = Prompt(messages=(Message(role="user", content=prompt),), **options)
        return await self.model.complete(asked, self.progress.append)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Rig]:
    """Writes a script and opens its model."""

    def write(
        *replies: dict[str, Any], patience: Patience | None = None, price: Price | None = None
    ) -> Rig:
        path = tmp_path / "script.jsonl"
        path.write_text("\n".join(json.dumps(reply) for reply in replies), "utf-8")
        return Rig(path, patience or Patience(), price)

    return write
