"""Model files that cannot be used, with llama.cpp's own opinion of them. No model is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.domain.message import Message, Prompt
from assay.errors import BadInput, UnknownName, WeightsDamaged, WeightsError
from assay.models.catalog import open_model
from assay.models.embedded.launch import stop_server
from assay.models.embedded.place import Place
from assay.models.model import Model

HELLO = Prompt(messages=(Message(role="user", content="hello"),), max_tokens=1)


async def open_file(name: str, cache: Path) -> Model:
    return await open_model(f"embedded:{name}", base_url=None, cache_folder=cache, allow_calls=True)


@pytest.mark.parametrize("content", [b"GGUF", b"GGUF\x03\0\0\0" + b"\xff" * 5000])
async def test_a_damaged_file_is_named_with_advice(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    model = await open_file(str(path), tmp_path)
    with pytest.raises(WeightsDamaged, match=r"broken\.gguf.*assay models pull"):
        await model.complete(HELLO, lambda _: None)
    await model.aclose()
    assert not Place.within(tmp_path).is_alive
    assert Place.within(tmp_path).read() is None


@pytest.mark.model
async def test_a_file_that_lacks_its_end(tmp_path: Path, weights: Path) -> None:
    path = tmp_path / "cut.gguf"
    with weights.open("rb") as whole:
        path.write_bytes(whole.read(50_000_000))
    model = await open_file(str(path), tmp_path)
    with pytest.raises(WeightsDamaged, match=r"cut\.gguf"):
        await model.complete(HELLO, lambda _: None)
    await model.aclose()


async def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_text("not a model", "utf-8")
    with pytest.raises(BadInput, match="no GGUF file"):
        await open_file(str(tmp_path / "x.gguf"), tmp_path)


@pytest.mark.parametrize(("name", "words"), [("none.gguf", "No such file"), ("", "directory")])
async def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        await open_file(f"{tmp_path}/{name}", tmp_path)


async def test_an_unknown_name_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"Did you mean qwen2\.5-coder-1\.5b\?"):
        await open_file("qwen2.5-coder-1.5", tmp_path)


async def test_weights_that_are_not_here(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"assay models pull qwen2\.5-coder-0\.5b \(491 MB\)"):
        await open_file("qwen2.5-coder-0.5b", tmp_path)


async def test_there_is_no_server_to_stop(tmp_path: Path) -> None:
    assert await stop_server(tmp_path)
