"""From names to models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import BadInput, ModelRefused, UnknownName
from assay.models.catalog import open_model


async def open_here(name: str, folder: Path, *, allow_calls: bool = False) -> object:
    return await open_model(name, base_url=None, cache_folder=folder, allow_calls=allow_calls)


@pytest.mark.parametrize(
    "name", ["", "gpt-4", "nothing:gpt-4", "openai:", ":x", "embedded", "OpenAI:gpt-4"]
)
async def test_an_unknown_provider_is_answered_with_those_there_are(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(UnknownName, match="embedded, scripted, openai, anthropic"):
        await open_here(name, tmp_path)


async def test_the_closest_provider_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"Did you mean anthropic\?"):
        await open_here("antropic:claude", tmp_path)


@pytest.mark.parametrize("name", ["openai:gpt-4.1", "embedded:qwen2.5-coder-0.5b"])
async def test_real_models_are_refused_where_calls_are_not_allowed(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(ModelRefused, match="switched off"):
        await open_here(name, tmp_path)


async def test_a_script_is_found_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "script.jsonl").write_text('{"text": "hello"}', "utf-8")
    monkeypatch.chdir(tmp_path)
    model = await open_model(
        "scripted:script.jsonl", base_url=None, cache_folder=tmp_path, allow_calls=False
    )
    assert model.name == "scripted:script.jsonl"
    assert not model.is_embedded
    await model.aclose()


async def test_a_missing_script_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.jsonl cannot be read"):
        await open_here(f"scripted:{tmp_path / 'none.jsonl'}", tmp_path)


def test_importing_the_catalog_imports_no_heavy_library() -> None:
    code = (
        "import sys, assay.models.catalog; "
        "heavy = {'langchain', 'langchain_core', 'openai', 'xllamacpp', 'huggingface_hub', "
        "'bpe_openai'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout.strip() == "[]"
