"""Recording and playing without a session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.domain.message import Message, Prompt, Reply
from assay.models.catalog import open_model
from assay.models.model import Model, Progress
from assay.models.service import Patience
from assay.models.tape.format import Head, Tape, read_tape, to_line
from assay.models.tape.recording import RecordingModel
from assay.models.tape.replaying import ReplayedModel
from assay.models.tape.secrets import Secrets

HEAD = Head(assay="0.1.0", model="a:b", context_tokens=1000, is_embedded=False)


class Rig:
    """A tape in a folder, what records it and what plays it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "tape.jsonl"
        self.progress: list[Progress] = []

    async def recording(
        self, *replies: dict[str, Any], secrets: Secrets | None = None
    ) -> RecordingModel:
        """A scripted model that is recorded; it never waits before another try."""
        script = self.folder / "script.jsonl"
        script.write_text("".join(json.dumps(reply) + "\n" for reply in replies), "utf-8")
        model = await open_model(
            f"scripted:{script}",
            base_url=None,
            cache_folder=self.folder,
            allow_calls=False,
            patience=Patience(silence_seconds=0.2, first_pause_seconds=0),
        )
        return RecordingModel(model, self.path, secrets or Secrets())

    def playing(self, secrets: Secrets | None = None) -> ReplayedModel:
        return ReplayedModel(self.tape, secrets or Secrets())

    @property
    def tape(self) -> Tape:
        return read_tape(self.path)

    def write(self, *lines: bytes) -> None:
        self.path.write_bytes(to_line(HEAD) + b"".join(lines))

    async def ask(self, model: Model, prompt: str = "a prompt", **options: Any) -> Reply:
        asked = Prompt(messages=(Message(role="user", content=prompt),), **options)
        return await model.complete(asked, self.progress.append)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


@pytest.fixture
def line() -> Callable[..., bytes]:
    """One call as a tape's line, with what is changed about it."""

    def make(**changes: Any) -> bytes:
        prompt = {
            "messages": [{"role": "user", "content": "a prompt"}],
            "max_tokens": None,
            "temperature": 0.0,
            "seed": None,
        }
        call = {"prompt": prompt, "reply": {"text": "a reply"}, "error": None}
        return json.dumps({**call, **changes}).encode() + b"\n"

    return make
