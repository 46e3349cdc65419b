"""Where settings come from, and what a folder's files may not decide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.errors import BadInput, UnknownName
from assay.settings import PERMISSIONS, Settings, read_settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_flags_come_before_the_environment_before_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.assay]\nmodel = "a:1"\nflow = "f"\nattempts = 9\n'
    )
    assert (Settings().model, Settings().flow, Settings().attempts) == ("a:1", "f", 9)
    (folder / ".env").write_text("ASSAY_MODEL=b:2\nOTHER=x\n")
    assert Settings().model == "b:2"
    monkeypatch.setenv("ASSAY_MODEL", "c:3")
    assert Settings().model == "c:3"
    assert Settings(model="d:4").model == "d:4"
    assert Settings().flow == "f"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sandbox", "none"),
        ("base_url", "http://a.example"),
        ("allow_private_addresses", "true"),
        ("data_folder", "/data"),
        ("cache_folder", "/cache"),
    ],
)
def test_files_of_a_folder_give_no_permissions(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    assert name in PERMISSIONS
    for file, text in (
        (".env", f"ASSAY_{name.upper()}={value}\n"),
        ("pyproject.toml", f'[tool.assay]\n{name} = "{value}"\n'),
    ):
        (folder / file).write_text(text)
        with pytest.raises(BadInput, match=rf"{file} sets {name}.*ASSAY_{name.upper()}"):
            Settings()
        (folder / file).unlink()
    monkeypatch.setenv(f"ASSAY_{name.upper()}", value)
    assert str(getattr(Settings(), name)).lower() == value


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("pyproject.toml", b"[tool.assay\n"),
        ("pyproject.toml", b'[tool.assay]\nflow = "\xff"\n'),
        (".env", b"ASSAY_FLOW=\xff\n"),
    ],
)
def test_a_broken_file_is_named(folder: Path, file: str, content: bytes) -> None:
    (folder / file).write_bytes(content)
    with pytest.raises(BadInput, match=rf"{file} cannot be read"):
        Settings()


def test_a_name_in_the_projects_table_that_is_no_setting_is_named(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.assay]\natempts = 5\n")
    with pytest.raises(BadInput, match="sets atempts, which is no setting"):
        Settings()


def test_a_setting_that_does_not_exist_or_cannot_be_used_is_named() -> None:
    with pytest.raises(UnknownName, match="no setting 'atempts'; there are model"):
        read_settings(atempts=5)
    with pytest.raises(BadInput, match=r"The setting attempts cannot be used.*ASSAY_ATTEMPTS"):
        read_settings(attempts=0)


def test_every_setting_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "settings.md").read_text("utf-8")
    named = set(re.findall(r"^\| `ASSAY_(\w+)`", text, re.MULTILINE))
    assert named == {name.upper() for name in Settings.model_fields}
